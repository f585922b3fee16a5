/* SPDX-License-Identifier: Apache-2.0
 *
 * A task creates others while it holds a lock that they take too: depth first they wait for it, as
 * they would in parallel.  The increments commute, so the order of the tasks does not matter.
 * verdict: race-free for this input on every schedule
 */
#include <pthread.h>
#include <snag/task.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&m);
	count++;
	pthread_mutex_unlock(&m);
}

static void first(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&m);
	snag_async(add, 0);
	snag_async(add, 0);
	count++;
	pthread_mutex_unlock(&m);
}

int main(void)
{
	return snag_launch(first, 0) != 0 || count != 3;
}
