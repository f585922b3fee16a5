/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tasks add to one number, and nothing orders them.
 * race: total
 */
#include <snag/task.h>

static int total;

static void add(void *arg)
{
	total += *(int *)arg;
}

static void first(void *arg)
{
	static int value[2] = {1, 2};
	(void)arg;
	snag_finish {
		snag_async(add, &value[0]);
		snag_async(add, &value[1]);
	}
}

int main(void)
{
	return snag_launch(first, 0) != 0 || total != 3;
}
