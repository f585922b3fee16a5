/* SPDX-License-Identifier: Apache-2.0
 *
 * One of two tasks forgets to isolate.
 * race: total
 */
#include <snag/task.h>

static int total;

static void add_isolated(void *arg)
{
	(void)arg;
	snag_isolated
		total++;
}

static void add(void *arg)
{
	(void)arg;
	total++;
}

static void first(void *arg)
{
	(void)arg;
	snag_finish {
		snag_async(add_isolated, 0);
		snag_async(add, 0);
	}
}

int main(void)
{
	return snag_launch(first, 0);
}
