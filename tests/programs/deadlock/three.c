/* Three threads, each with one lock and about to take the next. */
#include <pthread.h>

static pthread_mutex_t lock[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
				  PTHREAD_MUTEX_INITIALIZER};

static void *eat(void *at)
{
	long i = (long)at;
	pthread_mutex_lock(&lock[i]);
	pthread_mutex_lock(&lock[(i + 1) % 3]);
	pthread_mutex_unlock(&lock[(i + 1) % 3]);
	pthread_mutex_unlock(&lock[i]);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, eat, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
