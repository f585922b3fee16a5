/* SPDX-License-Identifier: Apache-2.0
 *
 * A spawned task creates another, which the sync of its creator does not wait for.
 * race: late
 */
#include <snag/task.h>

static volatile int late;

static void grandchild(void *arg)
{
	(void)arg;
	late = 1;
}

static void child(void *arg)
{
	(void)arg;
	snag_async(grandchild, 0);
}

static void first(void *arg)
{
	(void)arg;
	snag_spawn(child, 0);
	snag_sync();
	late = 2;
}

int main(void)
{
	return snag_launch(first, 0);
}
