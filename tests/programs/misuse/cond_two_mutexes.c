/* Two threads wait for a condition at the same time, each with a mutex of its own.
 *
 * expect: mutex-misuse "wait for a condition with another mutex than other threads"
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int waiting[2], go[2];

static void *waits(void *which)
{
	long i = (long)which;
	pthread_mutex_lock(&mutex[i]);
	waiting[i] = 1;
	while (!go[i])
		pthread_cond_wait(&cond, &mutex[i]);
	pthread_mutex_unlock(&mutex[i]);
	return NULL;
}

static void await(long i)
{
	int is_waiting = 0;
	while (!is_waiting) {
		pthread_mutex_lock(&mutex[i]);
		is_waiting = waiting[i];
		go[i] = is_waiting && i == 1;
		pthread_mutex_unlock(&mutex[i]);
	}
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, waits, (void *)0);
	await(0);
	pthread_create(&t[1], NULL, waits, (void *)1);
	await(1);
	pthread_mutex_lock(&mutex[0]);
	go[0] = 1;
	pthread_mutex_unlock(&mutex[0]);
	pthread_cond_broadcast(&cond);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
