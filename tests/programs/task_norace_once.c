/* SPDX-License-Identifier: Apache-2.0
 *
 * The function of pthread_once has run before any task continues behind the call; promises of the program's beside it.
 * verdict: the order of atomic accesses to once matters
 */
#include <pthread.h>
#include <snag/task.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct snag_promise *given;
static int made, a[40];

static void make(void)
{
	made = 7;
}

static void use(void *arg)
{
	int *to = arg;
	pthread_once(&once, make);
	*to = made + *(int *)snag_promise_get(given);
}

static void first(void *arg)
{
	static int more = 1;
	given = snag_promise_new();
	for (int i = 0; i < 40; i++)
		snag_async(use, &a[i]);
	snag_promise_set(given, &more);
}

int main(void)
{
	return snag_launch(first, NULL) < 0 || a[0] != 8 || a[39] != 8;
}
