/* SPDX-License-Identifier: Apache-2.0
 *
 * A private variable that a task uses while its thread has iterations: a race, but only said to be possible.
 * verdict: no race found, but other schedules may have one: private memory of a thread became known to others
 */
int main(void)
{
#pragma omp parallel num_threads(2)
	{
		int mine = 1;
#pragma omp task shared(mine)
		mine = 2;
#pragma omp for
		for (int i = 0; i < 4; i++)
			mine++;
	}
	return 0;
}
