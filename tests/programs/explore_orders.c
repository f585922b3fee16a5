/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks with one isolated block each, for `snag explore`: N tasks note their numbers in a list (N!
 * orders), or with a second argument each in its own place (one order).  The status is the number
 * of the first in the list.
 */
#include <snag/task.h>
#include <stdlib.h>

static int tasks = 3, apart;
static int list[16], length;
static int number[16];

static void note(void *arg)
{
	int n = *(const int *)arg;
	snag_isolated
	{
		list[apart ? n : length++] = n;
	}
}

static void first(void *arg)
{
	(void)arg;
	snag_finish
	{
		for (int i = 0; i < tasks; i++) {
			number[i] = i;
			snag_async(note, &number[i]);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		tasks = atoi(argv[1]);
	apart = argc > 2;
	return snag_launch(first, 0) != 0 ? 99 : list[0];
}
