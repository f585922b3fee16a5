/* SPDX-License-Identifier: Apache-2.0
 *
 * watchdog.c - takes the baton from a thread that sleeps in code without instrumentation
 *
 * Idea.   A library that was not compiled with snag may block, or spin: in getchar, in a lock of
 *         its own, in a system call that the runtime does not replace.  Then no other thread could
 *         run.  The watchdog, a thread of the runtime, tests a few times in `stuck_ms` whether the
 *         same turn still has the same fuel.
 * Rules.  [asleep]  If the kernel says that the thread sleeps, the thread loses the baton.  It must
 *                   not be about to use it: its count of context switches shows that it has slept
 *                   without a break since before the watchdog took its fuel.
 *         [busy]    If the thread has computed for several times `stuck_ms` without an event, the
 *                   watchdog sends it a signal, and the thread gives the baton away itself, unless
 *                   it is in the runtime.  Only its own processor time counts, so that a busy
 *                   machine changes nothing.
 */
#include "runtime/sched/watchdog.h"

#include "runtime/fail.h"
#include "runtime/options.h"
#include "runtime/interpose/real.h"
#include "runtime/sched/sched.h"
#include "runtime/interpose/signals.h"
#include "runtime/sys.h"

#include <errno.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <signal.h>
#include <string.h>

enum { LOOKS = 3, BUSY = 4 };

static bool has_begun;
static pthread_t watchdog; /* the thread, unless threads run freely */
static bool has_thread;
static uint32_t is_over;	 /* a futex: the watchdog ends */
static uint64_t switches_before; /* of the thread last looked at */

/* The number behind `key` in /proc/self/task/TID/status, or -1. */
static int64_t status_number(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	int64_t number = 0;
	if (!at)
		return -1;
	for (at += strlen(key); *at == ' ' || *at == '\t'; at++)
		;
	for (; *at >= '0' && *at <= '9'; at++)
		number = 10 * number + (*at - '0');
	return number;
}

/* Whether it sleeps; *ret_switches says how often it has been switched so far. */
static bool sleeps(int kernel_tid, uint64_t *ret_switches)
{
	char text[4096];
	struct rt_line path = {.n = 0};
	rt_line_text(&path, "/proc/self/task/");
	rt_line_number(&path, (uint64_t)kernel_tid);
	rt_line_text(&path, "/status");
	path.text[path.n] = 0;
	long n = rt_sys_read_file(path.text, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = 0;
	const char *state = strstr(text, "State:\t");
	int64_t wanted = status_number(text, "\nvoluntary_ctxt_switches:");
	int64_t forced = status_number(text, "nonvoluntary_ctxt_switches:");
	*ret_switches = (uint64_t)(wanted + forced);
	return state && state[7] == 'S' && wanted >= 0;
}

static bool still_sleeps(struct rt_thread *t)
{
	uint64_t switches;
	return sleeps(t->kernel_tid, &switches) && switches == switches_before;
}

/* Nanoseconds that a thread has run. */
static uint64_t run_time(int kernel_tid)
{
	char text[128];
	struct rt_line path = {.n = 0};
	rt_line_text(&path, "/proc/self/task/");
	rt_line_number(&path, (uint64_t)kernel_tid);
	rt_line_text(&path, "/schedstat");
	path.text[path.n] = 0;
	long n = rt_sys_read_file(path.text, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	return (uint64_t)status_number(text, "");
}

/* The watchdog's notes about the thread that runs. */
struct watched {
	struct rt_thread *thread;
	uint64_t turn;
	int64_t fuel;
	int kernel_tid;
	int looks;	   /* how often in a row nothing had changed */
	uint64_t run_time; /* at the first of these looks */
};

static void look(struct watched *w)
{
	struct watched now = {.looks = 0};
	rt_sched_lock();
	now.thread = rt_sched.current;
	now.turn = rt_sched.turns;
	if (now.thread && now.thread->hot) {
		now.fuel = __atomic_load_n(&now.thread->hot->fuel, __ATOMIC_RELAXED);
		now.kernel_tid = now.thread->kernel_tid;
	}
	bool is_alone = !rt_sched.nready && !rt_sched.timed;
	rt_sched_unlock();
	if (!now.kernel_tid || is_alone) {
		w->looks = 0;
	} else if (now.thread == w->thread && now.turn == w->turn && now.fuel == w->fuel) {
		w->looks++;
	} else {
		*w = now;
		w->run_time = run_time(now.kernel_tid);
	}
}

static void *watch(void *unused)
{
	struct watched w = {.looks = 0};
	const uint64_t stuck = (uint64_t)rt_options.stuck_ms * 1000000;
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		if (rt_sys_futex_wait(&is_over, 0, rt_sys_now() + stuck / LOOKS) != -ETIMEDOUT)
			continue;
		look(&w);
		if (rt.is_waiting) /* what it did not do until now says nothing when it goes on */
			w.looks = 0;
		if (w.looks < LOOKS)
			continue;
		if (sleeps(w.kernel_tid, &switches_before)) {
			rt_sched_revoke(w.thread, w.turn, still_sleeps);
			w.looks = 0;
		} else if (run_time(w.kernel_tid) - w.run_time > BUSY * stuck) {
			rt_signals_ask(w.kernel_tid);
			w.looks = 0;
		}
	}
	return unused;
}

void rt_watchdog_begin(void)
{
	pthread_attr_t attr;
	sigset_t all, old;
	if (has_begun || rt_options.stuck_ms <= 0)
		return;
	has_begun = true;
	rt_signals_watch();
	if (rt.is_free)
		return;
	rt_sys(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN + 16384);
	has_thread = rt_real.pthread_create(&watchdog, &attr, watch, NULL) == 0;
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void rt_watchdog_forked(void)
{
	has_begun = has_thread = false;
}

void rt_watchdog_end(void)
{
	if (!has_thread)
		return;
	has_thread = false;
	__atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
	rt_sys_futex_wake(&is_over, 1);
	rt_real.pthread_join(watchdog, NULL);
}
