/* SPDX-License-Identifier: Apache-2.0
 *
 * A block is freed beside a task that still reads it.
 * race: heap
 */
#include <snag/task.h>
#include <stdlib.h>

static volatile int seen;

static void look(void *arg)
{
	int *block = arg;
	if (*block == 7)
		snag_isolated
			seen = 1;
}

static void first(void *arg)
{
	int *block = malloc(sizeof(*block));
	(void)arg;
	*block = 7;
	snag_finish {
		snag_async(look, block);
		free(block);
	}
}

int main(void)
{
	return snag_launch(first, 0);
}
