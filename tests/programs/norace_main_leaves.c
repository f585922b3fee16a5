/* main leaves by pthread_exit.  The process ends when its last thread does, with status 0, and functions
 * of atexit run.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int left = 3;

static void at_end(void)
{
	if (left != 0)
		_exit(1);
}

static void *run(void *unused)
{
	usleep(1000);
	pthread_mutex_lock(&mutex);
	left--;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t;
	atexit(at_end);
	for (int i = 0; i < 3; i++) {
		pthread_create(&t, 0, run, 0);
		pthread_detach(t);
	}
	pthread_exit(0);
}
