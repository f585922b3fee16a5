/* One thread alone takes two locks in both orders. */
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void pair(pthread_mutex_t *x, pthread_mutex_t *y)
{
	pthread_mutex_lock(x);
	pthread_mutex_lock(y);
	pthread_mutex_unlock(y);
	pthread_mutex_unlock(x);
}
static void *other(void *x)
{
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	pthread_mutex_lock(&b);
	pthread_mutex_unlock(&b);
	return x;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, other, NULL);
	pair(&a, &b);
	pair(&b, &a);
	pthread_join(t, NULL);
	return 0;
}
