/* A third lock keeps the two orders apart. */
#include <pthread.h>
static pthread_mutex_t g = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER,
		       b = PTHREAD_MUTEX_INITIALIZER;
static void pair(pthread_mutex_t *x, pthread_mutex_t *y)
{
	pthread_mutex_lock(&g);
	pthread_mutex_lock(x);
	pthread_mutex_lock(y);
	pthread_mutex_unlock(y);
	pthread_mutex_unlock(x);
	pthread_mutex_unlock(&g);
}
static void *other(void *x)
{
	pair(&a, &b);
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	pair(&b, &a);
	pthread_join(t, NULL);
	return 0;
}
