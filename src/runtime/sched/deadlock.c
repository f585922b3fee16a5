/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlock.c - explains why no thread can run, or which threads wait for each other
 */
#include "runtime/sched/deadlock.h"

#include "runtime/fail.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/object.h"
#include "runtime/observe.h"
#include "runtime/options.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/stranger.h"
#include "runtime/sys.h"
#include "runtime/interpose/thread.h"

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
	const struct rt_object *o = t->wait.object;
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

static bool is_circle_reported;

/* Waits that end with an unlock, or with another thread, follow from these. */
static bool is_root(enum rt_kind kind)
{
	return kind == RT_COND || kind == RT_SEM || kind == RT_BARRIER;
}

/* Reports the waits that nothing can end.  A circle of locks has a report of its own, and the other
 * waits mostly follow from it. */
static void stuck_report(void)
{
	for (uint32_t i = 0; i < rt_sched.nthreads && !is_circle_reported; i++) {
		const struct rt_thread *t = rt_thread_at(i);
		if (t && t->state == RT_BLOCKED && t->wait.object && is_root(t->wait.object->kind))
			rt_misuse_stuck(t);
	}
}

void rt_deadlock(void)
{
	struct rt_line line = {.n = 0};
	if (!rt_options.detect_deadlocks || rt_sched.has_handlers || rt_stranger_may_come)
		return;
	rt_put(RT_NOTE, 0, 0, 0, RT_NOTE_DEADLOCK);
	stuck_report();
	rt_line_text(&line, "snag: deadlock: no thread can run");
	rt_line_print(&line);
	for (uint32_t i = 0; i < rt_sched.nthreads; i++) {
		struct rt_thread *t = rt_thread_at(i);
		if (t && t->state == RT_BLOCKED && t->wait.object)
			say_waiter(t);
	}
	rt_observe_exit((int)rt_options.exitcode);
}

enum { MAX_CIRCLE = 64 };

struct circle {
	const struct rt_thread *at[MAX_CIRCLE]; /* each waits for the next */
	uint32_t n;
};

static bool waits_without_end(const struct rt_thread *t)
{
	return t->state == RT_BLOCKED && t->wait.object && t->wait.deadline == RT_NEVER &&
	       (t->wait.object->kind == RT_MUTEX || t->wait.object->kind == RT_RWLOCK ||
		t->wait.object->kind == RT_THREAD);
}

static bool circle_follow(struct circle *c, const struct rt_thread *next);

/* Returns whether the last thread of the path waits for the first one. */
static bool circle_close(struct circle *c)
{
	const struct rt_object *o = c->at[c->n - 1]->wait.object;
	if (o->kind == RT_THREAD)
		return circle_follow(c, rt_thread_at(o->need));
	if (o->owner)
		return circle_follow(c, o->owner);
	for (const struct rt_reader *r = o->readers; r; r = r->next)
		if (circle_follow(c, r->thread))
			return true;
	return false;
}

static bool circle_follow(struct circle *c, const struct rt_thread *next)
{
	if (next == c->at[0])
		return c->n > 1;
	if (!next || c->n == MAX_CIRCLE || !waits_without_end(next))
		return false;
	for (uint32_t i = 1; i < c->n; i++)
		if (c->at[i] == next)
			return false;
	c->at[c->n++] = next;
	if (circle_close(c))
		return true;
	c->n--;
	return false;
}

static void wait_put(const struct rt_thread *t)
{
	const struct rt_object *o = t->wait.object;
	bool is_shared = o->kind == RT_RWLOCK && t->wait.to_read;
	if (o->kind == RT_THREAD)
		rt_put(RT_CIRCLE, RT_WAITS_THREAD, t->tid, t->wait.at, o->need);
	else
		rt_put(RT_CIRCLE, is_shared ? RT_WAITS_SHARED : RT_WAITS_ALONE, t->tid, t->wait.at,
		       o->lock);
}

void rt_circle(struct rt_thread *self)
{
	struct circle c = {.at = {self}, .n = 1};
	if (is_circle_reported || !rt_options.detect_deadlocks || !waits_without_end(self) ||
	    !circle_close(&c))
		return;
	is_circle_reported = true;
	for (uint32_t i = 0; i < c.n; i++)
		wait_put(c.at[i]);
	if (rt_options.stop_at_circle)
		rt_sys_exit((int)rt_options.exitcode);
}
