/* SPDX-License-Identifier: Apache-2.0
 *
 * A region that a task has met: its first thread runs on the task's stack, and has private blocks like all threads.
 * verdict: race-free for this input on every schedule
 */
#include <stdlib.h>

int sum[8];

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp task
#pragma omp parallel num_threads(2)
	{
		int *own = malloc(sizeof(int));
#pragma omp for
		for (int i = 0; i < 8; i++) {
			*own = i;
			sum[i] = *own;
		}
		free(own);
	}
	return 0;
}
