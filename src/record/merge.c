/* SPDX-License-Identifier: Apache-2.0
 *
 * merge.c - one order of the records of threads that run in parallel
 */
#include "record/merge.h"

#include "base/memory.h"
#include "record/merge_locks.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOK = 256 };

struct lane {
	struct rt_ring *ring;
	struct lane *next; /* in the list that it is in */
	uint64_t n;	   /* records taken, also of threads before */
	uint64_t there;	   /* [common] so many can be taken */
	uint32_t number;   /* that it waits for */
	uint64_t since;	   /* its records from here on are the last of the output */
	uint32_t thread;
	uint32_t fuel; /* at its last record */
	bool is_used;  /* its thread has not ended */
};

struct lanes { /* first in, first out */
	struct lane *first, *last;
};

struct snag_merge {
	struct rt_ring *rings;
	snag_merge_common *common;
	void *ctx;
	struct lane *lane[RT_RINGS]; /* by ring; NULL: never used */
	struct lanes ready, idle;
	struct lane *current;	  /* whose records come */
	struct lane *last;	  /* whose records came last in the output; NULL: none */
	uint64_t stretch;	  /* [fair] records of the current lane */
	bool is_vain;		  /* nothing was taken since the last look at idle lanes */
	uint32_t last_thread;	  /* its thread ... */
	uint32_t last_fuel;	  /* ... its fuel now ... */
	uint32_t turn_fuel;	  /* ... and when its stretch began */
	uint32_t next[RT_SHARDS]; /* the lower half */
	struct lane *waiting[RT_SHARDS];
	struct snag_merge_locks locks;
	struct rt_record *to; /* the output */
	int room;
};

struct snag_merge *snag_merge_new(struct rt_ring *rings, snag_merge_common *common, void *ctx)
{
	struct snag_merge *m = snag_calloc(1, sizeof(*m));
	m->rings = rings;
	m->common = common;
	m->ctx = ctx;
	return m;
}

void snag_merge_free(struct snag_merge *m)
{
	if (!m)
		return;
	for (int i = 0; i < RT_RINGS; i++)
		free(m->lane[i]);
	snag_merge_locks_done(&m->locks);
	free(m);
}

static void lanes_add(struct lanes *list, struct lane *l)
{
	l->next = NULL;
	if (list->last)
		list->last->next = l;
	else
		list->first = l;
	list->last = l;
}

static struct lane *lanes_take(struct lanes *list)
{
	struct lane *l = list->first;
	if (l) {
		list->first = l->next;
		list->last = l->next ? list->last : NULL;
	}
	return l;
}

static void put(struct snag_merge *m, enum rt_op op, uint64_t address, uint32_t loc, uint32_t arg)
{
	*m->to++ = (struct rt_record){.what = (uint64_t)op << RT_OP_SHIFT |
					      (address & RT_ADDRESS_MASK),
				      .loc = loc,
				      .arg = arg};
	m->room--;
}

/* A thread has got a ring.  The program could write anything: what cannot be is left out. */
static void ring_begins(struct snag_merge *m, const struct rt_record *r)
{
	uint64_t i = rt_record_address(r);
	if (i >= RT_RINGS || (m->lane[i] && m->lane[i]->is_used))
		return;
	if (!m->lane[i]) {
		m->lane[i] = snag_calloc(1, sizeof(*m->lane[i]));
		m->lane[i]->ring = &m->rings[i];
	}
	m->lane[i]->thread = r->arg;
	m->lane[i]->fuel = 0;
	m->lane[i]->is_used = true;
	lanes_add(&m->ready, m->lane[i]);
}

int snag_merge_rings(struct snag_merge *m, struct rt_record *record, int n)
{
	int kept = 0;
	for (int i = 0; i < n; i++)
		if (rt_record_op(&record[i]) == RT_RING)
			ring_begins(m, &record[i]);
		else
			record[kept++] = record[i];
	return kept;
}

/* [common] Takes what the channel has; false: there may be more. */
static bool common_take(struct snag_merge *m)
{
	if (m->room == 0)
		return false;
	int n = m->common(m->ctx, m->to, m->room), kept = snag_merge_rings(m, m->to, n);
	m->to += kept;
	m->room -= kept;
	return n == 0;
}

/* What is in the ring of l: [common] the records of the channel that they may need come first. */
static bool lane_look(struct snag_merge *m, struct lane *l)
{
	uint64_t there = l->n;
	while (there < l->n + LOOK && rt_ring_has(l->ring, there))
		there++;
	while (m->room > 0)
		if (common_take(m)) {
			l->there = there;
			return true;
		}
	return false;
}

static const struct rt_record *record_at(const struct lane *l, uint64_t n)
{
	return &l->ring->record[n % RT_RING_RECORDS];
}

/* [run] The last records stay for a while. */
static void taken_report(struct lane *l)
{
	const uint64_t taken = l->n > RT_RING_BACK ? l->n - RT_RING_BACK : 0;
	__atomic_store_n(&l->ring->taken, taken, __ATOMIC_RELEASE); /* pairs with the writer */
}

/* [wait] of ring.h: wakes the thread, if it waits for so much room. */
static void thread_wake(struct rt_ring *ring)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* first `taken`, then this look */
	/* pairs with the release in room_await() */
	if (!__atomic_load_n(&ring->waits, __ATOMIC_ACQUIRE) || ring->taken < ring->needs)
		return;
	__atomic_store_n(&ring->waits, 0, __ATOMIC_RELAXED);
	syscall(SYS_futex, &ring->waits, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void took(struct lane *l, uint64_t n)
{
	uint64_t before = l->n / RT_TAKEN_EVERY;
	l->n += n;
	if (l->n / RT_TAKEN_EVERY == before)
		return;
	taken_report(l);
	thread_wake(l->ring);
}

/* Records of l follow. */
static void switch_to(struct snag_merge *m, struct lane *l)
{
	if (m->last == l && m->last_thread == l->thread)
		return;
	put(m, RT_SWITCH, m->last ? m->turn_fuel - m->last_fuel : 0, l->fuel, l->thread);
	m->turn_fuel = m->last_fuel = l->fuel;
	m->last = l;
	m->last_thread = l->thread;
	l->since = l->n;
}

static void counted(struct snag_merge *m, struct lane *l, uint32_t fuel)
{
	m->last_fuel = l->fuel = fuel;
}

/* The number was taken: the lane that waits for the next one continues. */
static void number_took(struct snag_merge *m, uint32_t shard)
{
	const uint32_t next = ++m->next[shard];
	for (struct lane **at = &m->waiting[shard]; *at; at = &(*at)->next)
		if ((*at)->number == next) {
			struct lane *l = *at;
			*at = l->next;
			lanes_add(&m->ready, l);
			return;
		}
}

/* The thread of l has ended. */
static void lane_end(struct lane *l)
{
	l->n++;
	l->is_used = false;
	__atomic_store_n(&l->ring->taken, l->n, __ATOMIC_RELEASE);
	/* pairs with the acquire of the thread that takes the ring */
	__atomic_store_n(&l->ring->is_read, 1, __ATOMIC_RELEASE);
}

enum took { TOOK, FULL, EMPTY, WAITS, ENDED };

/* The record of a step is the next one of the output, if it is an event.  It is completed where it
 * lies: a copy could not be read until the parts written last have reached the cache. */
static void step_put(struct snag_merge *m, const struct lane *l)
{
	switch (rt_record_op(m->to)) {
	case RT_ACQUIRE:
	case RT_RELEASE:
	case RT_ACQUIRE_SHARED:
	case RT_RELEASE_SHARED:
	case RT_LOCK_ENDS:
		if (!snag_merge_locks_take(&m->locks, m->to, l->thread))
			return;
		break;
	default:
		break;
	}
	m->to++;
	m->room--;
}

/* [number] Otherwise l waits for it. */
static bool number_is_next(struct snag_merge *m, struct lane *l, uint32_t shard, uint32_t number)
{
	if (number == m->next[shard])
		return true;
	l->number = number;
	l->next = m->waiting[shard];
	m->waiting[shard] = l;
	return false;
}

/* The step that one record is, without its number; *ret_events: since the last one. */
static struct rt_record short_step(const struct rt_record *r, uint32_t *ret_events)
{
	static const enum rt_op ops[] = {[RT_STEP_ACQUIRE] = RT_ACQUIRE,
					 [RT_STEP_RELEASE] = RT_RELEASE,
					 [RT_STEP_READ] = RT_ATOMIC_READ,
					 [RT_STEP_WRITE] = RT_ATOMIC_WRITE,
					 [RT_STEP_UPDATE] = RT_ATOMIC_UPDATE};
	const enum rt_op op = rt_record_op(r);
	const unsigned how = rt_record_size(r);
	const bool is_lock = op == RT_STEP_ACQUIRE || op == RT_STEP_RELEASE;
	const unsigned size = is_lock ? how / RT_STEP_GIVES_UP : 1u << (how & RT_STEP_SIZE);
	*ret_events = is_lock ? how & RT_STEP_LOCK_EVENTS : how >> RT_STEP_ATOMIC_SHIFT;
	return (struct rt_record){.what = rt_record_address(r) | (uint64_t)ops[op] << RT_OP_SHIFT |
					  (uint64_t)size << RT_SIZE_SHIFT,
				  .loc = r->loc,
				  .arg = is_lock ? UINT32_MAX
						 : how >> RT_STEP_ORDER_SHIFT & RT_STEP_ORDER};
}

/* [number] */
static enum took short_take(struct snag_merge *m, struct lane *l, const struct rt_record *r)
{
	const uint32_t shard = rt_shard_at(rt_record_address(r));
	uint32_t events;
	if (!number_is_next(m, l, shard, r->arg))
		return WAITS;
	if (m->room < SNAG_MERGE_ROOM)
		return FULL;
	switch_to(m, l);
	const struct rt_record step = short_step(r, &events);
	counted(m, l, l->fuel - events);
	put(m, RT_COUNT, 0, 0, l->fuel);
	*m->to = step;
	step_put(m, l);
	took(l, 1);
	m->stretch++;
	number_took(m, shard);
	return TOOK;
}

/* [number] */
static enum took order_take(struct snag_merge *m, struct lane *l, const struct rt_record *r)
{
	const uint32_t shard = r->arg % RT_SHARDS;
	if (!number_is_next(m, l, shard, (uint32_t)rt_record_address(r)))
		return WAITS;
	const bool is_step = rt_record_size(r) == 1;
	if (is_step && l->n + 1 == l->there) {
		if (!lane_look(m, l))
			return FULL;
		if (l->n + 1 == l->there)
			return EMPTY;
	}
	if (m->room < SNAG_MERGE_ROOM)
		return FULL;
	if (is_step || r->loc != l->fuel) { /* a number alone is no event, and no turn */
		switch_to(m, l);
		counted(m, l, r->loc);
		put(m, RT_COUNT, 0, 0, r->loc);
	}
	if (is_step) {
		*m->to = *record_at(l, l->n + 1);
		step_put(m, l);
	}
	took(l, 1 + is_step);
	m->stretch += 1 + is_step;
	number_took(m, shard);
	return TOOK;
}

#define BIT(op) (UINT64_C(1) << (op))

_Static_assert((int)RT_OPS <= 64, "a set of kinds of records fits a word");

static const uint64_t not_plain = BIT(RT_ORDER) | BIT(RT_AGAIN) | BIT(RT_END) |
				  BIT(RT_STEP_ACQUIRE) | BIT(RT_STEP_RELEASE) | BIT(RT_STEP_READ) |
				  BIT(RT_STEP_WRITE) | BIT(RT_STEP_UPDATE);
static const uint64_t has_fuel = BIT(RT_READ) | BIT(RT_WRITE) | BIT(RT_COUNT);

/* The program could write anything, also a kind that does not exist. */
static inline bool is_of(uint64_t kinds, const struct rt_record *r)
{
	const unsigned op = rt_record_op(r);
	return op < RT_OPS && kinds >> op & 1;
}

/* Access i of a run of `period`, which follows from the records before number `at`. */
static struct rt_record run_access(const struct lane *l, uint64_t at, uint32_t period, uint32_t i)
{
	const struct rt_record *now = record_at(l, at - period + i % period);
	const struct rt_record *before = record_at(l, at - 2 * (uint64_t)period + i % period);
	const uint32_t times = i / period + 1;
	const uint64_t address = rt_record_address(now) +
				 times * (rt_record_address(now) - rt_record_address(before));
	return (struct rt_record){.what = (now->what & ~RT_ADDRESS_MASK) |
					  (address & RT_ADDRESS_MASK),
				  .loc = now->loc,
				  .arg = now->arg + times * (now->arg - before->arg)};
}

/* [run] r is RT_AGAIN, of which the record has or would have the next number of l. */
static void run_put(struct snag_merge *m, struct lane *l, struct rt_record r)
{
	const uint32_t period = rt_record_size(&r), rounds = 2 * period;
	if (period == 0 || period > RT_RUN_MAX || l->n < rounds || r.arg == 0)
		return; /* no program of ours */
	const struct rt_record last = run_access(l, l->n, period, r.arg - 1);
	if (l->n - l->since < rounds) {
		const uint32_t n = r.arg < rounds ? r.arg : rounds;
		for (uint32_t i = 0; i < n; i++, m->room--)
			*m->to++ = run_access(l, l->n, period, i);
		r.arg -= n;
	}
	if (r.arg) {
		*m->to++ = r;
		m->room--;
	}
	counted(m, l, last.arg);
}

static enum took run_take(struct snag_merge *m, struct lane *l, const struct rt_record *r)
{
	if (m->room < SNAG_MERGE_ROOM)
		return FULL;
	switch_to(m, l);
	run_put(m, l, *r);
	m->stretch++;
	took(l, 1);
	return TOOK;
}

/* The records of l up to the next RT_ORDER, as far as they are there. */
static enum took plain_take(struct snag_merge *m, struct lane *l)
{
	uint64_t n = 0, most;
	if (m->room < SNAG_MERGE_ROOM)
		return FULL;
	switch_to(m, l);
	most = l->there - l->n < (uint64_t)m->room ? l->there - l->n : (uint64_t)m->room;
	struct rt_record *to = m->to;
	for (; n < most && !is_of(not_plain, record_at(l, l->n + n)); n++)
		to[n] = *record_at(l, l->n + n);
	for (uint64_t i = n; i > 0; i--)
		if (is_of(has_fuel, &to[i - 1])) {
			counted(m, l, to[i - 1].arg);
			break;
		}
	m->to += n;
	m->room -= (int)n;
	m->stretch += n;
	took(l, n);
	return TOOK;
}

static enum took lane_take(struct snag_merge *m, struct lane *l)
{
	if (l->n == l->there) {
		if (!lane_look(m, l))
			return FULL;
		if (l->n == l->there)
			return EMPTY;
	}
	const struct rt_record *r = record_at(l, l->n);
	switch (rt_record_op(r)) {
	case RT_ORDER:
		return order_take(m, l, r);
	case RT_STEP_ACQUIRE:
	case RT_STEP_RELEASE:
	case RT_STEP_READ:
	case RT_STEP_WRITE:
	case RT_STEP_UPDATE:
		return short_take(m, l, r);
	case RT_AGAIN:
		return run_take(m, l, r);
	case RT_END:
		lane_end(l);
		return ENDED;
	default:
		return plain_take(m, l);
	}
}

/* When a lane stops, stores how much was read of its ring. */
static void lane_stops(struct snag_merge *m, struct lane *l)
{
	taken_report(l);
	m->current = NULL;
}

/* Lanes that were empty and no longer are. */
static void idle_look(struct snag_merge *m)
{
	struct lanes all = m->idle;
	m->idle = (struct lanes){0};
	for (struct lane *l; (l = lanes_take(&all));)
		lanes_add(rt_ring_has(l->ring, l->n) ? &m->ready : &m->idle, l);
}

/* Looks at idle lanes only if a record was taken since the last look: half a step may be there for
 * long. */
static bool lane_choose(struct snag_merge *m)
{
	if (!m->ready.first && !m->is_vain) {
		m->is_vain = true;
		idle_look(m);
	}
	m->current = lanes_take(&m->ready);
	m->stretch = 0;
	return m->current;
}

int snag_merge_next(struct snag_merge *m, struct rt_record *ret, int room)
{
	m->to = ret;
	m->room = room;
	m->is_vain = false;
	while (m->room > 0 && !common_take(m))
		;
	while (m->current || lane_choose(m)) {
		struct lane *l = m->current;
		enum took what = lane_take(m, l);
		if (what == FULL)
			break;
		m->is_vain &= what != TOOK && what != ENDED;
		if (what == TOOK && m->stretch < RT_RING_RECORDS)
			continue;
		lane_stops(m, l);
		if (what == TOOK)
			lanes_add(&m->ready, l);
		else if (what == EMPTY)
			lanes_add(&m->idle, l);
	}
	return (int)(m->to - ret);
}

int snag_merge_rest(struct snag_merge *m, struct rt_record *ret, int room)
{
	m->to = ret;
	m->room = room;
	for (int i = 0; i < RT_RINGS && m->room >= SNAG_MERGE_ROOM; i++) {
		struct lane *l = m->lane[i];
		struct rt_open_run *run = l && l->is_used ? &l->ring->run : NULL;
		if (!run || !run->events || run->at != l->n)
			continue;
		switch_to(m, l);
		run_put(m, l, rt_open_run_record(run));
		run->events = 0;
	}
	return (int)(m->to - ret);
}
