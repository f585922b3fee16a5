/* Readers exclude no readers. */
#include <pthread.h>
static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
static void pair(pthread_rwlock_t *x, pthread_rwlock_t *y)
{
	pthread_rwlock_rdlock(x);
	pthread_rwlock_rdlock(y);
	pthread_rwlock_unlock(y);
	pthread_rwlock_unlock(x);
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
