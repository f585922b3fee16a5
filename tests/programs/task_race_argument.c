/* SPDX-License-Identifier: Apache-2.0
 *
 * A task is alone with the copy of its argument at first; not when it has given it to a child.
 * race: heap block of size 4
 */
#include <snag/task.h>

static void put(void *arg)
{
	*(volatile int *)arg = 1;
}

static void work(void *arg)
{
	volatile int *own = arg;
	*own += 1;
	snag_finish
	{
		snag_async(put, arg);
		*own += 1;
	}
}

static void first(void *arg)
{
	int number = 5;
	(void)arg;
	snag_finish
	{
		snag_async_copy(work, &number, sizeof(number));
		number = 6; /* the task has a copy */
		snag_async_copy(work, &number, sizeof(number));
	}
}

int main(void)
{
	return snag_launch(first, 0);
}
