/* SPDX-License-Identifier: Apache-2.0
 *
 * misuse.c - mistakes that show in one call of the C library
 *
 * Idea.   Most mistakes with locks, threads and signal handlers show in one call.  Each is one
 *         record RT_MISUSE, behind a record RT_BEFORE if the runtime knows the earlier event.
 *         Initialising and destroying a lock are accesses to its memory, so that detectors find
 *         races with them.
 * Rules.  [options]  report_mutex_bugs, report_destroy_locked, report_thread_leaks and
 *                    report_signal_unsafe switch kinds off, as in ThreadSanitizer
 *         [tasks]    a program that judges itself reports none: it has no recorder
 *         [first]    a use of a lock is recorded once for each thread; of two threads whose numbers
 *                    differ by a multiple of 64, the second one is left out
 *         [caller]   uses in code that was not compiled with snag are left out (libc.c)
 */
#include "runtime/interpose/misuse.h"

#include "runtime/access/access.h"
#include "runtime/access/stack.h"
#include "runtime/channel/record.h"
#include "runtime/modules.h"
#include "runtime/options.h"

static bool is_wanted(enum rt_misuse what)
{
	if (!rt.listener.needs_places || !rt_options.report_bugs)
		return false;
	switch (what) {
	case RT_MISUSE_DESTROY_LOCKED:
		return rt_options.report_mutex_bugs && rt_options.report_destroy_locked;
	case RT_MISUSE_THREAD_LEAK:
		return rt_options.report_thread_leaks;
	case RT_MISUSE_STUCK:
		return rt_options.detect_deadlocks;
	case RT_MISUSE_SIGNAL_UNSAFE:
	case RT_MISUSE_SIGNAL_ERRNO:
		return rt_options.report_signal_unsafe;
	default:
		return rt_options.report_mutex_bugs;
	}
}

void rt_misuse(enum rt_misuse what, uint64_t object, uintptr_t pc)
{
	if (is_wanted(what) && !rt_hot.self->ignoring.accesses)
		rt_put(RT_MISUSE, what, object, rt_location(pc), rt_hot.self->as);
}

void rt_misuse_of_lock(enum rt_misuse what, const struct rt_object *o, uintptr_t pc)
{
	if (o->taken_at && is_wanted(what) && !rt_hot.self->ignoring.accesses)
		rt_put(RT_BEFORE, 0, 0, o->taken_at, o->taken_by);
	rt_misuse(what, o->addr, pc);
}

void rt_misuse_behind(enum rt_misuse what, uint64_t object, uintptr_t pc, uint32_t before)
{
	if (is_wanted(what) && !rt_hot.self->ignoring.accesses)
		rt_put(RT_BEFORE, 0, 0, before, rt_hot.self->as);
	rt_misuse(what, object, pc);
}

void rt_misuse_leak(const struct rt_thread *t)
{
	if (is_wanted(RT_MISUSE_THREAD_LEAK))
		rt_put(RT_MISUSE, RT_MISUSE_THREAD_LEAK, t->tid, t->life.created_at,
		       t->life.created_by);
}

void rt_misuse_kept(const struct rt_thread *t, const struct rt_object *o)
{
	if (is_wanted(RT_MISUSE_KEPT) && !t->ignoring.accesses)
		rt_put(RT_MISUSE, RT_MISUSE_KEPT, o->addr, o->taken_at, t->as);
}

void rt_misuse_stuck(const struct rt_thread *t)
{
	if (t->wait.at && is_wanted(RT_MISUSE_STUCK))
		rt_put(RT_MISUSE, RT_MISUSE_STUCK, t->wait.object->addr, t->wait.at, t->as);
}

void rt_misuse_ignores(const struct rt_thread *t)
{
	if (t->ignoring.accesses > 0 && t->ignoring.at && is_wanted(RT_MISUSE_IGNORES))
		rt_put(RT_MISUSE, RT_MISUSE_IGNORES, t->tid, t->ignoring.at, t->as);
}

void rt_misuse_in_handler(struct rt_thread *self, uintptr_t pc)
{
	rt_misuse(RT_MISUSE_SIGNAL_UNSAFE, (uint64_t)self->signals.handles, pc);
}

void rt_lock_used(struct rt_thread *self, struct rt_object *o, uintptr_t pc)
{
	const uint64_t bit = 1ull << self->tid % 64;
	if (rt_likely(o->users & bit) || rt.is_alone || !rt.listener.needs_places ||
	    !rt_modules_instrumented(pc))
		return;
	o->users |= bit;
	if (rt.is_free) { /* this record comes before the event, which may wait */
		rt_hot.fuel++;
		rt_access_more(o->addr, 1, false, pc);
		rt_hot.fuel--;
	} else
		rt_access_look(o->addr, pc, 0, false);
}

void rt_lock_written(uintptr_t addr, uintptr_t pc)
{
	if (rt.listener.needs_places && rt_modules_instrumented(pc))
		rt_access_more(addr, 1, true, pc);
}
