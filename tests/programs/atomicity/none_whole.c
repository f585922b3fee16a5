/* One section, a second look, an update, a loop of compare-and-swap, an order of joins: nothing comes
 * between. */
#include <pthread.h>
#include <stdatomic.h>

static int whole, looked, joined;
static atomic_int updated, swapped;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *arg)
{
	pthread_mutex_lock(&m);
	whole = whole + 1;
	pthread_mutex_unlock(&m);

	pthread_mutex_lock(&m);
	int v = looked;
	pthread_mutex_unlock(&m);
	if (v < 5) {
		pthread_mutex_lock(&m);
		if (looked < 5)
			looked = 5;
		pthread_mutex_unlock(&m);
	}
	atomic_fetch_add(&updated, 1);
	int old = atomic_load(&swapped);
	while (!atomic_compare_exchange_weak(&swapped, &old, old + 1))
		;
	return arg;
}

static void *later(void *arg)
{
	joined = 7;
	return arg;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	int v = joined;
	joined = v + 1;
	pthread_create(&t[0], 0, later, 0);
	pthread_join(t[0], 0);
	return 0;
}
