/* SPDX-License-Identifier: Apache-2.0
 *
 * loop.c - loops that report all their accesses at their end
 *
 * Idea.   In some loops every iteration makes the same k accesses, and access j moves by a fixed
 *         distance.  The plugin makes two copies of such a loop (pass/loops.cpp): one with a check
 *         before every access, and one without checks that reports its accesses at its end.  The
 *         report is as good as checks, because no other thread runs in between.  If threads run in
 *         parallel, only happens-before orders these accesses with those of other threads.  So the
 *         accesses pass the filter (filter.h), and are recorded as single accesses would be.
 *
 *             m = __snag_loop_begin(iterations, k)     so many without checks
 *             __snag_loop_access(address, distance, size, is write)     each, in their order
 *             __snag_loop_end(m)
 *
 * State.  loop      of the thread: the accesses that were reported
 *         known_loop[]  of the filter: accesses of loops in this epoch and turn, a cache: the same
 *                   accesses add nothing when they come again, as with single ones
 *         segment   iterations in a row that record the same of the accesses
 * Rules.  [turn]    The loop without checks makes only as many iterations as the turn has events
 *                   for.  The iteration in which the turn ends runs with checks.  So every turn
 *                   has the same events as without this file, and a schedule whose turn ends inside
 *                   a loop can be followed.
 *         [few]     If there are few events, the loop with checks runs, because it costs less.
 *         [guess]   A loop of unknown length gets as many iterations as it had the last time.
 *         [order]   The order is iteration by iteration.  Whether an access is known only depends
 *                   on earlier accesses to the same cell, so one access can be handled for many
 *                   iterations at once.  Of accesses that move alike, the one ahead comes first.
 *                   Accesses that do not move alike and may meet are handled one by one.
 *         [record]  A segment is two rounds of records and RT_AGAIN.
 *         [else]    One by one: accesses under special rules (access.c), unaligned addresses, and
 *                   loops with many accesses.
 * Guarantee.  The events, their order, and their fuel are those of the loop with checks.  But a
 *         cache may know more repeated accesses than the filter, which forgets accesses that
 *         collide.  The loop reports no access that it did not make: if a signal ends the thread
 *         in the middle of such iterations, none of them is recorded.
 * Cost.   About 30 instructions an access j that is known as a whole; else 150, and 2 to 8 each
 *         iteration.
 */
#include "runtime/access/access.h"
#include "runtime/options.h"
#include "runtime/channel/lane.h"
#include "runtime/channel/record.h"
#include "runtime/access/rows.h"
#include "runtime/channel/run.h"
#include "runtime/access/stack.h"

enum { WORD = 8, BLOCK = RT_ROW };
enum { FEW = 12, FEW_ROUNDS = 8 };     /* events, iterations */
enum { MOST = 1 << 26, PLACES = 256 }; /* iterations */

struct access {
	uintptr_t addr;
	int64_t step;
	uint64_t what; /* size, and whether it is a write */
	uintptr_t pc;
};

struct loop {
	unsigned n;
	uint32_t *usual; /* NULL: the length was known */
	struct access access[RT_RUN_MAX];
};

static __thread struct loop loop __attribute__((tls_model("initial-exec")));

enum { WRITES = 1 << 8, STRETCH_SHIFT = 16 };

/* The part of an access that lies in one word. */
struct part {
	uintptr_t addr;
	int64_t step;
	uintptr_t pc;
	uint32_t loc;
	uint32_t number; /* the number of the access */
	unsigned k;	 /* 2^k bytes */
	bool is_write;
	bool is_tied;	 /* [order] the order to another part matters */
	uint64_t is_new; /* of a block of iterations: a bit for each */
};

struct look {
	unsigned n;
	struct part part[RT_RUN_MAX];
	/* The order in which parts are handled: the part that meets a cell first is first. */
	uint8_t order[RT_RUN_MAX];
	bool has_steps;	 /* different ones */
	uint64_t fuel;	 /* the fuel before the loop */
	uint64_t period; /* events of an iteration */
	struct {
		uint64_t first, n; /* iterations */
		uint32_t parts;	   /* recorded in each: a bit for each */
	} segment;
};

/* [guess] How many iterations a loop of unknown length had the last time, by place. */
static uint32_t usual[PLACES];

static bool is_few(uint64_t n, uint64_t accesses)
{
	return n < FEW_ROUNDS || n * accesses < FEW;
}

static bool is_guessed_few(uintptr_t pc, uint64_t accesses)
{
	loop.usual = &usual[(pc ^ pc >> 8) % PLACES];
	if (*loop.usual == 0 || !is_few(*loop.usual, accesses))
		return false;
	*loop.usual += 1; /* so that the loop without checks is tried again later */
	return true;
}

/* [turn] [few] Returns m > 0: m iterations run without checks; or m <= 0: 1 - m run with checks. */
RT_ABI(RT_HOT int64_t, __snag_loop_begin, uint64_t iterations, uint64_t accesses)
{
	const bool is_known = iterations < MOST;
	const uint64_t n = is_known ? iterations : MOST;
	const int64_t all_slow = n ? 1 - (int64_t)n : 0;
	int64_t m = (int64_t)n;
	loop.n = 0;
	loop.usual = NULL;
	if (rt_unlikely((int64_t)(n * accesses) > rt_hot.fuel)) {
		if (!rt.on)
			return all_slow;
		m = rt_hot.fuel > 0 ? rt_hot.fuel / (int64_t)accesses : 0;
	}
	if (!rt_options.loops)
		return all_slow;
	if (is_few((uint64_t)m, accesses))
		return m < (int64_t)n ? -m : all_slow;
	return is_known || !is_guessed_few(RT_CALLER, accesses) ? m : -FEW_ROUNDS;
}

RT_ABI(RT_HOT void, __snag_loop_access, uintptr_t addr, int64_t step, uint64_t size,
       uint64_t is_write)
{
	loop.access[loop.n++ % RT_RUN_MAX] =
		(struct access){addr, step, is_write ? size | WRITES : size, RT_CALLER};
}

static unsigned size_of(const struct access *a)
{
	return (unsigned)a->what & (WRITES - 1);
}

/* [else] */
static void one_by_one(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		for (unsigned j = 0; j < loop.n; j++) {
			const struct access *a = &loop.access[j];
			rt_access_sized(a->addr + i * (uint64_t)a->step, size_of(a),
					a->what & WRITES, a->pc);
		}
}

/* Returns whether the accesses were reported before in this stretch, and notes that they are. */
static inline bool is_known_loop(const struct access *a, uint64_t n)
{
	struct rt_filter *f = rt_hot.filter;
	const struct rt_known_loop t = {a->addr, a->step, n, a->what | f->stretch << STRETCH_SHIFT};
	uint64_t key = (t.addr + (uint64_t)t.step + (t.what << 20)) * 0x9e3779b97f4a7c15u;
	struct rt_known_loop *slot = &f->known_loop[key >> (64 - RT_KNOWN_LOOPS_LOG)];
	if (slot->addr == t.addr && slot->step == t.step && slot->n == t.n && slot->what == t.what)
		return true;
	*slot = t;
	return false;
}

static bool part_add(struct look *l, const struct access *a, unsigned offset, unsigned k)
{
	const uint64_t below = (1u << k) - 1;
	const uintptr_t addr = a->addr + offset;
	if (l->n == RT_RUN_MAX || ((addr | (uint64_t)a->step) & below))
		return false;
	l->has_steps |= l->n && l->part[0].step != a->step;
	l->part[l->n++] = (struct part){.addr = addr,
					.step = a->step,
					.pc = a->pc,
					.number = (uint32_t)(a - loop.access),
					.k = k,
					.is_write = a->what & WRITES};
	return true;
}

/* Finds the parts of the accesses that are not known.  Returns false if they are handled one by
 * one. */
static bool parts_find(struct look *l, uint64_t n)
{
	for (unsigned j = 0; j < loop.n; j++) {
		const struct access *a = &loop.access[j];
		const unsigned size = size_of(a);
		if (is_known_loop(a, n))
			continue;
		if (size > WORD ? !part_add(l, a, 0, 3) || !part_add(l, a, WORD, 3)
				: !part_add(l, a, 0, (unsigned)__builtin_ctz(size)))
			return false;
	}
	return true;
}

/* [order] Returns whether both parts may touch the same cell. */
static bool do_meet(const struct part *a, const struct part *b, uint64_t n)
{
	const int64_t far_a = a->step * (int64_t)(n - 1), far_b = b->step * (int64_t)(n - 1);
	const uintptr_t low_a = a->addr + (uintptr_t)(far_a < 0 ? far_a : 0);
	const uintptr_t low_b = b->addr + (uintptr_t)(far_b < 0 ? far_b : 0);
	const uint64_t long_a = (uint64_t)(far_a < 0 ? -far_a : far_a);
	const uint64_t long_b = (uint64_t)(far_b < 0 ? -far_b : far_b);
	return a->k == b->k && a->step != b->step &&
	       (low_a - low_b <= long_b || low_b - low_a <= long_a);
}

static bool parts_tie(struct look *l, uint64_t n)
{
	bool has_tied = false;
	for (unsigned i = 1; i < l->n; i++)
		for (unsigned j = 0; j < i; j++)
			if (do_meet(&l->part[i], &l->part[j], n))
				has_tied = l->part[i].is_tied = l->part[j].is_tied = true;
	return has_tied;
}

/* For parts that move by the same distance: returns whether a is ahead of b, and so comes to
 * each cell first. */
static bool is_ahead(const struct part *a, const struct part *b)
{
	if (a->step != b->step)
		return a->step < b->step;
	return a->step < 0 ? a->addr < b->addr : a->addr > b->addr;
}

static void parts_order(struct look *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		unsigned at = i;
		for (; at > 0 && is_ahead(&l->part[i], &l->part[l->order[at - 1]]); at--)
			l->order[at] = l->order[at - 1];
		l->order[at] = (uint8_t)i;
	}
}

static inline bool access_note(uintptr_t addr, unsigned k, bool is_write)
{
	return rt_slot_note(rt_filter_slot(addr, k), rt_filter_entry(addr, k, is_write), is_write);
}

/* Slots evenly apart: mostly all are known, or none. */
static RT_INLINE uint64_t places_note(uint64_t *slot, int64_t far, uint64_t entry, unsigned n,
				      bool is_write)
{
	const unsigned shift = is_write ? 0 : 1;
	uint64_t is_new = 0;
	unsigned news = 0;
	for (int64_t i = 0; i < (int64_t)n; i++)
		news += (slot[i * far] ^ entry) << shift != 0;
	if (news == 0)
		return 0;
	if (news == n) {
		for (int64_t i = 0; i < (int64_t)n; i++)
			slot[i * far] = entry;
		return rt_row_all(n);
	}
	for (int64_t i = 0; i < (int64_t)n; i++)
		is_new |= (uint64_t)rt_slot_note(&slot[i * far], entry, is_write) << i;
	return is_new;
}

/* Takes up to BLOCK iterations of a part whose slots are as evenly apart as its addresses. */
static RT_INLINE uint64_t even_note(uintptr_t addr, int64_t step, unsigned k, unsigned n,
				    bool is_write)
{
	const uint64_t entry = rt_filter_entry(addr, k, is_write);
	const uint64_t end = rt_hot.filter->bytes / RT_FILTER_ENTRY + 1;
	const int64_t far = step >> k;
	uint64_t *row = rt_hot.filter->slot[k], is_new = 0;
	uint64_t at = (uint64_t)(rt_filter_slot(addr, k) - row);
	if (far == 1 && at + n <= end)
		return rt_row_note(row + at, entry, n, is_write);
	if (far == 0)
		return rt_slot_note(row + at, entry, is_write); /* the other places come later */
	if (at + (uint64_t)far * (n - 1) < end)			/* both ways */
		return places_note(row + at, far, entry, n, is_write);
	for (unsigned i = 0; i < n; i++, at = (at + (uint64_t)far) & (end - 1))
		is_new |= (uint64_t)rt_slot_note(&row[at], entry, is_write) << i;
	return is_new;
}

static void part_note(struct part *p, uint64_t first, unsigned n)
{
	const uintptr_t addr = p->addr + first * (uint64_t)p->step;
	const uintptr_t end = addr + (n - 1) * (uint64_t)p->step;
	if (addr >> (RT_FILTER_LOG + p->k) == end >> (RT_FILTER_LOG + p->k)) {
		p->is_new = p->is_write ? even_note(addr, p->step, p->k, n, true)
					: even_note(addr, p->step, p->k, n, false);
		return;
	}
	p->is_new = 0;
	for (unsigned i = 0; i < n; i++)
		p->is_new |= (uint64_t)access_note(addr + i * (uint64_t)p->step, p->k, p->is_write)
			     << i;
}

/* [order] */
static void tied_note(struct look *l, uint64_t first, unsigned n)
{
	for (unsigned j = 0; j < l->n; j++)
		if (l->part[j].is_tied)
			l->part[j].is_new = 0;
	for (unsigned i = 0; i < n; i++)
		for (unsigned j = 0; j < l->n; j++) {
			struct part *p = &l->part[j];
			if (p->is_tied)
				p->is_new |= (uint64_t)access_note(
						     p->addr + (first + i) * (uint64_t)p->step,
						     p->k, p->is_write)
					     << i;
		}
}

static void record_put(uint64_t what, uint32_t loc, uint32_t arg)
{
	if (rt.is_free)
		rt_lane_plain(what, loc, arg);
	else
		rt_put_what(what, loc, arg);
}

static void part_put(const struct look *l, const struct part *p, uint64_t i)
{
	record_put(rt_what(p->is_write ? RT_WRITE : RT_READ, 1u << p->k,
			   p->addr + i * (uint64_t)p->step),
		   p->loc, (uint32_t)(l->fuel - i * l->period - p->number - 1));
}

static void round_put(const struct look *l, uint64_t i)
{
	for (uint32_t rest = l->segment.parts; rest; rest &= rest - 1)
		part_put(l, &l->part[__builtin_ctz(rest)], i);
}

/* [record] */
static void segment_end(struct look *l)
{
	enum { ROUNDS = 2 };
	const uint64_t first = l->segment.first, n = l->segment.n;
	const uint32_t parts = l->segment.parts;
	if (!parts)
		return;
	for (uint32_t rest = parts; rest; rest &= rest - 1) {
		struct part *p = &l->part[__builtin_ctz(rest)];
		rt_hot.has_read |= !p->is_write;
		p->loc = p->loc ? p->loc : rt_location(p->pc);
	}
	const bool is_run = n > ROUNDS + 1 && rt_options.runs;
	for (uint64_t i = 0; i < (is_run ? ROUNDS : n); i++)
		round_put(l, first + i);
	if (is_run)
		record_put(rt_what(RT_AGAIN, (unsigned)__builtin_popcount(parts), 0), 0,
			   (uint32_t)(n - ROUNDS) * (uint32_t)__builtin_popcount(parts));
	rt_run_forget(&rt_run);
}

/* Iterations behind those of the segment. */
static void segment_add(struct look *l, uint32_t parts, uint64_t first, uint64_t n)
{
	if (parts == l->segment.parts) {
		l->segment.n += n;
		return;
	}
	segment_end(l);
	l->segment.parts = parts;
	l->segment.first = first;
	l->segment.n = n;
}

/* Cuts a block into iterations that record the same. */
static void block_cut(struct look *l, uint64_t first, unsigned n)
{
	for (unsigned at = 0, same; at < n; at += same) {
		uint32_t parts = 0;
		same = n - at;
		for (unsigned j = 0; j < l->n; j++) {
			const uint64_t is_new = l->part[j].is_new >> at, bit = is_new & 1;
			const uint64_t other = bit ? ~is_new : is_new;
			const unsigned length = other ? (unsigned)__builtin_ctzll(other) : BLOCK;
			parts |= (uint32_t)bit << j;
			same = length < same ? length : same;
		}
		segment_add(l, parts, first + at, same);
	}
}

static __attribute__((noinline)) void look(struct look *l, uint64_t n)
{
	const bool has_tied = l->has_steps && parts_tie(l, n);
	parts_order(l);
	for (uint64_t first = 0; first < n; first += BLOCK) {
		const unsigned here = n - first < BLOCK ? (unsigned)(n - first) : BLOCK;
		for (unsigned j = 0; j < l->n; j++) {
			struct part *p = &l->part[l->order[j]];
			if (!p->is_tied)
				part_note(p, first, here);
		}
		if (has_tied)
			tied_note(l, first, here);
		block_cut(l, first, here);
	}
	segment_end(l);
}

RT_ABI(RT_HOT void, __snag_loop_end, uint64_t n)
{
	const struct rt_thread *self = rt_hot.self;
	struct look l;
	if (loop.usual && *loop.usual != (uint32_t)n)
		*loop.usual = (uint32_t)n;
	if (rt_unlikely(!rt.on || !self || (self->state != RT_RUNNING && !rt.is_free) ||
			loop.n > RT_RUN_MAX || rt_hot.fuel < (int64_t)(n * loop.n))) {
		one_by_one(n);
		return;
	}
	if (rt_unlikely(rt.is_unheard || self->ignoring.accesses || self->is_open)) {
		rt_hot.fuel -= (int64_t)(n * loop.n);
		return;
	}
	l.n = 0;
	l.has_steps = false;
	if (rt_unlikely(rt_access_is_special()) || !parts_find(&l, n)) {
		one_by_one(n);
		return;
	}
	l.fuel = (uint64_t)rt_hot.fuel;
	l.period = loop.n;
	l.segment.parts = 0;
	if (l.n)
		look(&l, n);
	rt_hot.fuel = (int64_t)(l.fuel - n * l.period);
}
