/* main destroys a condition while a thread waits for it.
 *
 * expect: mutex-misuse "destroy of a condition that threads wait for"
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static int is_waiting;

static void *waits(void *unused)
{
	pthread_mutex_lock(&mutex);
	is_waiting = 1;
	pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t;
	int is_there = 0;
	pthread_cond_init(&cond, NULL);
	pthread_create(&t, NULL, waits, NULL);
	while (!is_there) {
		pthread_mutex_lock(&mutex);
		is_there = is_waiting;
		pthread_mutex_unlock(&mutex);
	}
	pthread_mutex_lock(&mutex); /* what comes next is ordered behind the wait's beginning */
	pthread_cond_destroy(&cond);
	pthread_mutex_unlock(&mutex);
	_exit(0);
}
