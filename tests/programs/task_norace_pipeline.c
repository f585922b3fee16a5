/* SPDX-License-Identifier: Apache-2.0
 *
 * Stages connected by promises, the last created first, so that all but one of them wait.
 * verdict: race-free
 */
#include <snag/task.h>

enum { STAGES = 20 };

static int value[STAGES + 1];
static struct snag_promise done[STAGES + 1];

static void stage(void *arg)
{
	const int i = *(int *)arg;
	snag_promise_get(&done[i]);
	value[i + 1] = value[i] + 1;
	snag_promise_set(&done[i + 1], 0);
}

static void first(void *arg)
{
	(void)arg;
	for (int i = 0; i <= STAGES; i++)
		snag_promise_init(&done[i]);
	for (int i = STAGES - 1; i >= 0; i--)
		snag_async_copy(stage, &i, sizeof(i));
	value[0] = 1;
	snag_promise_set(&done[0], 0);
	snag_promise_get(&done[STAGES]);
	value[STAGES]++;
}

int main(void)
{
	return snag_launch(first, 0) != 0 || value[STAGES] != STAGES + 2;
}
