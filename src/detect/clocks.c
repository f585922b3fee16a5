/* SPDX-License-Identifier: Apache-2.0
 *
 * clocks.c - happens-before time of threads and locks
 */
#include "detect/clocks.h"

#include "base/memory.h"

#include <string.h>

void snag_clocks_init(struct snag_clocks *c)
{
	memset(c, 0, sizeof(*c));
	snag_vclock_pool_init(&c->pool);
}

void snag_clocks_done(struct snag_clocks *c)
{
	for (size_t i = 0; i < c->nthreads; i++) {
		snag_vclock_drop(&c->pool, c->thread[i].now);
		snag_vclock_drop(&c->pool, c->thread[i].fence);
		snag_vclock_drop(&c->pool, c->thread[i].loaded);
	}
	for (size_t i = 0; i < c->lock_cap; i++) {
		snag_vclock_drop(&c->pool, c->lock[i].exclusive.clock);
		snag_vclock_drop(&c->pool, c->lock[i].shared);
	}
	for (size_t i = 0; i < c->natomics; i++)
		snag_vclock_drop(&c->pool, c->atomic[i].released);
	snag_slots_done(&c->atomics);
	free(c->thread);
	free(c->lock);
	free(c->atomic);
	snag_vclock_pool_done(&c->pool);
}

void snag_clocks_reserve(struct snag_clocks *c, const struct snag_batch *batch)
{
	size_t nthreads =
		snag_seats_reserve(&c->pool.seats, batch->counts.n[SNAG_SPACE_THREAD], batch->n);
	c->thread = snag_grow(c->thread, &c->thread_cap, nthreads, sizeof(*c->thread));
	for (; c->nthreads < nthreads; c->nthreads++)
		c->thread[c->nthreads].now = snag_vclock_share(c->pool.empty);
	c->lock = snag_grow(c->lock, &c->lock_cap, batch->counts.n[SNAG_SPACE_LOCK],
			    sizeof(*c->lock));
}

void snag_stamp_set(struct snag_clocks *c, struct snag_stamp *stamp, uint32_t thread, uint32_t time)
{
	struct snag_vclock *now = c->thread[thread].now;
	if (stamp->clock != now) {
		snag_vclock_drop(&c->pool, stamp->clock);
		stamp->clock = snag_vclock_share(now);
	}
	stamp->thread = thread;
	stamp->time = time;
}

void snag_clocks_join_slow(struct snag_clocks *c, uint32_t thread, const struct snag_stamp *stamp)
{
	snag_vclock_join(&c->pool, &c->thread[thread].now, stamp->clock, stamp->thread,
			 stamp->time);
}

/* Joins into *to, which may be NULL, all that `thread` knows and has done before `time`. */
static void join_into(struct snag_clocks *c, struct snag_vclock **to, uint32_t thread,
		      uint32_t time)
{
	if (!*to)
		*to = snag_vclock_share(c->pool.empty);
	snag_vclock_join(&c->pool, to, c->thread[thread].now, thread, time);
}

static void acquire(struct snag_clocks *c, const struct snag_event *ev)
{
	struct snag_lock_clock *l = &c->lock[ev->target];
	snag_clocks_join(c, ev->thread, &l->exclusive);
	if (l->shared)
		snag_vclock_join(&c->pool, &c->thread[ev->thread].now, l->shared, ev->thread, 0);
}

/* [fork] `t` is the seat of the forker. */
static void fork_thread(struct snag_clocks *c, uint32_t t, uint32_t thread, uint32_t event)
{
	struct snag_seats *seats = &c->pool.seats;
	uint32_t before, seat = snag_seats_take(seats, thread, c->thread[t].now, &before);
	struct snag_thread_clock *u = &c->thread[seat];
	if (before != thread) {
		seats->thread[before].last = u->now;
		snag_vclock_drop(&c->pool, u->fence);
		snag_vclock_drop(&c->pool, u->loaded);
		*u = (struct snag_thread_clock){.now = snag_vclock_share(c->pool.empty)};
	}
	join_into(c, &u->now, t, event + 1);
}

static void join_thread(struct snag_clocks *c, uint32_t t, uint32_t thread, uint32_t event)
{
	uint32_t seat = snag_clocks_seat(c, thread);
	snag_seats_leave(&c->pool.seats, thread, event);
	const struct snag_seated *u = &c->pool.seats.thread[thread];
	snag_vclock_join(&c->pool, &c->thread[t].now, u->last ? u->last : c->thread[seat].now, seat,
			 u->end);
}

static void release(struct snag_clocks *c, const struct snag_event *ev, uint32_t event)
{
	struct snag_lock_clock *l = &c->lock[ev->target];
	snag_stamp_set(c, &l->exclusive, ev->thread, event + 1);
	if (l->shared) { /* the holder has taken them in at its acquire */
		snag_vclock_drop(&c->pool, l->shared);
		l->shared = NULL;
	}
}

/* [atomic] */

static bool acquires(enum snag_order order)
{
	return order == SNAG_CONSUME || order == SNAG_ACQUIRE || order == SNAG_ACQ_REL ||
	       order == SNAG_SEQ_CST;
}

static bool releases(enum snag_order order)
{
	return order == SNAG_RELEASE || order == SNAG_ACQ_REL || order == SNAG_SEQ_CST;
}

static void clock_replace(struct snag_clocks *c, struct snag_vclock **to, struct snag_vclock *from)
{
	snag_vclock_drop(&c->pool, *to);
	*to = from ? snag_vclock_share(from) : NULL;
}

static void join_clock(struct snag_clocks *c, struct snag_vclock **to, struct snag_vclock *from)
{
	if (!from)
		return;
	if (!*to)
		*to = snag_vclock_share(from);
	else
		snag_vclock_join(&c->pool, to, from, 0, 0);
}

static uint64_t atomic_hash(const void *atomics, uint32_t number)
{
	return snag_hash(((const struct snag_atomic_clock *)atomics)[number].variable, 0);
}

static bool atomic_equals(const void *atomics, uint32_t number, const void *variable)
{
	return ((const struct snag_atomic_clock *)atomics)[number].variable ==
	       *(const uint32_t *)variable;
}

/* Returns the clock that acquiring readers of a variable synchronise with. */
static struct snag_vclock **atomic_clock(struct snag_clocks *c, uint32_t variable)
{
	uint32_t number = snag_slots_find(&c->atomics, snag_hash(variable, 0), atomic_equals,
					  c->atomic, &variable);
	if (number == SNAG_SLOTS_NONE) {
		number = (uint32_t)c->natomics++;
		c->atomic = snag_grow(c->atomic, &c->atomic_cap, c->natomics, sizeof(*c->atomic));
		c->atomic[number].variable = variable;
		snag_slots_add(&c->atomics, number, atomic_hash, c->atomic);
	}
	return &c->atomic[number].released;
}

void snag_clocks_forget_atomic(struct snag_clocks *c, uint32_t variable)
{
	uint32_t number = snag_slots_find(&c->atomics, snag_hash(variable, 0), atomic_equals,
					  c->atomic, &variable);
	if (number == SNAG_SLOTS_NONE)
		return;
	snag_vclock_drop(&c->pool, c->atomic[number].released);
	c->atomic[number].released = NULL;
}

static void atomic_load(struct snag_clocks *c, struct snag_thread_clock *t,
			struct snag_vclock *released, enum snag_order order)
{
	join_clock(c, acquires(order) ? &t->now : &t->loaded, released);
}

static void atomic_store(struct snag_clocks *c, const struct snag_event *ev, struct snag_vclock **x,
			 uint32_t event, enum snag_order order)
{
	if (ev->op == SNAG_OP_ATOMIC_WRITE) /* a store begins a new release sequence */
		clock_replace(c, x, NULL);
	join_clock(c, x, c->thread[ev->thread].fence);
	if (releases(order))
		join_into(c, x, ev->thread, event + 1);
}

static void fence(struct snag_clocks *c, const struct snag_event *ev, uint32_t event,
		  enum snag_order order)
{
	struct snag_thread_clock *t = &c->thread[ev->thread];
	if (acquires(order))
		join_clock(c, &t->now, t->loaded);
	if (releases(order)) {
		clock_replace(c, &t->fence, NULL);
		join_into(c, &t->fence, ev->thread, event + 1);
	}
}

static void atomic(struct snag_clocks *c, const struct snag_event *ev, uint32_t event,
		   enum snag_order order)
{
	struct snag_vclock **x = atomic_clock(c, ev->target);
	if (ev->op != SNAG_OP_ATOMIC_WRITE)
		atomic_load(c, &c->thread[ev->thread], *x, order);
	if (ev->op != SNAG_OP_ATOMIC_READ)
		atomic_store(c, ev, x, event, order);
}

void snag_clocks_sync(struct snag_clocks *c, const struct snag_event *of_thread, uint32_t event)
{
	struct snag_event of_seat = *of_thread, *ev = &of_seat;
	ev->thread = snag_clocks_seat(c, ev->thread);
	switch (ev->op) {
	case SNAG_OP_ACQUIRE:
		acquire(c, ev);
		break;
	case SNAG_OP_RELEASE:
		release(c, ev, event);
		break;
	case SNAG_OP_ACQUIRE_SHARED:
		snag_clocks_join(c, ev->thread, &c->lock[ev->target].exclusive);
		break;
	case SNAG_OP_RELEASE_SHARED:
		join_into(c, &c->lock[ev->target].shared, ev->thread, event + 1);
		break;
	case SNAG_OP_FORK:
		fork_thread(c, ev->thread, ev->target, event);
		break;
	case SNAG_OP_JOIN:
		join_thread(c, ev->thread, ev->target, event);
		break;
	case SNAG_OP_ATOMIC_READ:
	case SNAG_OP_ATOMIC_WRITE:
	case SNAG_OP_ATOMIC_UPDATE:
		atomic(c, ev, event, ev->flags & SNAG_ORDER_MASK);
		break;
	case SNAG_OP_FENCE:
		fence(c, ev, event, ev->flags & SNAG_ORDER_MASK);
		break;
	default: /* tasks: not an order of threads */
		break;
	}
}
