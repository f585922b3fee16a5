/* An atomic load and an atomic store are two steps: no race, and updates are lost. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int hits;

static void *hit(void *arg)
{
	atomic_store(&hits, atomic_load(&hits) + 1);
	return arg;
}

static void *clear(void *arg)
{
	atomic_store(&hits, 0);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, hit, 0);
	pthread_create(&t[1], 0, clear, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return atomic_load(&hits) > 1;
}
