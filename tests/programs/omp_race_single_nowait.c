/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread writes, and the others do not wait for it.
 * race: ready
 */
int ready, seen;

int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp single nowait
		ready = 1;
#pragma omp master
		seen = ready;
	}
	return seen > 1;
}
