/* SPDX-License-Identifier: Apache-2.0
 *
 * launch_signals.c - signals that the tool gets while the program runs
 */
#include "record/launch_state.h"

/* Signals that are also for the program.  The terminal sends its own to both processes, and the
 * end of the program ends the tool.  A signal that another process sends to the tool alone is
 * passed on, and then has its previous effect here. */
static const int passed[SNAG_PASSED] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
static struct snag_launch *volatile running;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const struct snag_launch *l = running;
	if (!l || info->si_code > 0)
		return;
	if (l->pidfd < 0)
		kill(l->pid, signal);
	for (int i = 0; i < SNAG_PASSED; i++)
		if (passed[i] == signal && l->was[i].sa_handler != SIG_DFL &&
		    l->was[i].sa_handler != SIG_IGN)
			l->was[i].sa_handler(signal);
}

void snag_launch_signals_pass(struct snag_launch *l)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	running = l;
	for (int i = 0; i < SNAG_PASSED; i++) {
		bool is_ignored = sigaction(passed[i], NULL, &l->was[i]) == 0 &&
				  l->was[i].sa_handler == SIG_IGN;
		if (!is_ignored ||
		    passed[i] == SIGINT) /* a shell ignores SIGINT for programs that `&` starts */
			sigaction(passed[i], &action, NULL);
	}
}

void snag_launch_signals_keep(struct snag_launch *l)
{
	running = NULL;
	for (int i = 0; i < SNAG_PASSED; i++)
		sigaction(passed[i], &l->was[i], NULL);
}

void snag_launch_signals_block(sigset_t *ret_mask)
{
	sigset_t all;
	sigemptyset(&all);
	for (int i = 0; i < SNAG_PASSED; i++)
		sigaddset(&all, passed[i]);
	sigprocmask(SIG_BLOCK, &all, ret_mask);
}

void snag_launch_signals_reset(const sigset_t *mask)
{
	for (int i = 0; i < SNAG_PASSED; i++) {
		struct sigaction old;
		bool is_ours = passed[i] == SIGINT || passed[i] == SIGQUIT;
		if (is_ours || (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN))
			signal(passed[i], SIG_DFL);
	}
	sigprocmask(SIG_SETMASK, mask, NULL);
}
