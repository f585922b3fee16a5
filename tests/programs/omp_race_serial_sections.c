/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that is alone in its team executes all sections, not only the first.
 * race: global 'second'
 */
int first[3], second;

int main(void)
{
#pragma omp parallel for
	for (int i = 0; i < 3; i++) {
#pragma omp parallel sections num_threads(1)
		{
#pragma omp section
			first[i] = i;
#pragma omp section
			second = i;
		}
	}
	return 0;
}
