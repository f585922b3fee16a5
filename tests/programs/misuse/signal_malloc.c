/* A signal handler allocates memory.
 * expect: signal-unsafe "signal-unsafe call inside of a signal"
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

static void *volatile block;
static atomic_int done;

static void handler(int number)
{
	block = malloc((size_t)number);
	done = 1;
}

static void *sender(void *to)
{
	pthread_kill(*(pthread_t *)to, SIGUSR1);
	return 0;
}

int main(void)
{
	pthread_t t, self = pthread_self();
	signal(SIGUSR1, handler);
	pthread_create(&t, 0, sender, &self);
	while (!done)
		;
	pthread_join(t, 0);
	free(block);
	return 0;
}
