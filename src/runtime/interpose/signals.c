/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.c - signal handlers of the program, which run only at their turn
 *
 * Idea.   A handler is code of the program, and snag records its events.  So its thread must have
 *         the baton, and must not be inside the runtime.
 * Rules.  [fault]    If the thread itself caused the signal (SIGSEGV ...), its handler runs at
 *                    once.
 *         [here]     Likewise if the signal interrupts the program's own code.
 *         [out]      If it interrupts a system call outside the thread's turn, or the way there,
 *                    the thread takes the baton for the handler.
 *         [later]    If it interrupts the runtime, at work or waiting for a turn, the runtime keeps
 *                    the signal.  Its handler runs when the thread next has the baton and leaves
 *                    the runtime; the signal ends a wait for that.  The handler has the mask that
 *                    the kernel would have given it.
 *         [blocked]  If the thread blocks a kept signal by then (it runs a handler whose mask has
 *                    the signal, or has called pthread_sigmask), the signal goes back to the
 *                    kernel, which delivers it again when the thread unblocks it: by sigsuspend,
 *                    say.  All other handlers run, also inside a handler, which may wait for them.
 *         [order]    Events before sigaction come before the handler that it sets.
 *         [unsafe]   A handler that runs where the program does not expect it must neither allocate
 *                    memory nor change errno: misuse.h.
 *         [ours]     The program may use RT_SIGNAL, too.  Signals of the runtime carry a value of
 *                    their own.
 *         [crash]    A signal of crash.c that the program leaves to the system goes there.
 *         [tasks]    In a program of tasks, which have no turns, every handler runs at once, and
 *                    is not observed: it is no part of the task that it interrupts
 *         The code of the runtime is one section, so the interrupted address says which rule holds.
 *         No signal is lost between a look and a sleep: a signal that is kept changes the word
 *         that the thread is about to sleep on (rt_baton_wait), and a thread that leaves for the
 *         kernel first opens, then looks (rt_signals_open).
 * State.  pending[], a ring that only the thread itself and its handlers touch: a handler
 *         takes a place with one instruction, so that handlers may nest
 */
#include "runtime/interpose/signals.h"

#include "runtime/access/access.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/crash.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/real.h"
#include "runtime/options.h"
#include "runtime/sched/sched.h"
#include "runtime/interpose/sync.h"
#include "runtime/sys.h"

#include <errno.h>
#include <string.h>
#include <ucontext.h>

typedef void handler_fn(int, siginfo_t *, void *);

static bool is_watching;
static struct sigaction given[NSIG]; /* the handlers of the program */

static bool is_fault(int signal, const siginfo_t *info)
{
	bool is_kind = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL ||
		       signal == SIGFPE || signal == SIGTRAP || signal == SIGABRT;
	return is_kind && info && (info->si_code > 0 || signal == SIGABRT);
}

static bool is_inside(const void *context)
{
	return rt_crash_is_inside(context);
}

static void handle(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *a = &given[signal];
	if (a->sa_flags & SA_SIGINFO)
		a->sa_sigaction(signal, info, context);
	else if (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN)
		a->sa_handler(signal);
}

/* A signal that the thread sends to itself meets it where the program expects it. */
static bool is_sent_here(const siginfo_t *info)
{
	return rt_hot.self->signals.sends == info->si_signo;
}

static void errno_check(struct rt_thread *self, int signal, int before)
{
	const struct sigaction *a = &given[signal];
	RT_SCOPE;
	if (errno != before && signal != SIGTERM && self == rt_enter())
		rt_misuse(RT_MISUSE_SIGNAL_ERRNO, (uint64_t)signal, (uintptr_t)a->sa_handler + 1);
}

/* [order] The thread is not inside the runtime. */
static void handle_seen(int signal, siginfo_t *info, void *context)
{
	struct rt_thread *self = rt_hot.self;
	const bool is_here = is_sent_here(info);
	const int before = errno, outer = self->signals.handles;
	const int ignores_sync = self->ignoring.sync;
	self->ignoring.sync = 0; /* the handler is not in the code that it meets */
	{
		RT_SCOPE;
		if (rt_sched_point())
			rt_sync_acquire((uintptr_t)&given[signal], RT_CALLER);
	}
	if (!is_here)
		self->signals.handles = signal;
	handle(signal, info, context);
	self->signals.handles = outer;
	self->ignoring.sync = ignores_sync;
	if (!is_here)
		errno_check(self, signal, before);
}

/* [later] Keeps a signal that interrupted the runtime.  When the ring is full, the same signals
 * have come many times, and are merged into one. */
static void keep(struct rt_thread *self, int signal, const siginfo_t *info)
{
	uint32_t place = __atomic_load_n(&self->signals.kept, __ATOMIC_RELAXED);
	uint32_t go = __atomic_load_n(&self->sched.go, __ATOMIC_RELAXED);
	do
		if (place - self->signals.run == RT_PENDING)
			return;
	while (!__atomic_compare_exchange_n(&self->signals.kept, &place, place + 1, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	struct rt_pending *p = &self->signals.pending[place % RT_PENDING];
	p->signal = signal;
	memcpy(&p->info, info, sizeof(*info));
	while (go != RT_GO && !__atomic_compare_exchange_n(&self->sched.go, &go, RT_LOOK, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* [out] The thread takes the baton for the handler, and goes back to where it was. */
static void handle_outside(struct rt_thread *self, int signal, siginfo_t *info, void *context)
{
	bool was_revoked = self->sched.was_revoked;
	rt_sched_in(self);
	handle_seen(signal, info, context);
	rt_sched_out(self);
	if (was_revoked) {
		rt_signals_close(self);
		self->sched.was_revoked = true;
	}
}

/* Threads run freely: runs the handler at once, unless the thread is in the runtime.  A thread in a
 * system call is outside the runtime and records nothing; the events of the handler are
 * recorded. */
static void handle_free(struct rt_thread *self, int signal, siginfo_t *info, void *context)
{
	bool was_open = self->is_open;
	if (self->state != RT_OUT || (!was_open && is_inside(context))) {
		keep(self, signal, info);
		rt_epoch_new(); /* the next access is not known, so it looks for signals */
		return;
	}
	rt_signals_close(self);
	unsigned depth = rt_scope_pause();
	handle_seen(signal, info, context);
	rt_scope_resume(depth);
	if (was_open)
		rt_sched_out(self);
}

/* [tasks] While the handler runs, the thread is unknown to the runtime. */
static void handle_unseen(struct rt_thread *self, int signal, siginfo_t *info, void *context)
{
	int64_t fuel = rt_hot.fuel;
	rt_hot.fuel = 0;
	rt_hot.self = NULL;
	handle(signal, info, context);
	rt_hot.self = self;
	if (self->state == RT_RUNNING)
		rt_hot.fuel = fuel;
}

/* Handles RT_SIGNAL: the thread has computed for long without an event, or was cancelled. */
static void interrupted(const void *context)
{
	struct rt_thread *self = rt_self();
	if (!self)
		return;
	if (rt.is_free) { /* a thread in the runtime looks when it leaves */
		if (self->state == RT_OUT && !self->is_open && !self->sched.is_locking)
			rt_cancel_anywhere(self);
		return;
	}
	if (is_inside(context))
		return;
	if (self->state == RT_OUT && self->sched.was_revoked && self->cancel.is_asynchronous)
		rt_sched_in(self);
	if (self->state != RT_RUNNING)
		return;
	rt_cancel_anywhere(self);
	rt_sched_out(self);
	rt_signals_close(self);
	self->sched.was_revoked = true; /* the thread takes the baton again at its next event */
}

static bool is_default(int signal)
{
	return !(given[signal].sa_flags & SA_SIGINFO) && given[signal].sa_handler == SIG_DFL;
}

/* The tool has reported something, and the options end the program at the first report. */
static void halt(void)
{
	/* pairs with the release in snag_launch_halt */
	uint32_t answer = rt.channel ? __atomic_load_n(&rt.channel->answer, __ATOMIC_ACQUIRE) : 0;
	if (answer && rt_options.halt_on_error)
		rt_sys_exit((int)answer - 1);
}

static void trampoline(int signal, siginfo_t *info, void *context)
{
	struct rt_thread *self = rt_self();
	int error = errno;
	if (signal == RT_SIGNAL)
		halt();
	if (signal == RT_SIGNAL && info->si_code == SI_QUEUE &&
	    info->si_value.sival_ptr == &is_watching)
		interrupted(context);
	else if (signal == RT_SIGNAL && is_default(signal)) /* [ours] its default action */
		rt_crash_die(signal);
	else if (is_default(signal) && rt_crash_is_watched(signal)) /* [crash] */
		rt_crash(signal, info, context);
	else if (!self || is_fault(signal, info))
		handle(signal, info, context);
	else if (rt.is_of_tasks)
		handle_unseen(self, signal, info, context);
	else if (rt.is_free)
		handle_free(self, signal, info, context);
	else if (self->state == RT_OUT && (self->is_open || !is_inside(context)))
		handle_outside(self, signal, info, context);
	else if (is_inside(context) || self->state == RT_READY || self->state == RT_BLOCKED)
		keep(self, signal, info);
	else
		handle_seen(signal, info, context);
	errno = error;
}

void rt_signals_mask(const sigset_t *mask, sigset_t *ret_old)
{
	rt_sys(SYS_rt_sigprocmask, SIG_SETMASK, (long)mask, (long)ret_old, NSIG / 8, 0, 0);
}

void rt_signals_block(void)
{
	sigset_t all;
	sigfillset(&all);
	rt_signals_mask(&all, NULL);
}

/* Runs the handler as the kernel would have: with its mask, and a context. */
static void handle_kept(struct rt_pending *p)
{
	const struct sigaction *a = &given[p->signal];
	sigset_t mask, old;
	ucontext_t context;
	rt_signals_mask(NULL, &old);
	sigorset(&mask, &old, &a->sa_mask);
	if (!(a->sa_flags & SA_NODEFER))
		sigaddset(&mask, p->signal);
	getcontext(&context);
	rt_signals_mask(&mask, NULL);
	handle_seen(p->signal, &p->info, &context);
	rt_signals_mask(&old, NULL);
}

/* [blocked] */
static bool goes_back(struct rt_pending *p)
{
	sigset_t mask;
	rt_signals_mask(NULL, &mask);
	return sigismember(&mask, p->signal) == 1 &&
	       rt_sys(SYS_rt_tgsigqueueinfo, rt_sys_getpid(), rt_sys_gettid(), p->signal,
		      (long)&p->info, 0, 0) == 0;
}

void rt_signals_run(struct rt_thread *self)
{
	while (rt_unlikely(rt_signals_pending(self))) {
		struct rt_pending p;
		int error = errno;
		memcpy(&p, &self->signals.pending[self->signals.run % RT_PENDING], sizeof(p));
		self->signals.run++;
		if (goes_back(&p))
			continue;
		unsigned depth = rt_scope_pause();
		handle_kept(&p);
		rt_scope_resume(depth);
		rt_enter();
		errno = error;
	}
}

bool rt_signals_open(struct rt_thread *self)
{
	__atomic_store_n(&self->is_open, true, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (rt_likely(!rt_signals_pending(self)))
		return true;
	rt_sched_in(self);
	return false;
}

void rt_signals_close(struct rt_thread *self)
{
	__atomic_store_n(&self->is_open, false, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void rt_signals_begin(void)
{
	rt_crash_watch(trampoline);
}

void rt_signals_watch(void)
{
	struct sigaction act = {.sa_sigaction = trampoline, .sa_flags = SA_SIGINFO | SA_RESTART};
	rt_real.sigaction(RT_SIGNAL, &act, NULL);
	is_watching = true;
}

void rt_signals_ask(int kernel_tid)
{
	siginfo_t info = {.si_signo = RT_SIGNAL, .si_code = SI_QUEUE};
	info.si_value.sival_ptr = &is_watching;
	if (is_watching)
		rt_sys(SYS_rt_tgsigqueueinfo, rt_sys_getpid(), kernel_tid, RT_SIGNAL, (long)&info,
		       0, 0);
}

RT_EXPORT int sigaction(int signal, const struct sigaction *act, struct sigaction *ret_old)
{
	RT_SCOPE;
	if (!rt_sched_point() || signal <= 0 || signal >= NSIG)
		return rt_real.sigaction(signal, act, ret_old);
	struct sigaction now, *before = &given[signal], old = *before;
	if (act) {
		bool is_handler = act->sa_flags & SA_SIGINFO ||
				  (act->sa_handler != SIG_DFL && act->sa_handler != SIG_IGN);
		*before = *act;
		now = *act;
		if (is_handler || (is_watching && signal == RT_SIGNAL) ||
		    (act->sa_handler == SIG_DFL && rt_crash_is_watched(signal))) {
			now.sa_sigaction = trampoline;
			now.sa_flags |= SA_SIGINFO;
		}
		if (is_handler) {
			rt_sync_release((uintptr_t)before, RT_CALLER); /* [order] */
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
	RT_SCOPE;
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
	if (!rt_enter())
		return rt_real.signal(number, handler);
	return sigaction(number, &act, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* [unsafe] The kernel delivers a signal that a thread sends to itself before the call returns.  A
 * signal of kill() may go to another thread. */
#define SENDS(name, is_here, parameters, arguments)   \
	RT_EXPORT int name parameters                 \
	{                                             \
		rt_begin_once();                      \
		struct rt_thread *self = rt_self();   \
		if (self && (is_here))                \
			self->signals.sends = number; \
		rt_hot.calls_at = RT_CALLER;          \
		int rc = rt_real.name arguments;      \
		rt_hot.calls_at = 0;                  \
		if (self)                             \
			self->signals.sends = 0;      \
		return rc;                            \
	}
SENDS(raise, true, (int number), (number))
SENDS(pthread_kill, pthread_equal(thread, pthread_self()), (pthread_t thread, int number),
      (thread, number))
