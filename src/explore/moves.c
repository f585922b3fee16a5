/* SPDX-License-Identifier: Apache-2.0
 *
 * moves.c - a run as a list of moves
 */
#include "explore/moves.h"

#include "base/memory.h"
#include "explore/number.h"

#include <string.h>

enum { WORD = 8 };

static void thread_begins(struct snag_moves *m, uint32_t thread)
{
	m->done = snag_grow(m->done, &m->done_room, (size_t)thread + 1, sizeof(*m->done));
	m->nthreads = thread >= m->nthreads ? thread + 1 : m->nthreads;
}

/* The move that the next touch belongs to; NULL: no more are kept. */
static struct snag_move *move_current(struct snag_moves *m)
{
	const uint64_t count = m->done[m->thread] + (uint32_t)(m->turn_fuel - m->fuel);
	struct snag_move *last = m->n ? &m->at[m->n - 1] : NULL;
	if (m->is_open && last->thread == m->thread && last->count == count)
		return last;
	if (m->limit && m->n == m->limit) {
		m->is_cut = true;
		return NULL;
	}
	m->at = snag_grow(m->at, &m->room, m->n + 1, sizeof(*m->at));
	m->at[m->n] = (struct snag_move){
		.count = count, .thread = m->thread, .first = (uint32_t)m->ntouches};
	m->is_open = true;
	return &m->at[m->n++];
}

static void touch_put(struct snag_moves *m, const struct rt_record *r, struct snag_touch touch)
{
	struct snag_move *move = move_current(m);
	if (!move)
		return;
	if (!move->place && r->loc && r->loc < m->node_room)
		move->place = m->node[r->loc].place;
	m->touch = snag_grow(m->touch, &m->touch_room, m->ntouches + 1, sizeof(*m->touch));
	m->touch[m->ntouches++] = touch;
	move->n++;
}

/* [memory] */
static void memory_touch(struct snag_moves *m, const struct rt_record *r, uint64_t nbytes,
			 bool is_write)
{
	uint64_t at = rt_record_address(r), end = at + (nbytes ? nbytes : 1);
	while (at < end) {
		uint64_t word = at / WORD * WORD, up_to = word + WORD < end ? word + WORD : end;
		unsigned mask = ((1u << (up_to - at)) - 1) << (at - word);
		touch_put(m, r,
			  (struct snag_touch){.key = word,
					      .kind = SNAG_TOUCH_MEMORY,
					      .mask = (uint8_t)mask,
					      .is_write = is_write});
		at = up_to;
	}
}

static void lock_touch(struct snag_moves *m, const struct rt_record *r, enum snag_touch_kind kind,
		       bool is_alone)
{
	touch_put(m, r,
		  (struct snag_touch){.key = rt_record_address(r),
				      .kind = (uint8_t)kind,
				      .is_write = is_alone,
				      .may_fail = kind == SNAG_TOUCH_ACQUIRE && rt_record_size(r)});
}

static bool is_lock(unsigned kind)
{
	return kind == RT_MUTEX || kind == RT_RWLOCK || kind == RT_ANNOTATED;
}

/* [object] [attempt] The end of a thread is no object: joining it says all. */
static void object_touch(struct snag_moves *m, const struct rt_record *r)
{
	bool blocks = rt_record_size(r) & RT_TOUCH_BLOCKS;
	unsigned kind = rt_record_size(r) & ~(unsigned)RT_TOUCH_BLOCKS;
	if (kind == RT_THREAD || (blocks && !is_lock(kind)))
		return;
	touch_put(m, r,
		  (struct snag_touch){.key = rt_record_address(r),
				      .kind = blocks	      ? SNAG_TOUCH_PENDING
					      : is_lock(kind) ? SNAG_TOUCH_LOOK
							      : SNAG_TOUCH_OBJECT,
				      .space = is_lock(kind) ? 0 : (uint8_t)(kind + 1),
				      .is_write = true});
}

static void token_touch(struct snag_moves *m, const struct rt_record *r, bool is_write)
{
	touch_put(
		m, r,
		(struct snag_touch){.key = r->arg, .kind = SNAG_TOUCH_TOKEN, .is_write = is_write});
}

static void thread_touch(struct snag_moves *m, const struct rt_record *r, enum snag_touch_kind kind)
{
	thread_begins(m, r->arg);
	if (kind == SNAG_TOUCH_FORK)
		snag_creators_add(&m->turns.creators, m->thread, r->arg);
	touch_put(m, r, (struct snag_touch){.key = r->arg, .kind = (uint8_t)kind});
}

static void turn_begins(struct snag_moves *m, const struct rt_record *r)
{
	if (m->has_begun) {
		snag_turns_add(&m->turns, m->thread, rt_record_address(r));
		m->done[m->thread] += rt_record_address(r);
		m->events += rt_record_address(r);
	}
	m->has_begun = true;
	m->thread = r->arg;
	thread_begins(m, m->thread);
	m->turn_fuel = m->fuel = r->loc;
	/* A move goes on if its thread does. */
	if (m->n && m->at[m->n - 1].thread != m->thread)
		m->is_open = false;
}

static void node_note(struct snag_moves *m, const struct rt_record *r)
{
	enum { CALLERS = 3 }; /* [place] more would tell every depth of a recursion apart */
	m->node = snag_grow(m->node, &m->node_room, (size_t)r->arg + 1, sizeof(*m->node));
	struct snag_move_node *n = &m->node[r->arg];
	*n = (struct snag_move_node){.pc = rt_record_address(r), .parent = r->loc};
	n->place = n->pc;
	uint32_t at = n->parent; /* nodes come after their parents */
	for (int i = 0; i < CALLERS && at && at < r->arg; i++, at = m->node[at].parent)
		n->place = snag_number(n->place, m->node[at].pc);
}

static void note(struct snag_moves *m, const struct rt_record *r)
{
	m->has_deadlock |= r->arg == RT_NOTE_DEADLOCK;
	m->diverged |= r->arg == RT_NOTE_DIVERGED;
	m->has_launched |= r->arg == RT_NOTE_LAUNCH;
}

/* Takes a record of an access; returns whether it is one. */
static bool access_add(struct snag_moves *m, enum rt_op op, const struct rt_record *r)
{
	switch (op) {
	case RT_READ:
	case RT_WRITE:
		m->fuel = r->arg;
		memory_touch(m, r, rt_record_size(r), op == RT_WRITE);
		return true;
	case RT_READ_RANGE:
	case RT_WRITE_RANGE:
		memory_touch(m, r, r->arg, op == RT_WRITE_RANGE);
		return true;
	case RT_ATOMIC_READ:
	case RT_ATOMIC_WRITE:
	case RT_ATOMIC_UPDATE:
		memory_touch(m, r, rt_record_size(r), op != RT_ATOMIC_READ);
		return true;
	case RT_FREE:
		memory_touch(m, r, WORD, true);
		return true;
	default:
		return false;
	}
}

static void record_add(struct snag_moves *m, const struct rt_record *r)
{
	const enum rt_op op = rt_record_op(r);
	if (access_add(m, op, r))
		return;
	switch (op) {
	case RT_ACQUIRE:
	case RT_ACQUIRE_SHARED:
		lock_touch(m, r, SNAG_TOUCH_ACQUIRE, op == RT_ACQUIRE);
		break;
	case RT_RELEASE:
	case RT_RELEASE_SHARED:
		lock_touch(m, r, SNAG_TOUCH_RELEASE, op == RT_RELEASE);
		break;
	case RT_SYNC_READ:
	case RT_SYNC_WRITE:
	case RT_SYNC_UPDATE:
		token_touch(m, r, op != RT_SYNC_READ);
		break;
	case RT_FORK:
		thread_touch(m, r, SNAG_TOUCH_FORK);
		break;
	case RT_JOIN:
		thread_touch(m, r, SNAG_TOUCH_JOIN);
		break;
	case RT_TOUCH:
		object_touch(m, r);
		break;
	case RT_SWITCH:
		turn_begins(m, r);
		break;
	case RT_COUNT:
		m->fuel = r->arg;
		break;
	case RT_NODE:
		node_note(m, r);
		break;
	case RT_ANSWER:
		snag_answers_add(&m->turns.answers, m->thread,
				 rt_record_address(r) | (uint64_t)r->loc << RT_ADDRESS_BITS);
		break;
	case RT_CIRCLE:
		m->circle++;
		break;
	case RT_NOTE:
		note(m, r);
		break;
	default:
		break;
	}
}

void snag_moves_add(struct snag_moves *m, const struct rt_record *record, int n)
{
	for (int i = 0; i < n; i++)
		record_add(m, &record[i]);
}

static const struct snag_touch *touch_find(const struct snag_moves *m, const struct snag_move *v,
					   uint64_t key, enum snag_touch_kind kind)
{
	for (uint32_t i = 0; i < v->n; i++) {
		const struct snag_touch *t = &m->touch[v->first + i];
		if (t->key == key && t->kind == kind && t->space == 0)
			return t;
	}
	return NULL;
}

/* Drops the looks at a lock that the same move takes, releases or waits for, and repeated touches
 * of an object. */
static void touches_reduce(struct snag_moves *m, struct snag_move *v)
{
	struct snag_touch *all = &m->touch[v->first];
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		const struct snag_touch t = all[i];
		bool is_needless = false;
		if (t.kind == SNAG_TOUCH_LOOK)
			is_needless = touch_find(m, v, t.key, SNAG_TOUCH_ACQUIRE) ||
				      touch_find(m, v, t.key, SNAG_TOUCH_RELEASE) ||
				      touch_find(m, v, t.key, SNAG_TOUCH_PENDING);
		for (uint32_t k = 0; k < n && !is_needless; k++)
			is_needless = t.kind == all[k].kind && t.key == all[k].key &&
				      t.space == all[k].space && t.mask == all[k].mask &&
				      t.is_write == all[k].is_write &&
				      t.kind != SNAG_TOUCH_ACQUIRE && t.kind != SNAG_TOUCH_RELEASE;
		if (!is_needless)
			all[n++] = t;
	}
	for (uint32_t i = n; i < v->n; i++)
		all[i] = (struct snag_touch){0};
	v->n = n;
}

/* Whether the thread goes on in the event of this move, which is its move `next`. */
static bool goes_on(const struct snag_moves *m, const struct snag_move *v, size_t next)
{
	return next != SIZE_MAX && m->at[next].count == v->count;
}

/* [attempt] A thread that had to wait for a lock and got it, or waits for it again, has done
 *           nothing
 * before that but look at the memory of the lock. */
static void attempt_drop(struct snag_moves *m, struct snag_move *v)
{
	struct snag_touch *all = &m->touch[v->first];
	bool is_attempt = false;
	uint32_t n = 0;
	for (uint32_t i = 0; i < v->n; i++)
		is_attempt |= all[i].kind == SNAG_TOUCH_PENDING;
	for (uint32_t i = 0; i < v->n; i++)
		if (!is_attempt || (all[i].kind != SNAG_TOUCH_PENDING &&
				    (all[i].kind != SNAG_TOUCH_MEMORY || all[i].is_write)))
			all[n++] = all[i];
	v->n = n;
}

static void attempts_drop(struct snag_moves *m)
{
	size_t *next = snag_alloc((m->nthreads + 1) * sizeof(*next)); /* move of the thread */
	for (uint32_t i = 0; i < m->nthreads; i++)
		next[i] = SIZE_MAX;
	for (size_t i = m->n; i-- > 0;) {
		struct snag_move *v = &m->at[i];
		if (goes_on(m, v, next[v->thread]))
			attempt_drop(m, v);
		next[v->thread] = i;
	}
	free(next);
	size_t kept = 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->at[i].n)
			m->at[kept++] = m->at[i];
	m->n = kept;
}

void snag_moves_end(struct snag_moves *m)
{
	for (size_t i = 0; i < m->n; i++)
		touches_reduce(m, &m->at[i]);
	attempts_drop(m);
}

void snag_moves_done(struct snag_moves *m)
{
	free(m->at);
	free(m->touch);
	free(m->done);
	free(m->node);
	snag_turns_done(&m->turns);
	*m = (struct snag_moves){.limit = m->limit};
}
