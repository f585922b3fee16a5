/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlock.c - no thread can run: say why
 */
#include "runtime/deadlock.h"

#include "runtime/fail.h"
#include "runtime/object.h"
#include "runtime/observe.h"
#include "runtime/options.h"
#include "runtime/record.h"
#include "runtime/sched.h"
#include "runtime/stranger.h"
#include "runtime/sys.h"
#include "runtime/thread.h"

static const char *const kind_name[] = {
	[RT_MUTEX] = "mutex",	      [RT_ANNOTATED] = "lock",
	[RT_RWLOCK] = "rwlock",	      [RT_COND] = "condition variable",
	[RT_BARRIER] = "barrier",     [RT_SEM] = "semaphore",
	[RT_FUTEX] = "futex",	      [RT_ONCE] = "once",
	[RT_THREAD] = "the end of T", [RT_SYNC] = "object",
	[RT_FILE] = "file",
};

static void say_waiter(const struct rt_thread *t)
{
	struct rt_line line = {.n = 0};
	const struct rt_object *o = t->waits_for;
	rt_line_text(&line, "  T");
	rt_line_number(&line, t->tid);
	rt_line_text(&line, " waits for ");
	rt_line_text(&line, kind_name[o->kind]);
	if (o->kind == RT_THREAD) {
		rt_line_number(&line, o->need);
	} else {
		rt_line_text(&line, " ");
		rt_line_hex(&line, o->addr);
	}
	if (o->owner) {
		rt_line_text(&line, ", held by T");
		rt_line_number(&line, o->owner->tid);
	}
	rt_line_print(&line);
}

void rt_deadlock(void)
{
	struct rt_line line = {.n = 0};
	if (!rt_options.detect_deadlocks || rt_sched.has_handlers || rt_stranger_may_come)
		return;
	rt_put(RT_NOTE, 0, 0, 0, RT_NOTE_DEADLOCK);
	rt_line_text(&line, "snag: deadlock: no thread can run");
	rt_line_print(&line);
	for (uint32_t i = 0; i < rt_sched.nthreads; i++) {
		struct rt_thread *t = rt_thread_at(i);
		if (t && t->state == RT_BLOCKED && t->waits_for)
			say_waiter(t);
	}
	rt_observe_exit((int)rt_options.exitcode);
}
