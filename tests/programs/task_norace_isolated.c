/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks add to one number, isolated: no race, and the order of the blocks does not matter.
 * verdict: race-free
 */
#include <snag/task.h>

static int total;

static void add(void *arg)
{
	(void)arg;
	snag_isolated
		total++;
}

static void first(void *arg)
{
	(void)arg;
	snag_finish
		for (int i = 0; i < 10; i++)
			snag_async(add, 0);
}

int main(void)
{
	return snag_launch(first, 0) != 0 || total != 10;
}
