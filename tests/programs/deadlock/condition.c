/* A thread waits for a condition with another lock held: it asks for the lock of the condition again when
 * it wakes up, and a thread that has that lock asks for the other one.  Or no thread is left that could
 * signal. */
#include <pthread.h>

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER, queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int is_filled, rows;

static void *take(void *arg)
{
	pthread_mutex_lock(&table);
	pthread_mutex_lock(&queue);
	while (!is_filled)
		pthread_cond_wait(&filled, &queue);
	pthread_mutex_unlock(&queue);
	pthread_mutex_unlock(&table);
	return arg;
}

static void *fill(void *arg)
{
	pthread_mutex_lock(&queue);
	is_filled = 1;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&queue);
	return arg;
}

static void *count(void *arg)
{
	pthread_mutex_lock(&queue);
	pthread_mutex_lock(&table);
	rows++;
	pthread_mutex_unlock(&table);
	pthread_mutex_unlock(&queue);
	return arg;
}

int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], 0, take, 0);
	pthread_create(&t[1], 0, fill, 0);
	pthread_create(&t[2], 0, count, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return 0;
}
