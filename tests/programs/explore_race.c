/* SPDX-License-Identifier: Apache-2.0
 *
 * Races only if both readers come before the task that closes the door: run depth first it comes
 * first, and there is none.
 */
#include <snag/task.h>

static int closed, guests;

static void lock_up(void *arg)
{
	(void)arg;
	snag_isolated
	{
		closed = 1;
	}
}

static void enter(void *arg)
{
	int was_closed;
	(void)arg;
	snag_isolated
	{
		was_closed = closed;
	}
	if (!was_closed)
		guests++;
}

static void first(void *arg)
{
	(void)arg;
	snag_finish
	{
		snag_async(lock_up, 0);
		snag_async(enter, 0);
		snag_async(enter, 0);
	}
}

int main(void)
{
	return snag_launch(first, 0) != 0 || guests > 2;
}
