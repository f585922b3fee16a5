/* SPDX-License-Identifier: Apache-2.0
 *
 * pipeline.c - a pipeline of promises: one task squares numbers as they come, another adds them up.
 *
 *   cc pipeline.c $(pkg-config --cflags --libs snag-task) && ./a.out
 */
#include <snag/task.h>
#include <stdio.h>

enum { N = 1000 };

static struct snag_promise number[N], square[N]; /* all 0: not set */
static intptr_t sum;

static void square_all(void *arg)
{
	for (int i = 0; i < N; i++) {
		intptr_t n = (intptr_t)snag_promise_get(&number[i]);
		snag_promise_set(&square[i], (void *)(n * n));
	}
}

static void add_all(void *arg)
{
	for (int i = 0; i < N; i++)
		sum += (intptr_t)snag_promise_get(&square[i]);
}

static void first(void *arg)
{
	snag_finish {
		snag_async(add_all, NULL);
		snag_async(square_all, NULL);
		for (intptr_t i = 0; i < N; i++)
			snag_promise_set(&number[i], (void *)i);
	}
	printf("sum of squares: %ld\n", (long)sum);
}

int main(void)
{
	return snag_launch(first, NULL) < 0;
}
