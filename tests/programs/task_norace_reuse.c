/* SPDX-License-Identifier: Apache-2.0
 *
 * Parallel tasks get the same memory one after the other: stacks, heap blocks, arguments, records
 * of futures.
 * verdict: race-free
 */
#include <snag/task.h>
#include <stdlib.h>
#include <string.h>

struct job {
	int number;
	int *result;
};

static void deep(volatile int *sum, int n)
{
	volatile char local[256];
	for (unsigned i = 0; i < sizeof(local); i++)
		local[i] = (char)n;
	*sum += local[n];
	if (n)
		deep(sum, n - 1);
}

static void work(void *arg)
{
	struct job *job = arg;
	volatile int sum = 0;
	int *block = malloc(64 * sizeof(*block));
	memset(block, 0, 64 * sizeof(*block));
	block[job->number] = job->number;
	deep(&sum, 5);
	*job->result = block[job->number] + sum;
	job->number = -1; /* its own copy */
	free(block);
}

static void *square(void *arg)
{
	int *n = arg;
	*n *= *n;
	return (void *)(long)*n;
}

static void first(void *arg)
{
	int *result = arg;
	snag_finish
		for (int i = 0; i < 30; i++) {
			struct job job = {i, &result[i]};
			snag_async_copy(work, &job, sizeof(job));
			job.number = 99; /* the task has a copy */
		}
	struct snag_promise *future[4];
	for (int i = 0; i < 4; i++)
		future[i] = snag_future_copy(square, &i, sizeof(i));
	for (int i = 0; i < 4; i++) {
		result[i] = (int)(long)snag_promise_get(future[i]);
		snag_promise_free(future[i]);
	}
}

int main(void)
{
	int result[30];
	return snag_launch(first, result) != 0 || result[3] != 9 || result[29] != 44;
}
