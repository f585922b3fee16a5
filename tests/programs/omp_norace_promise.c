/* SPDX-License-Identifier: Apache-2.0
 * Promises of <snag/task.h> in regions: a task that waits for one does not keep others from running,
 * whether it was created before or after the one that sets it, by the same thread or another.
 * verdict: race-free for this input on every schedule
 */
#include <snag/task.h>
#include <stdlib.h>

enum { N = 8 };

static struct snag_promise ready[N + 1], turn;
static int value[N + 1];

static void chain(void) /* the last one is created first */
{
	for (int i = N; i > 0; i--)
#pragma omp task firstprivate(i)
	{
		int *before = snag_promise_get(&ready[i - 1]);
		value[i] = *before + 1;
		snag_promise_set(&ready[i], &value[i]);
	}
	value[0] = 10;
	snag_promise_set(&ready[0], &value[0]);
}

int main(void)
{
	int shared = 0, seen = 0;
	struct snag_promise *own = snag_promise_new();
#pragma omp parallel num_threads(2)
	{
#pragma omp single
		chain();
#pragma omp sections
		{
#pragma omp section
			seen = *(int *)snag_promise_get(&turn);
#pragma omp section
			{
				shared = 7;
				snag_promise_set(&turn, &shared);
			}
		}
#pragma omp single
#pragma omp taskgroup
		{
#pragma omp task
			snag_promise_get(own);
			if (snag_promise_set(own, NULL) != 0 || snag_promise_set(own, NULL) == 0)
				abort();
		}
	}
	snag_promise_free(own);
	if (value[N] != 10 + N || seen != 7 || *(int *)snag_promise_get(&ready[N]) != 10 + N)
		return 1;
	return 0;
}
