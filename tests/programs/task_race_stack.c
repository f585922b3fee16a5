/* SPDX-License-Identifier: Apache-2.0
 *
 * Two children write a local variable of their creator.
 * race: stack
 */
#include <snag/task.h>

static void put(void *arg)
{
	*(volatile int *)arg = 1;
}

static void first(void *arg)
{
	int local = 0;
	(void)arg;
	snag_finish
	{
		snag_async(put, &local);
		snag_async(put, &local);
	}
}

int main(void)
{
	return snag_launch(first, 0);
}
