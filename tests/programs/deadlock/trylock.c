/* The second lock is only tried. */
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void pair(pthread_mutex_t *x, pthread_mutex_t *y)
{
	pthread_mutex_lock(x);
	if (pthread_mutex_trylock(y) == 0)
		pthread_mutex_unlock(y);
	pthread_mutex_unlock(x);
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
