/* SPDX-License-Identifier: Apache-2.0
 *
 * A task is over when its event is fulfilled, by a handler of signals, which is no part of the task that it meets.
 * verdict: race-free for this input on every schedule
 */
#include <omp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static omp_event_handle_t event;
static volatile sig_atomic_t rung;
int x;

static void ring(int number)
{
	rung = number;
	omp_fulfill_event(event);
}

int main(void)
{
	struct itimerval soon = {.it_value.tv_usec = 20000};
	omp_event_handle_t made;
	signal(SIGALRM, ring);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
#pragma omp task detach(made) depend(out : x)
		{
			x = 1;
			event = made;
			setitimer(ITIMER_REAL, &soon, NULL);
		}
#pragma omp task depend(inout : x)
		x++;
	}
	return x != 2 || rung != SIGALRM;
}
