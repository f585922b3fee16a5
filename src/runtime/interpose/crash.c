/* SPDX-License-Identifier: Apache-2.0
 *
 * crash.c - a signal that ends the program: which thread it met, and where
 *
 * Idea.   While the program leaves SIGSEGV, SIGABRT and their like to the system, the runtime
 *         handles them: it records the place, and lets the signal end the program as it would have.
 * Rules.  [again]   An instruction that faults does so again when the handler returns, now without
 *                   a handler: status, core file and fault address are those of the program alone.
 *                   Any other signal is sent again.
 *         [place]   In code without instrumentation the place is the call that led there, if it is
 *                   a call that the runtime stands in front of (rt_hot.calls_at).
 *         [whole]   A signal from elsewhere that meets the runtime at work, or a thread that waits
 *                   there, is not recorded: half a record may be in the channel.  A fault inside
 *                   the runtime is one of memory of the program, which the runtime never touches in
 *                   the middle of a record.
 *         [stack]   If the stack is full there is no room for the handler: nothing is recorded.
 */
#include "runtime/interpose/crash.h"

#include "runtime/access/stack.h"
#include "runtime/channel/record.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/signals.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/sched/sched.h"
#include "runtime/sys.h"

#undef NDEBUG /* with it, assert.h does not declare __assert_fail */
#include <assert.h>
#include <stdlib.h>
#include <ucontext.h>

extern const char __start_snag_rt_text[], __stop_snag_rt_text[];

static const int watched[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
enum { WATCHED = sizeof(watched) / sizeof(watched[0]) };
static bool is_watching;

static uintptr_t pc_of(const void *context)
{
	const ucontext_t *at = context;
	return (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
}

bool rt_crash_is_inside(const void *context)
{
	const char *pc = (const char *)pc_of(context);
	return pc >= __start_snag_rt_text && pc < __stop_snag_rt_text;
}

bool rt_crash_is_watched(int signal)
{
	for (int i = 0; is_watching && i < WATCHED; i++)
		if (watched[i] == signal)
			return true;
	return false;
}

void rt_crash_watch(void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction now, ours = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	if (!rt.listener.needs_places || !rt_options.handle_crashes)
		return;
	is_watching = true;
	for (int i = 0; i < WATCHED; i++)
		if (rt_real.sigaction(watched[i], NULL, &now) == 0 &&
		    !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL)
			rt_real.sigaction(watched[i], &ours, NULL);
}

static bool is_instruction(int signal, const siginfo_t *info)
{
	return info->si_code > 0 &&
	       (signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE);
}

/* Returns whether the calling thread may write records, after it took the baton if it must. */
static bool may_record(struct rt_thread *self, bool is_own, const void *context)
{
	const bool is_inside = rt_crash_is_inside(context);
	if (rt.is_free || self->state == RT_RUNNING) /* notes do not go to the ring of a thread */
		return is_own || !is_inside;	     /* [whole] */
	if (self->state != RT_OUT || (is_inside && !self->is_open))
		return false;
	rt_sched_in(self);
	return self->state == RT_RUNNING;
}

/* [place] */
static uint32_t place(const void *context)
{
	const uintptr_t pc = pc_of(context) + 1;
	const bool is_inside = rt_crash_is_inside(context);
	if (!is_inside && (rt_modules_instrumented(pc) || !rt_hot.calls_at))
		return rt_location(pc);
	return rt_hot.calls_at ? rt_location(rt_hot.calls_at) : rt_caller();
}

void rt_crash(int signal, const siginfo_t *info, const void *context)
{
	const bool is_own = is_instruction(signal, info);
	struct sigaction none = {.sa_handler = SIG_DFL};
	struct rt_thread *self = rt_self();
	rt_real.sigaction(signal, &none, NULL); /* a second one ends the program at once */
	if (self && rt.listener.needs_places && may_record(self, is_own, context)) {
		if (is_own)
			rt_put(RT_NOTE, 0, (uintptr_t)info->si_addr, 0, RT_NOTE_FAULT);
		rt_put(RT_NOTE, (unsigned)signal, self->as, place(context), RT_NOTE_CRASH);
	}
	if (!is_own) /* [again] */
		rt_crash_die(signal);
}

void rt_crash_die(int signal)
{
	struct sigaction none = {.sa_handler = SIG_DFL};
	sigset_t only;
	sigemptyset(&only);
	sigaddset(&only, signal);
	rt_real.sigaction(signal, &none, NULL);
	rt_sys(SYS_tgkill, rt_sys_getpid(), rt_sys_gettid(), signal, 0, 0, 0);
	rt_sys(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&only, 0, NSIG / 8, 0, 0);
}

/* [place] */

RT_EXPORT void abort(void)
{
	rt_begin_once();
	rt_hot.calls_at = RT_CALLER;
	rt_real.abort();
	__builtin_unreachable();
}

RT_EXPORT void __assert_fail(const char *text, const char *file, unsigned line,
			     const char *function)
{
	rt_begin_once();
	rt_hot.calls_at = RT_CALLER;
	rt_real.__assert_fail(text, file, line, function);
	__builtin_unreachable();
}
