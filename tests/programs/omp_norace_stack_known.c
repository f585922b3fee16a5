/* SPDX-License-Identifier: Apache-2.0
 *
 * A private variable whose address another thread gets, while its owner has iterations.
 * verdict: no race found, but other schedules may have one: private memory of a thread became known to others
 */
int *found;
int results[16];

int main(void)
{
#pragma omp parallel num_threads(2)
	{
		int mine = 1;
#pragma omp single
		found = &mine;
#pragma omp for
		for (int i = 0; i < 16; i++) {
			results[i] = mine;
			mine = 1;
		}
	}
	return 0;
}
