/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tasks fill an array in strips that overlap by half: one incident, with the range of
 * elements.
 *
 * race: a
 */
#include <snag/task.h>

static int a[100];
static int at[2] = {0, 30};

static void fill(void *arg)
{
	int from = *(const int *)arg;
	for (int i = from; i < from + 60; i++)
		a[i] = from;
}

static void first(void *arg)
{
	(void)arg;
	snag_async(fill, &at[0]);
	snag_async(fill, &at[1]);
}

int main(void)
{
	return snag_launch(first, 0) < 0 || a[99] != 0;
}
