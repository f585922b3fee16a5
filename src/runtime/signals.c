/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.c - signal handlers of the program, which run only at their turn
 *
 * Idea.   A handler is code of the program: what it does is recorded, so its thread must
 *         have the baton, and the runtime must not be in the middle of something.
 * Rules.  [fault]    a signal the thread itself caused (SIGSEGV ...) is handled at once
 *         [here]     so is one that meets the thread running its own code
 *         [out]      one that meets it in a system call outside its turn: it takes the
 *                    baton for the handler
 *         [later]    one that meets it inside the runtime, waiting for its turn or at
 *                    work, is kept, and handled when the thread next has the baton and
 *                    nothing in its hands; a wait is interrupted for it
 *         The code of the runtime is one section, so that the place of the interruption
 *         tells these apart.
 */
#include "runtime/signals.h"

#include "runtime/real.h"
#include "runtime/sched.h"
#include "runtime/sys.h"

#include <errno.h>
#include <string.h>
#include <ucontext.h>

typedef void handler_fn(int, siginfo_t *, void *);

extern const char __start_snag_rt_text[], __stop_snag_rt_text[];

static struct sigaction given[NSIG]; /* as the program asked for them */

static bool is_fault(int signal, const siginfo_t *info)
{
	bool is_kind = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
		       signal == SIGFPE || signal == SIGTRAP || signal == SIGABRT;
	return is_kind && info && (info->si_code > 0 || signal == SIGABRT);
}

static bool is_inside(const void *context)
{
	const ucontext_t *at = context;
	const char *pc = (const char *)at->uc_mcontext.gregs[REG_RIP];
	return pc >= __start_snag_rt_text && pc < __stop_snag_rt_text;
}

static void handle(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *a = &given[signal];
	if (a->sa_flags & SA_SIGINFO)
		a->sa_sigaction(signal, info, context);
	else if (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN)
		a->sa_handler(signal);
}

/* [later] In the handler, on top of whatever the runtime was doing. */
static void keep(struct rt_thread *self, int signal, const siginfo_t *info)
{
	if (self->npending < RT_PENDING) {
		self->pending[self->npending] = signal;
		memcpy(&self->pending_info[self->npending], info, sizeof(*info));
		self->npending++;
	}
	/* The next event sees to it; how many there were in this turn stays right. */
	self->turn_fuel -= rt_hot.fuel;
	rt_hot.fuel = 0;
}

static void trampoline(int signal, siginfo_t *info, void *context)
{
	struct rt_thread *self = rt_self();
	int error = errno;
	if (!self || is_fault(signal, info)) {
		handle(signal, info, context);
	} else if (is_inside(context) || self->state == RT_READY || self->state == RT_BLOCKED) {
		keep(self, signal, info);
	} else if (self->state == RT_OUT) {
		bool was_revoked = self->was_revoked;
		rt_sched_in(self);
		handle(signal, info, context);
		rt_sched_out(self);
		self->was_revoked = was_revoked;
	} else {
		handle(signal, info, context);
	}
	errno = error;
}

bool rt_signals_run(struct rt_thread *self)
{
	bool has_run = self->npending > 0;
	while (self->npending > 0) {
		int signal = self->pending[0];
		siginfo_t info;
		memcpy(&info, &self->pending_info[0], sizeof(info));
		self->npending--;
		memmove(self->pending, self->pending + 1, self->npending * sizeof(*self->pending));
		memmove(self->pending_info, self->pending_info + 1,
			self->npending * sizeof(*self->pending_info));
		int error = errno;
		handle(signal, &info, NULL);
		errno = error;
	}
	return has_run;
}

/* From the watchdog: the thread has computed for long without an event. */
static void asked(int number, siginfo_t *info, void *context)
{
	struct rt_thread *self = rt_self();
	if (!self || self->state != RT_RUNNING || is_inside(context))
		return;
	self->was_revoked = true; /* asks for the baton again at its next event */
	rt_sched_out(self);
}

void rt_signals_watch(void)
{
	struct sigaction act = {.sa_sigaction = asked, .sa_flags = SA_SIGINFO | SA_RESTART};
	rt_real.sigaction(RT_SIGNAL, &act, NULL);
}

RT_EXPORT int sigaction(int signal, const struct sigaction *act, struct sigaction *ret_old)
{
	if (!rt_enter() || signal <= 0 || signal >= NSIG)
		return rt_real.sigaction(signal, act, ret_old);
	struct sigaction now, *before = &given[signal], old = *before;
	if (act) {
		bool is_handler = act->sa_flags & SA_SIGINFO ||
				  (act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN);
		*before = *act;
		now = *act;
		if (is_handler) {
			now.sa_sigaction = trampoline;
			now.sa_flags |= SA_SIGINFO;
			rt_sched.has_handlers = true;
		}
	}
	struct sigaction real_old;
	int rc = rt_real.sigaction(signal, act ? &now : NULL, &real_old);
	bool was_ours =
		rc == 0 && real_old.sa_flags & SA_SIGINFO && real_old.sa_sigaction == trampoline;
	if (rc != 0)
		*before = old;
	else if (ret_old)
		*ret_old = was_ours ? old : real_old;
	return rc;
}

RT_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
	if (!rt_enter())
		return rt_real.signal(number, handler);
	return sigaction(number, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}
