/* SPDX-License-Identifier: Apache-2.0
 *
 * interrupt.c - Ctrl-C: finish early the first time, die the second
 */
#include "cli/interrupt.h"

#include <stddef.h>

volatile sig_atomic_t cli_stop;

static void on_signal(int signal)
{
	cli_stop = signal;
}

void cli_interrupt_catch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction old;
		/* No SA_RESTART: a read that waits for a slow pipe must return. */
		struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}
