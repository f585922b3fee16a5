/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread ends while it holds a robust mutex; the next owner gets EOWNERDEAD and continues.
 */
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static int x;

static void *end(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1;
	pthread_exit(arg);
}

int main(void)
{
	pthread_t t;
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &attr);
	pthread_create(&t, NULL, end, NULL);
	pthread_detach(t);
	for (int told = 0; !told;) {
		int rc = pthread_mutex_lock(&m);
		told = rc == EOWNERDEAD;
		if (rc != 0 && !told)
			return 1;
		if (told && (x != 1 || pthread_mutex_consistent(&m)))
			return 1;
		pthread_mutex_unlock(&m);
	}
	return pthread_mutex_lock(&m);
}
