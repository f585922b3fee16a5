/* SPDX-License-Identifier: Apache-2.0
 *
 * That something is made once orders nothing that comes later.
 * race: made
 */
#include <pthread.h>
#include <snag/task.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made;

static void make(void)
{
	made = 7;
}

static void use(void *arg)
{
	(void)arg;
	pthread_once(&once, make);
	made++;
}

static void first(void *arg)
{
	for (int i = 0; i < 4; i++)
		snag_async(use, arg);
}

int main(void)
{
	return snag_launch(first, NULL) < 0;
}
