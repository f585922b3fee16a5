/* A signal handler changes errno.
 * expect: signal-unsafe "signal handler spoils errno"
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int done;

static void handler(int number)
{
	errno = number;
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
	return 0;
}
