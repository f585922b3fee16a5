/* SPDX-License-Identifier: Apache-2.0
 *
 * atomic_orders.c - which earlier atomics an atomic operation of a task comes after, in one run
 */
#include "detect/tasks/atomic_orders.h"

#include "base/memory.h"

#include <stdlib.h>

enum { LONG = 256, PENDING = 4096 };

static const struct snag_promise_list none;

void snag_atomic_orders_done(struct snag_atomic_orders *a)
{
	for (size_t i = 0; i < a->sequence_cap; i++)
		free(a->sequence[i].list.at);
	for (size_t i = 0; i < a->task_cap; i++)
		free(a->task[i].pending.at);
	free(a->sequence);
	free(a->task);
	*a = (struct snag_atomic_orders){0};
}

void snag_atomic_orders_reserve(struct snag_atomic_orders *a, size_t ntasks, size_t nvariables)
{
	a->task = snag_grow(a->task, &a->task_cap, ntasks, sizeof(*a->task));
	a->sequence = snag_grow(a->sequence, &a->sequence_cap, nvariables, sizeof(*a->sequence));
}

static void list_add(struct snag_promise_list *list, uint32_t promise)
{
	list->at = snag_grow(list->at, &list->cap, list->n + 1, sizeof(*list->at));
	list->at[list->n++] = promise;
}

static bool acquires(const struct snag_event *ev)
{
	enum snag_order order = ev->flags & SNAG_ORDER_MASK;
	return order == SNAG_CONSUME || order == SNAG_ACQUIRE || order >= SNAG_ACQ_REL;
}

static bool releases(const struct snag_event *ev)
{
	return (ev->flags & SNAG_ORDER_MASK) >= SNAG_RELEASE;
}

static bool is_long(const struct snag_event *ev, const struct snag_promise_list *list,
		    bool commutes) /* [long] */
{
	return ev->op == SNAG_OP_ATOMIC_UPDATE && releases(ev) && !commutes && list->n >= LONG;
}

const struct snag_promise_list *snag_atomic_acquires(struct snag_atomic_orders *a,
						     const struct snag_event *ev, bool commutes)
{
	struct snag_atomic_task *task = &a->task[ev->thread];
	if (ev->op == SNAG_OP_FENCE) /* [fence] */
		return acquires(ev) ? &task->pending : &none;
	if (ev->op == SNAG_OP_ATOMIC_WRITE || commutes) /* [commutes] */
		return &none;
	const struct snag_promise_list *list = &a->sequence[ev->target].list;
	if (acquires(ev) || is_long(ev, list, commutes))
		return list;
	if (task->pending.n >= PENDING)
		task->pending.n = 0;
	for (size_t i = 0; i < list->n && list->n < LONG; i++)
		list_add(&task->pending, list->at[i]);
	return &none;
}

static bool fence_releases(struct snag_atomic_task *task, const struct snag_event *ev,
			   uint32_t fresh) /* [fence] */
{
	if (acquires(ev))
		task->pending.n = 0;
	if (!releases(ev))
		return false;
	task->released = fresh + 1;
	return true;
}

bool snag_atomic_releases(struct snag_atomic_orders *a, const struct snag_event *ev, bool commutes,
			  uint32_t fresh)
{
	struct snag_atomic_task *task = &a->task[ev->thread];
	if (ev->op == SNAG_OP_FENCE)
		return fence_releases(task, ev, fresh);
	if (ev->op == SNAG_OP_ATOMIC_READ)
		return false;
	struct snag_atomic_sequence *s = &a->sequence[ev->target];
	bool is_new = releases(ev);
	bool covers = ev->op == SNAG_OP_ATOMIC_WRITE || (is_new && acquires(ev) && !commutes) ||
		      is_long(ev, &s->list, commutes);
	if (covers) /* [write] [update] */
		s->list.n = 0;
	if (!is_new && !task->released)
		return false;
	if (is_new && s->list.n && s->last == ev->thread)
		s->list.n--; /* the task has set that promise before */
	list_add(&s->list, is_new ? fresh : task->released - 1);
	s->last = ev->thread;
	return is_new;
}
