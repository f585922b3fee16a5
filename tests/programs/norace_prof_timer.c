/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads wait busily for signals of a timer that counts processor time.  If they slept instead, the
 * signals would come much later.  Those that meet main change nothing that a thread
 * waits for.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/time.h>

enum { SIGNALS = 100 };

static atomic_int count, done;
static _Thread_local volatile sig_atomic_t counts;

static void handler(int signal)
{
	(void)signal;
	if (counts)
		atomic_fetch_add(&count, 1);
}

static void *spins(void *unused)
{
	counts = 1;
	while (!atomic_load(&done))
		;
	return unused;
}

int main(void)
{
	const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	pthread_t t;
	signal(SIGPROF, handler);
	setitimer(ITIMER_PROF, &often, NULL);
	pthread_create(&t, NULL, spins, NULL);
	while (atomic_load(&count) < SIGNALS)
		;
	setitimer(ITIMER_PROF, &never, NULL);
	atomic_store(&done, 1);
	pthread_join(t, NULL);
	return 0;
}
