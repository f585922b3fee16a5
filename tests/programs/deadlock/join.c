/* main waits for a thread with a lock held that the thread wants. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *x)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return x;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	pthread_mutex_lock(&lock);
	pthread_join(t, NULL);
	pthread_mutex_unlock(&lock);
	return 0;
}
