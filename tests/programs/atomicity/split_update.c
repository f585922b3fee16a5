/* Two sections of one lock: what another thread writes between them is lost. */
#include <pthread.h>

static int balance;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int get(void)
{
	pthread_mutex_lock(&m);
	int v = balance;
	pthread_mutex_unlock(&m);
	return v;
}

static void set(int v)
{
	pthread_mutex_lock(&m);
	balance = v;
	pthread_mutex_unlock(&m);
}

static void *deposit(void *arg)
{
	set(get() + 10);
	return arg;
}

static void *reset(void *arg)
{
	set(0);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, deposit, 0);
	pthread_create(&t[1], 0, reset, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return balance > 10;
}
