/* SPDX-License-Identifier: Apache-2.0
 *
 * An iteration that does nothing but meet a region, in which a section does nothing; then a section that creates a
 * task.
 * verdict: race-free for this input on every schedule
 */
int main(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(dynamic, 2) nowait
		for (int i = 0; i < 3; i++) {
#pragma omp parallel num_threads(3)
#pragma omp sections nowait
			{
#pragma omp section
				;
			}
		}
#pragma omp sections nowait
		{
#pragma omp section
#pragma omp task
			;
		}
	}
	return 0;
}
