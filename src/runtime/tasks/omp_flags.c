/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_flags.c - what atomics and flushes of OpenMP order; initialisations that happen once
 */
#include "runtime/tasks/omp_flags.h"

#include "runtime/table.h"
#include "runtime/tasks/omp_sections.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sections.h"
#include "trace/event.h"

#include <string.h>

enum { LEAST_ROOM = 256, LEAST_SEQUENCE = 4, SEQUENCE = 256 };

enum { ACQUIRE = 2, RELEASE, ACQ_REL, SEQ_CST }; /* C11's orders; 1 is consume */

struct flag {
	uint64_t addr;
	uint32_t version; /* the version of the sequence, among those of all flags */
	uint32_t n, cap;
	uint32_t *promise;
	uint32_t last_as; /* the task of the last one */
	bool is_once;
	/* The last write was relaxed, and no flush came before: the task, + 1. */
	uint32_t relaxed_by;
};

static struct snag_keyed flags = {.elem = sizeof(struct flag)}; /* by address */
static uint32_t versions;

static struct flag *flag_made(uintptr_t addr)
{
	return rt_table_get(&flags, addr);
}

void rt_flags_forget(void)
{
	struct flag *f = (struct flag *)flags.at;
	for (size_t i = 0; i < flags.nslots; i++)
		if (f[i].addr)
			rt_free(f[i].promise, f[i].cap * sizeof(*f[i].promise));
	rt_table_done(&flags);
}

static void sequence_get(const struct flag *f, uint32_t loc)
{
	for (uint32_t i = 0; i < f->n; i++)
		rt_put(RT_TASK, SNAG_OP_PROMISE_GET, 0, loc, f->promise[i]);
}

/* Adds a promise to the sequence; it replaces the last one, if the same task set that. */
static void sequence_add(struct flag *f, uint32_t as, uint32_t promise)
{
	f->version = ++versions;
	if (f->n > 0 && f->last_as == as)
		f->n--;
	f->last_as = as;
	if (f->n == f->cap) {
		uint32_t *old = f->promise, cap = f->cap ? 2 * f->cap : LEAST_SEQUENCE;
		f->promise = rt_alloc(cap * sizeof(*f->promise));
		if (old)
			memcpy(f->promise, old, f->n * sizeof(*old));
		rt_free(old, f->cap * sizeof(*old));
		f->cap = cap;
	}
	f->promise[f->n++] = promise;
}

/* Sets a promise for all earlier events of the context. */
static uint32_t promise_set(uint32_t loc)
{
	uint32_t promise = rt_promise_new();
	rt_put(RT_TASK, SNAG_OP_PROMISE_SET, 0, loc, promise);
	return promise;
}

static void flag_acquire(const struct flag *f, uint32_t loc) /* [acquire] */
{
	struct rt_flags *own = &rt_hot.self->omp.flags;
	if (f->relaxed_by && f->relaxed_by != own->as + 1)
		rt_put(RT_NOTE, 0, RT_OBSTACLE_RELAXED_WRITE, loc, RT_NOTE_OBSTACLE);
	if (own->seen == f->version)
		return; /* a task that reads the flag again gets nothing new */
	own->seen = f->version;
	sequence_get(f, loc);
}

/* Returns the flags that the running task has read and set. */
static struct rt_flags *own_flags(void)
{
	const struct rt_thread *self = rt_hot.self;
	rt_record_settle();
	if (self->omp.flags.as != self->as)
		rt_hot.self->omp.flags = (struct rt_flags){.as = self->as};
	return &rt_hot.self->omp.flags;
}

static void glance(struct rt_flags *own, uintptr_t addr)
{
	for (uint32_t i = 0; i < own->nglances; i++)
		if (own->glance[i] == addr)
			return;
	if (own->nglances < RT_GLANCES)
		own->glance[own->nglances++] = addr;
}

static void flag_release(struct flag *f, const struct rt_flags *own, int order, uint32_t loc)
{
	if (order < RELEASE && !own->released) {
		f->relaxed_by = f->n == 0 ? own->as + 1 : f->relaxed_by;
		return;
	}
	if (f->n >= SEQUENCE) { /* [long] */
		sequence_get(f, loc);
		f->n = 0;
	}
	sequence_add(f, own->as, order >= RELEASE ? promise_set(loc) : own->released - 1);
}

void rt_flag(enum rt_op op, bool takes, uintptr_t addr, int order, uint32_t loc)
{
	struct flag *f = flag_made(addr);
	struct rt_flags *own = own_flags();
	if (op == RT_ATOMIC_READ ||
	    (op == RT_ATOMIC_UPDATE && (takes || rt_sections_orders_all()))) {
		if (order == ACQUIRE || order >= ACQ_REL)
			flag_acquire(f, loc);
		else
			glance(own, addr);
	}
	if (op == RT_ATOMIC_READ)
		return;
	if (op == RT_ATOMIC_WRITE)
		f->n = f->relaxed_by = 0;
	flag_release(f, own, order, loc);
}

static struct {
	bool is_open;
	unsigned n;
	struct {
		uintptr_t addr;
		int order;
	} count[RT_GLANCES];
} isolated; /* the open block, and the counters that were updated there */

void rt_flags_isolated(bool begins, uint32_t loc)
{
	isolated.is_open = begins;
	for (unsigned i = 0; !begins && i < isolated.n; i++)
		rt_flag_counted(false, isolated.count[i].addr, isolated.count[i].order, loc);
	isolated.n = 0;
}

void rt_flag_counted(bool is_last, uintptr_t addr, int order, uint32_t loc) /* [last] */
{
	if (isolated.is_open) {
		if (isolated.n < RT_GLANCES) {
			isolated.count[isolated.n].addr = addr;
			isolated.count[isolated.n++].order = order;
		}
		return;
	}
	struct flag *f = flag_made(addr);
	struct rt_flags *own = own_flags();
	if (is_last && (order == ACQUIRE || order >= ACQ_REL)) {
		flag_acquire(f, loc);
		f->n = 0;
	} else if (is_last) {
		glance(own, addr);
	}
	flag_release(f, own, order, loc);
}

void rt_flag_once(enum rt_op op, uintptr_t addr, uint32_t loc) /* [once] */
{
	int order = op == RT_ATOMIC_WRITE ? RELEASE : ACQUIRE;
	rt_put(op, 1, addr, loc, (uint32_t)order);
	if (rt.orders_blocks)
		rt_sections_passed(
			rt_hot.self->tid); /* without waiting: another order does not exist */
	if (!rt.is_of_tasks || rt.is_alone)
		return;
	rt_flag(op, false, addr, order, loc);
	flag_made(addr)->is_once = true;
}

bool rt_flag_is_known(uintptr_t addr)
{
	const struct flag *f = snag_keyed_find(&flags, addr);
	return f && f->is_once;
}

void rt_flags_flush(uint32_t loc)
{
	struct rt_flags *own = own_flags();
	for (uint32_t i = 0; i < own->nglances; i++) {
		const struct flag *f = snag_keyed_find(&flags, own->glance[i]);
		if (f)
			flag_acquire(f, loc);
	}
	own->nglances = 0;
	own->released = promise_set(loc) + 1;
}
