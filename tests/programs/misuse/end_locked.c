/* A thread ends while it holds a mutex.
 *
 * expect: mutex-misuse "thread finished while it holds a mutex"
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *forgets(void *unused)
{
	pthread_mutex_lock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, forgets, NULL);
	pthread_join(t, NULL);
	return 0;
}
