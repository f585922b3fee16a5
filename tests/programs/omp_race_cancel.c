/* SPDX-License-Identifier: Apache-2.0
 *
 * What was not cancelled yet runs, and races as it does elsewhere.
 * race: of_loop
 * race: of_sections
 * race: of_group
 * race: of_region
 */
#include <stdlib.h>

enum { N = 16 };

int of_loop, of_sections, of_group, of_region, stop;

static __attribute__((noinline)) int run(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < N; i++) {
		of_loop = i;
#pragma omp cancel for if (i == N - 1)
	}
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{of_sections = 1;
#pragma omp cancel sections if (stop)
}
#pragma omp section
{
#pragma omp cancellation point sections
	of_sections = 2;
}
}
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
{
#pragma omp task
	of_group = 1;
#pragma omp task
	{
		of_group = 2;
#pragma omp cancel taskgroup
	}
}
#pragma omp parallel num_threads(2)
{
#pragma omp cancellation point parallel
	of_region++;
#pragma omp cancel parallel if (stop)
}
return 0;
}

int main(void)
{
	setenv("OMP_CANCELLATION", "true", 1); /* before the runtime looks */
	return run();
}
