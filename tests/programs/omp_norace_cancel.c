/* SPDX-License-Identifier: Apache-2.0
 *
 * A search that stops all who search, by each construct that can be cancelled; what was cancelled is not done.
 * verdict: no race found, .*the program cancels tasks
 */
#include <stdlib.h>

enum { N = 64, WANTED = 40 };

int a[N], found = -1, at_section, at_task, at_region, never;

static __attribute__((noinline)) int run(void)
{
	for (int i = 0; i < N; i++)
		a[i] = i;
#pragma omp parallel for num_threads(4)
	for (int i = 0; i < N; i++) {
#pragma omp cancellation point for
		if (a[i] == WANTED) {
#pragma omp critical
			found = i;
#pragma omp cancel for
		}
	}
#pragma omp parallel sections num_threads(2)
	{
#pragma omp section
		{
#pragma omp critical
			at_section = 1;
#pragma omp cancel sections
			never = 1;
		}
#pragma omp section
		{
#pragma omp critical
			at_section = 1;
		}
	}
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
	for (int i = 0; i < N; i += 8) {
#pragma omp task firstprivate(i)
		for (int k = i; k < i + 8; k++) {
#pragma omp cancellation point taskgroup
			if (a[k] == WANTED) {
#pragma omp critical
				at_task = k;
#pragma omp cancel taskgroup
				never = 2;
			}
		}
	}
#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		at_region++;
#pragma omp cancel parallel
		never = 3;
	}
	return found != WANTED || at_task != WANTED || !at_section || !at_region || never;
}

int main(void)
{
	setenv("OMP_CANCELLATION", "true", 1); /* before the runtime looks */
	return run();
}
