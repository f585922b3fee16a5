/* A unit in two sections, and a section of another lock lies inside the unit. */
#include <pthread.h>

static int level, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;

static void *raise_level(void *arg)
{
	pthread_mutex_lock(&m);
	int v = level;
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&other);
	seen++;
	pthread_mutex_unlock(&other);
	pthread_mutex_lock(&m);
	level = v + 1;
	pthread_mutex_unlock(&m);
	return arg;
}

static void *drain(void *arg)
{
	pthread_mutex_lock(&other);
	seen++;
	pthread_mutex_unlock(&other);
	pthread_mutex_lock(&m);
	level = 0;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, raise_level, 0);
	pthread_create(&t[1], 0, drain, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return level > 1;
}
