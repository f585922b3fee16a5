/* SPDX-License-Identifier: Apache-2.0
 *
 * drdp_tasks.c - what drdp does when tasks do something
 */
#include "detect/tasks/drdp.h"
#include "detect/tasks/task_event.h"

/* The operations that make up the order of tasks. */
#define ORDERING             \
	(SNAG_OPS_OF_TASKS & \
	 ~(SNAG_OP_BIT(ISOLATED_BEGIN) | SNAG_OP_BIT(ISOLATED_END) | SNAG_OPS_OF_UPDATES))

static __attribute__((noinline)) void refuse(struct drdp *d, const struct snag_event *ev,
					     uint32_t event, const char *why)
{
	d->env->on_refuse(d->env->ctx, ev, event, why);
	d->is_refused = true;
}

/* Returns whether the task of the event has begun; the first task begins by itself.  In a trace
 * that has not shown an event of tasks yet, others may have begun too. */
static bool has_begun(struct drdp *d, const struct snag_event *ev, uint32_t event)
{
	if (d->is_refused)
		return false;
	if (!d->has_begun) {
		d->has_begun = true;
		snag_task_order_first(&d->now.order, ev->thread);
	}
	if (snag_task_order_has_begun(&d->now.order, ev->thread))
		return true;
	refuse(d, ev, event, "no task created this one");
	return false;
}

static void guard_changed(struct drdp *d)
{
	d->guard = snag_guard_of(&d->guards, d->current);
	d->express.who = d->guard ? 0 : d->now.step;
}

bool snag_drdp_look(struct drdp *d, const struct snag_event *ev, uint32_t event)
{
	if (!has_begun(d, ev, event))
		return false;
	d->current = ev->thread;
	snag_drdp_begin(&d->now, ev->thread);
	guard_changed(d);
	return true;
}

/* Handles events that do not order steps. */
static void other_event(struct drdp *d, const struct snag_event *ev, uint32_t event)
{
	if (SNAG_OPS_OF_ATOMICS >> ev->op & 1) {
		snag_drdp_atomic(d, ev, event);
		return;
	}
	snag_guards_event(&d->guards, ev, d->ntasks);
	d->express.who = 0;
	if (ev->thread == d->current)
		guard_changed(d);
}

static inline void step_ends(struct drdp *d)
{
	d->now.step = d->express.who = 0;
}

static __attribute__((noinline)) void sync_slow(struct drdp *d, const struct snag_event *ev,
						uint32_t event)
{
	struct snag_task_order *o = &d->now.order;
	if (ev->op == SNAG_OP_FENCE || !has_begun(d, ev, event))
		return;
	if (!snag_dpst_has_room(&o->tree))
		snag_drdp_retire(d);
	if (!(ORDERING >> ev->op & 1)) {
		other_event(d, ev, event);
	} else if (!snag_task_order_more(o)) {
		refuse(d, ev, event, "too many tasks and finishes");
	} else {
		o->waited = SNAG_TASK_ORDER_NONE;
		snag_task_event(o, ev);
		if (!snag_task_order_is_plain(o))
			snag_drdp_waited(&d->now, 0);
		else if (o->waited != SNAG_TASK_ORDER_NONE)
			snag_drdp_waited(&d->now, o->waited);
		step_ends(d);
		if (ev->op == SNAG_OP_FINISH_END && o->nlive == 1)
			snag_drdp_retire_all(d);
	}
}

/* Returns whether an action of a task only changes the order of tasks: the task has begun, and
 * no answer lasts. */
static inline bool is_simple(const struct drdp *d, snag_tid task)
{
	return __builtin_expect(!d->express.has_lasting, 1) &&
	       __builtin_expect(snag_task_order_has_begun(&d->now.order, task), 1);
}

void snag_drdp_sync(void *state, const struct snag_event *ev, uint32_t event)
{
	struct drdp *d = state;
	if (!(ORDERING >> ev->op & 1) || d->is_refused || !is_simple(d, ev->thread) ||
	    !snag_task_order_has_room(&d->now.order)) {
		sync_slow(d, ev, event);
		return;
	}
	step_ends(d);
	snag_task_event(&d->now.order, ev);
	if (ev->op == SNAG_OP_FINISH_END && d->now.order.nlive == 1)
		snag_drdp_retire_all(d);
}

void snag_drdp_turn(void *state, snag_tid task)
{
	struct drdp *d = state;
	step_ends(d);
	if (d->express.has_lasting && (!snag_task_order_has_begun(&d->now.order, task) ||
				       !snag_task_order_is_alone(&d->now.order, task)))
		snag_drdp_waited(&d->now, 0);
}

static __attribute__((noinline)) void sync_turn(struct drdp *d, struct snag_event ev, snag_tid next)
{
	sync_slow(d, &ev, 0);
	snag_drdp_turn(d, next);
}

void snag_drdp_child(void *state, snag_tid task, snag_tid child, enum snag_op op)
{
	struct drdp *d = state;
	if (!is_simple(d, task) || !snag_task_order_has_room(&d->now.order)) {
		sync_turn(d, (struct snag_event){.thread = task, .target = child, .op = op}, child);
		return;
	}
	step_ends(d);
	if (op == SNAG_OP_TASK_SPAWN)
		snag_task_order_spawn(&d->now.order, task, child);
	else
		snag_task_order_create(&d->now.order, task, child);
}

void snag_drdp_ended(void *state, snag_tid task, snag_tid next)
{
	struct drdp *d = state;
	if (!is_simple(d, task)) {
		sync_turn(d, (struct snag_event){.thread = task, .op = SNAG_OP_TASK_END}, next);
		return;
	}
	step_ends(d);
	snag_task_order_end(&d->now.order, task);
}

/* For the first segment, and for one after a segment that did more. */
static __attribute__((noinline)) void segment_slow(struct drdp *d, snag_tid task, snag_tid segment)
{
	struct snag_task_order *o = &d->now.order;
	if (snag_task_order_has_begun(o, segment))
		snag_drdp_ended(d, segment, task);
	snag_drdp_child(d, task, segment, SNAG_OP_TASK_CREATE);
	if (!d->is_refused)
		snag_task_order_make_many(o, segment);
}

/* There is no room for another step. */
static __attribute__((noinline)) void steps_more(struct drdp *d, snag_tid segment)
{
	step_ends(d);
	snag_drdp_retire(d);
	if (d->now.order.tree.nsteps >= SNAG_DPST_MAX_STEPS)
		refuse(d, &(struct snag_event){.thread = segment, .op = SNAG_OP_TASK_CREATE}, 0,
		       "too many tasks");
}

void snag_drdp_segment(void *state, snag_tid task, snag_tid segment)
{
	struct drdp *d = state;
	if (d->is_refused)
		return;
	if (!snag_task_order_next(&d->now.order, segment)) {
		segment_slow(d, task, segment);
	} else if (!snag_dpst_has_room_for_step(&d->now.order.tree)) {
		steps_more(d, segment);
	} else if (d->now.step && d->current == segment) {
		snag_drdp_begin_next(&d->now, segment);
		d->express.who = d->guard ? 0 : d->now.step;
	} else {
		step_ends(d);
	}
}

static __attribute__((noinline)) void who_slow(struct drdp *d, snag_tid task)
{
	if (!d->now.step)
		snag_drdp_look(d, &(struct snag_event){.thread = task, .op = SNAG_OP_READ}, 0);
}

void snag_drdp_who(void *state, snag_tid task)
{
	struct drdp *d = state;
	if (!is_simple(d, task) || d->guards.held ||
	    !snag_dpst_has_room_for_step(&d->now.order.tree)) {
		who_slow(d, task);
		return;
	}
	d->express.who = snag_task_order_step(&d->now.order, task);
}

void snag_drdp_synced(void *state)
{
	((struct drdp *)state)->now.order.is_synced = true;
}
