/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions, and who looks at the variable before it is one.
 * race: of_group
 * race: beside
 * race: of_region
 * race: of_taskloop
 */
enum { N = 16 };

int of_group, beside, of_region, of_taskloop, a[N], seen;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp taskgroup task_reduction(+ : of_group)
		{
#pragma omp task in_reduction(+ : of_group)
			of_group++;
#pragma omp task shared(of_group)
			of_group++; /* takes no part */
#pragma omp task shared(of_group)
			of_group++;
		}
#pragma omp task
		seen = beside; /* not of the group */
#pragma omp taskgroup task_reduction(+ : beside)
		{
#pragma omp task in_reduction(+ : beside)
			beside++;
		}
#pragma omp task
		seen += of_taskloop;
#pragma omp taskloop reduction(+ : of_taskloop)
		for (int i = 0; i < N; i++)
			of_taskloop += a[i];
	}
#pragma omp parallel num_threads(2)
	{
#pragma omp for reduction(+ : of_region) nowait
		for (int i = 0; i < N; i++)
			of_region += a[i];
		a[0] = of_region; /* before all have combined */
	}
	return 0;
}
