/* SPDX-License-Identifier: Apache-2.0
 *
 * signals_old.c - older functions that set a handler
 *
 * Rules.  [bsd]   signal() blocks the signal while its handler runs.  Interrupted calls begin
 *                 again, unless siginterrupt() says otherwise.
 *         [sysv]  The handler is used once, does not block the signal, and interrupts calls.
 *                 signal() means this one in programs that ask for POSIX alone.
 *         [set]   sigset() also blocks or unblocks the signal.
 */
#include "runtime/interpose/real.h"
#include "runtime/sched/sched.h"

#include <errno.h>

static sigset_t interrupting; /* [bsd] the signals that siginterrupt() has named */

static sighandler_t handler_set(int number, sighandler_t handler, int flags, bool blocks)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = flags}, old;
	if (blocks)
		sigaddset(&act.sa_mask, number);
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return sigaction(number, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

static sighandler_t bsd_signal_set(int number, sighandler_t handler)
{
	const bool interrupts = sigismember(&interrupting, number) == 1;
	return handler_set(number, handler, interrupts ? 0 : SA_RESTART, true);
}

static sighandler_t sysv_signal_set(int number, sighandler_t handler)
{
	const int interrupts = 0x20000000; /* SA_INTERRUPT, which means nothing today */
	return handler_set(number, handler, (int)SA_RESETHAND | SA_NODEFER | interrupts, false);
}

/* Defines a function under each of its names in the C library. */
#define SIGNAL(name, how, real)                                        \
	RT_EXPORT sighandler_t name(int number, sighandler_t handler); \
	RT_EXPORT sighandler_t name(int number, sighandler_t handler)  \
	{                                                              \
		RT_SCOPE;                                              \
		if (!rt_enter())                                       \
			return real(number, handler);                  \
		return how(number, handler);                           \
	}
SIGNAL(signal, bsd_signal_set, rt_real.signal)
SIGNAL(bsd_signal, bsd_signal_set, rt_real.signal)
SIGNAL(ssignal, bsd_signal_set, rt_real.signal)
SIGNAL(sysv_signal, sysv_signal_set, rt_real.__sysv_signal)
SIGNAL(__sysv_signal, sysv_signal_set, rt_real.__sysv_signal)

RT_EXPORT int siginterrupt(int number, int interrupts)
{
	RT_SCOPE;
	struct sigaction act;
	if (!rt_enter())
		return rt_real.siginterrupt(number, interrupts);
	if (sigaction(number, NULL, &act) != 0)
		return -1;
	if (interrupts)
		sigaddset(&interrupting, number);
	else
		sigdelset(&interrupting, number);
	act.sa_flags = interrupts ? act.sa_flags & ~SA_RESTART : act.sa_flags | SA_RESTART;
	return sigaction(number, &act, NULL);
}

RT_EXPORT sighandler_t sigset(int number, sighandler_t handler)
{
	RT_SCOPE;
	sigset_t one, before;
	sighandler_t old = SIG_ERR;
	struct sigaction now;
	if (!rt_enter())
		return rt_real.sigset(number, handler);
	sigemptyset(&one);
	if (sigaddset(&one, number) != 0)
		return SIG_ERR;
	if (handler != SIG_HOLD)
		old = handler_set(number, handler, 0, false);
	else if (sigaction(number, NULL, &now) == 0)
		old = now.sa_handler;
	if (old == SIG_ERR)
		return SIG_ERR;
	sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &one, &before);
	return sigismember(&before, number) ? SIG_HOLD : old;
}
