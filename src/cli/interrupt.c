/* SPDX-License-Identifier: Apache-2.0
 *
 * interrupt.c - Ctrl-C: finish early the first time, die the second
 */
#include "cli/interrupt.h"

#include <stddef.h>
#include <time.h>

enum { AT_ONCE_MS = 300 };

volatile sig_atomic_t cli_stop;
static struct timespec first; /* when it came */

static long long milliseconds_since(const struct timespec *then)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - then->tv_sec) * 1000LL + (now.tv_nsec - then->tv_nsec) / 1000000;
}

static void on_signal(int number)
{
	if (!cli_stop) {
		clock_gettime(CLOCK_MONOTONIC, &first);
		cli_stop = number;
	} else if (milliseconds_since(&first) > AT_ONCE_MS) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

void cli_interrupt_catch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction old;
		/* No SA_RESTART: a read that waits for a slow pipe must return. */
		struct sigaction action = {.sa_handler = on_signal};
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}
