/* SPDX-License-Identifier: Apache-2.0
 *
 * A critical section reads the neighbour of what another one has written, in the same word: this
 * does not order the two.
 * race: pair
 */
int pair[2], other;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task
		{
#pragma omp critical
			pair[0] = pair[0] * 2 + 1;
		}
#pragma omp task
		{
#pragma omp critical
			other = pair[1];
			pair[0] = 7;
		}
	}
	return other;
}
