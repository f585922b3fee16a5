/* SPDX-License-Identifier: Apache-2.0
 *
 * contended.c - which variables a detector has to look at
 */
#include "detect/slice/contended_state.h"

struct snag_contended *snag_contended_new(unsigned wants)
{
	struct snag_contended *c = snag_calloc(1, sizeof(*c));
	c->wants = wants;
	c->acting = SNAG_NO_ID;
	snag_clocks_init(&c->hb);
	snag_kept_order_init(&c->kept);
	snag_kept_order_init(&c->likely);
	snag_arrays_take(&c->readers, READERS_LEAST,
			 sizeof(struct contended_reader)); /* none begins at 0 */
	return c;
}

void snag_contended_free(struct snag_contended *c)
{
	if (!c)
		return;
	snag_huge_free(c->x, c->x_cap, sizeof(*c->x));
	snag_arrays_done(&c->readers, sizeof(struct contended_reader));
	snag_clocks_done(&c->hb);
	snag_kept_order_done(&c->kept);
	snag_kept_order_done(&c->likely);
	free(c->pending);
	free(c->nlikely);
	for (size_t i = 0; i < c->held_cap; i++)
		free(c->held[i].at);
	free(c->held);
	snag_huge_free(c->guard, c->guard_cap, sizeof(*c->guard));
	free(c);
}

struct snag_contended_counts snag_contended_counts(const struct snag_contended *c)
{
	struct snag_contended_counts counts = c->counts;
	counts.events += counts.in_runs;
	return counts;
}

static unsigned wanted(const struct snag_contended *c, const struct contended_variable *x)
{
	unsigned flags = x->flags & c->wants;
	if ((x->flags & (ATOMIC | PLAIN)) == (ATOMIC | PLAIN))
		return c->wants;
	if (!(x->flags & UNGUARDED)) /* [guarded] [counter] */
		flags &= ~(unsigned)(SNAG_WANT_LIKELY | (x->flags & BLIND ? 0 : SNAG_WANT_KEPT));
	return flags;
}

static bool is_counter(const struct snag_contended *c, const struct contended_variable *x)
{
	return x->flags & c->wants & SNAG_WANT_KEPT && !(x->flags & (ATOMIC | UNGUARDED | BLIND));
}

uint32_t snag_contended_variables(const struct snag_contended *c)
{
	uint32_t n = 0;
	for (size_t v = 0; v < c->nvariables; v++)
		n += wanted(c, &c->x[v]) != 0;
	return n;
}

unsigned snag_contended_wanted(const struct snag_contended *c, uint32_t variable)
{
	return variable < c->nvariables ? wanted(c, &c->x[variable]) : 0;
}

bool snag_contended_is_in_slice(const struct snag_contended *c, uint32_t variable)
{
	return variable < c->nvariables &&
	       (c->x[variable].flags & ATOMIC || wanted(c, &c->x[variable]) ||
		is_counter(c, &c->x[variable]));
}

bool snag_contended_is_counter(const struct snag_contended *c, uint32_t variable)
{
	return variable < c->nvariables && is_counter(c, &c->x[variable]) &&
	       !wanted(c, &c->x[variable]);
}

/* Readers. */

static struct contended_reader *readers_of(const struct snag_contended *c,
					   const struct contended_variable *x)
{
	return (struct contended_reader *)c->readers.at + x->rtime;
}

static void readers_give(struct snag_contended *c, struct contended_variable *x)
{
	if (x->reader == READERS)
		snag_arrays_give(&c->readers, x->rtime, 1u << x->readers_log,
				 sizeof(struct contended_reader));
	x->reader = x->rtime = 0;
}

/* Begins a list of readers with the existing one. */
static void readers_begin(struct snag_contended *c, struct contended_variable *x)
{
	const struct contended_reader first = {x->reader, x->rtime};
	x->rtime = snag_arrays_take(&c->readers, READERS_LEAST, sizeof(struct contended_reader));
	x->reader = READERS;
	x->readers_log = (unsigned)__builtin_ctz(READERS_LEAST);
	struct contended_reader *list = readers_of(c, x);
	memset(list, 0, READERS_LEAST * sizeof(*list));
	list[0] = first;
}

static void reader_add(struct snag_contended *c, struct contended_variable *x, snag_tid t,
		       uint32_t time)
{
	if (x->reader != READERS)
		readers_begin(c, x);
	uint32_t n = 0, cap = 1u << x->readers_log;
	for (struct contended_reader *list = readers_of(c, x); n < cap && list[n].time; n++)
		if (list[n].thread == t) {
			list[n].time = time;
			return;
		}
	if (n == cap) {
		uint32_t first = x->rtime;
		snag_arrays_double(&c->readers, &first, &cap, cap, sizeof(struct contended_reader));
		x->rtime = first;
		x->readers_log++;
		memset(readers_of(c, x) + n, 0, (cap - n) * sizeof(struct contended_reader));
	}
	readers_of(c, x)[n] = (struct contended_reader){t, time};
}

/* Accesses. */

/* Applies the pending read of a thread: it was not one of a counter. */
static void pending_apply(struct snag_contended *c, snag_tid t)
{
	struct pending *p = &c->pending[t];
	if (p->variable == SNAG_NO_ID)
		return;
	p->variable = SNAG_NO_ID;
	c->npending--;
	if (p->wtime > snag_kept_order_bound(&c->likely, t, p->writer))
		snag_kept_order_reads(&c->likely, t, p->event, p->writer, p->wtime);
	bounds_change(c);
}

/* Before the next access of t: a write to the variable that it has just read makes that read one
 * of a counter, which orders nothing.  Accesses of variables that no other thread uses do not
 * count. */
static void pending_settle(struct snag_contended *c, uint32_t variable, snag_tid t, bool is_write)
{
	struct pending *p = &c->pending[t];
	const struct contended_variable *x = &c->x[variable];
	if (p->variable == SNAG_NO_ID ||
	    ((x->wtime == 0 || x->writer == t) && (x->rtime == 0 || x->reader == t) &&
	     p->variable != variable))
		return;
	if (!is_write || p->variable != variable) {
		pending_apply(c, t);
	} else {
		p->variable = SNAG_NO_ID;
		c->npending--;
	}
}

/* Handles a read of t that sees the last write of x; the orders `open` do not order the two. */
static void read_sees(struct snag_contended *c, uint32_t variable, snag_tid t, uint32_t event,
		      unsigned open)
{
	const struct contended_variable *x = &c->x[variable];
	if (open & SNAG_WANT_KEPT)
		snag_kept_order_reads(&c->kept, t, event, x->writer, x->wtime);
	if (open & SNAG_WANT_LIKELY) {
		if (c->pending[t].variable != variable) {
			pending_apply(c, t);
			c->npending++;
		}
		c->pending[t] = (struct pending){variable, event, x->writer, x->wtime};
	}
	bounds_change(c);
}

/* Marks a variable as wanted: an access at this location conflicts with another, and the orders
 * `open` do not order the two. */
static void want(struct snag_contended *c, struct contended_variable *x, unsigned open,
		 snag_loc loc)
{
	c->counts.contended++;
	if (open & SNAG_WANT_LIKELY && !(x->flags & SNAG_WANT_LIKELY)) { /* [few] */
		c->nlikely = snag_grow(c->nlikely, &c->nlikely_cap, (size_t)loc + 1,
				       sizeof(*c->nlikely));
		if (c->nlikely[loc] == LIKELY_MOST)
			open &= ~(unsigned)SNAG_WANT_LIKELY;
		else
			c->nlikely[loc]++;
	}
	x->flags |= open;
}

static __attribute__((noinline)) void read_slow(struct snag_contended *c, uint32_t variable,
						snag_tid t, uint32_t event, snag_loc loc)
{
	struct contended_variable *x = &c->x[variable];
	unsigned open = 0;
	if (x->wtime && x->writer != t)
		open = unordered(c, t, x->writer, x->wtime);
	if (open) {
		want(c, x, open, loc);
		read_sees(c, variable, t, event, open);
	}
	if (x->reader != READERS &&
	    (x->rtime == 0 || x->reader == t || x->rtime <= bound(c, t, x->reader))) {
		x->reader = t & READERS;
		x->rtime = event + 1;
	} else {
		reader_add(c, x, t, event + 1);
	}
}

static __attribute__((noinline)) void write_slow(struct snag_contended *c, uint32_t variable,
						 snag_tid t, uint32_t event, snag_loc loc)
{
	struct contended_variable *x = &c->x[variable];
	unsigned open = 0;
	if (x->wtime && x->writer != t)
		open = unordered(c, t, x->writer, x->wtime);
	if (x->reader == READERS) {
		const struct contended_reader *list = readers_of(c, x);
		for (uint32_t i = 0; i < 1u << x->readers_log && list[i].time; i++)
			if (list[i].thread != t)
				open |= unordered(c, t, list[i].thread, list[i].time);
	} else if (x->rtime && x->reader != t) {
		open |= unordered(c, t, x->reader, x->rtime);
	}
	if (open)
		want(c, x, open, loc);
	if (open & SNAG_WANT_KEPT)
		x->flags |= BLIND;
	readers_give(c, x);
	x->writer = t & READERS;
	x->wtime = event + 1;
}

/* Whether all orders have the last write before the next event of t. */
static inline bool is_after_write(struct snag_contended *c, const struct contended_variable *x,
				  snag_tid t)
{
	return x->writer == t || x->wtime <= bound(c, t, x->writer);
}

/* The entry of t in a list of readers, if it is one of the first; or NULL. */
static inline struct contended_reader *reader_find(const struct snag_contended *c,
						   const struct contended_variable *x, snag_tid t)
{
	struct contended_reader *list = readers_of(c, x);
	return list[0].thread == t		     ? &list[0]
	       : list[1].thread == t && list[1].time ? &list[1]
						     : NULL;
}

/* A read or write is quick if it only changes the times of the variable: all orders order it.
 * Then it is also quick after any other quick access of its thread. */
static inline bool read_is_quick(struct snag_contended *c, const struct contended_variable *x,
				 snag_tid t)
{
	return is_after_write(c, x, t) &&
	       (x->reader == t || x->rtime == 0 ||
		(x->reader == READERS ? reader_find(c, x, t) != NULL
				      : x->rtime <= bound(c, t, x->reader)));
}

static inline bool write_is_quick(struct snag_contended *c, const struct contended_variable *x,
				  snag_tid t)
{
	return is_after_write(c, x, t) &&
	       (x->reader == t || x->rtime == 0 ||
		(x->reader != READERS && x->rtime <= bound(c, t, x->reader)));
}

/* The steps of a loop are not processed in the order of their events: of several accesses of one
 * thread the last one counts. */
static inline uint32_t later(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static inline void read_quickly(struct snag_contended *c, struct contended_variable *x, snag_tid t,
				uint32_t event)
{
	uint32_t *time = &x->rtime;
	if (__builtin_expect(x->reader == READERS, 0))
		time = &reader_find(c, x, t)->time;
	else if (x->reader != t)
		x->rtime = 0;
	if (x->reader != READERS)
		x->reader = t & READERS;
	*time = later(*time, event + 1);
}

static inline void write_quickly(struct contended_variable *x, snag_tid t, uint32_t event)
{
	x->wtime = later(x->writer == t ? x->wtime : 0, event + 1);
	x->writer = t & READERS;
	x->reader = x->rtime = 0;
}

static inline void plain_access(struct snag_contended *c, const struct snag_event *ev,
				uint32_t event)
{
	const uint32_t variable = ev->target;
	const snag_tid t = ev->thread;
	const bool is_write = ev->op == SNAG_OP_WRITE;
	struct contended_variable *x = &c->x[variable];
	if (__builtin_expect(c->acting != t, 0))
		acting_change(c, t);
	variable_mark(c, variable, is_write);
	if (__builtin_expect(c->npending != 0, 0))
		pending_settle(c, variable, t, is_write);
	if (is_write ? write_is_quick(c, x, t) : read_is_quick(c, x, t)) {
		if (is_write)
			write_quickly(x, t, event);
		else
			read_quickly(c, x, t, event);
	} else {
		if (is_write)
			write_slow(c, variable, t, event, ev->loc);
		else
			read_slow(c, variable, t, event, ev->loc);
	}
}

/* [atomic] Only the edges from a write to those that read it matter: the variable is wanted as
 * soon as it has plain accesses too. */
static void atomic_access(struct snag_contended *c, const struct snag_event *ev, uint32_t event)
{
	struct contended_variable *x = &c->x[ev->target];
	x->flags |= ATOMIC;
	if (c->pending[ev->thread].variable != ev->target)
		pending_apply(c, ev->thread);
	if (ev->op != SNAG_OP_ATOMIC_WRITE && x->wtime && x->writer != ev->thread) {
		unsigned open = unordered(c, ev->thread, x->writer, x->wtime);
		if (open & (SNAG_WANT_KEPT | SNAG_WANT_LIKELY))
			read_sees(c, ev->target, ev->thread, event, open);
	}
	if (snag_event_is_wait(ev))
		pending_apply(c, ev->thread);
	if (ev->op == SNAG_OP_ATOMIC_READ)
		return;
	pending_settle(c, ev->target, ev->thread, true);
	readers_give(c, x);
	x->writer = ev->thread & READERS;
	x->wtime = event + 1;
}

static void sync_event(struct snag_contended *c, const struct snag_event *ev, uint32_t event)
{
	if (ev->flags & SNAG_NESTED)
		return;
	if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED)
		lock_take(&c->held[ev->thread], ev);
	else if (ev->op == SNAG_OP_RELEASE || ev->op == SNAG_OP_RELEASE_SHARED)
		lock_give(&c->held[ev->thread], ev);
	if (!(snag_op_is_atomic(ev->op) && ev->op != SNAG_OP_FENCE))
		pending_apply(c, ev->thread);
	if (c->wants & SNAG_WANT_HB)
		snag_clocks_sync(&c->hb, ev, event);
	snag_kept_order_sync(&c->kept, ev, event);
	snag_kept_order_sync(&c->likely, ev, event);
	if (snag_op_is_atomic(ev->op) && ev->op != SNAG_OP_FENCE)
		atomic_access(c, ev, event);
	c->acting = SNAG_NO_ID;
}

static void event_take(struct snag_contended *c, const struct snag_event *ev, uint32_t event)
{
	switch (ev->op) {
	case SNAG_OP_READ:
	case SNAG_OP_WRITE:
		c->counts.accesses++;
		plain_access(c, ev, event);
		break;
	case SNAG_OP_BRANCH:
	case SNAG_OP_BEGIN:
	case SNAG_OP_END:
	case SNAG_OP_DEPENDS:
		break;
	default:
		sync_event(c, ev, event);
	}
}

/* Runs. */

enum { SLOW_ROUNDS = 64 };

/* How many accesses of a step of a loop, from the first, are quick; at most n. */
static uint32_t step_quick(struct snag_contended *c, const struct snag_event *ev, uint32_t stride,
			   uint32_t n)
{
	const struct contended_variable *const all = c->x;
	const snag_tid t = ev->thread;
	uint32_t variable = ev->target, i = 0;
	if (!snag_op_is_access(ev->op))
		return 0;
	n = stride == 0 && n > 1 ? 1 : n;
	if (ev->op == SNAG_OP_WRITE)
		for (; i < n && write_is_quick(c, &all[variable], t); i++)
			variable += stride;
	else
		for (; i < n && read_is_quick(c, &all[variable], t); i++)
			variable += stride;
	return i == n && stride == 0 ? UINT32_MAX : i;
}

/* Makes n accesses of a step, which are quick; `event` is the number of the first, the others
 * follow `period` events apart. */
static void step_take(struct snag_contended *c, const struct snag_event *ev, uint32_t stride,
		      uint32_t n, uint32_t event, uint32_t period)
{
	struct contended_variable *const all = c->x;
	const snag_tid t = ev->thread;
	uint32_t variable = ev->target;
	if (stride == 0 && n > 1) {
		event += (n - 1) * period;
		n = 1;
	}
	for (uint32_t i = 0; i < n; i++)
		variable_mark(c, variable + stride * i, ev->op == SNAG_OP_WRITE);
	if (ev->op == SNAG_OP_WRITE)
		for (uint32_t i = 0; i < n; i++, variable += stride, event += period)
			write_quickly(&all[variable], t, event);
	else
		for (uint32_t i = 0; i < n; i++, variable += stride, event += period)
			read_quickly(c, &all[variable], t, event);
}

/* Processes the rounds of a loop, from the first, in which all accesses are quick; returns their
 * number.  A thread learns nothing from quick accesses, so they are processed step by step:
 * first the writes, so that reads of what the loop wrote before are not forgotten. */
static uint32_t rounds_quick(struct snag_contended *c, const struct snag_steps *s, uint32_t rounds,
			     uint32_t event)
{
	for (uint32_t i = 0; i < s->period && rounds > 0; i++) {
		uint32_t quick = step_quick(c, &s->next[i], s->stride[i], rounds);
		rounds = quick < rounds ? quick : rounds;
	}
	for (int op = SNAG_OP_WRITE, k = 0; rounds > 0 && k < 2; op = SNAG_OP_READ, k++)
		for (uint32_t i = 0; i < s->period; i++)
			if (s->next[i].op == op)
				step_take(c, &s->next[i], s->stride[i], rounds, event + i,
					  s->period);
	c->counts.accesses += (uint64_t)rounds * s->period;
	return rounds;
}

/* The events of a run, of which s->at is 0. */
static void run_take(struct snag_contended *c, struct snag_steps s, uint32_t n, uint32_t event)
{
	if (c->acting != s.next[0].thread)
		acting_change(c, s.next[0].thread);
	while (n > 0) {
		uint32_t quick = n / s.period;
		if (c->npending == 0 && quick > 0) {
			quick = rounds_quick(c, &s, quick, event) * s.period;
			snag_steps_skip(&s, quick);
			event += quick;
			n -= quick;
		}
		uint32_t slow = n < SLOW_ROUNDS * s.period ? n : SLOW_ROUNDS * s.period;
		n -= slow;
		for (; slow > 0; slow--) {
			struct snag_event ev = snag_steps_next(&s);
			event_take(c, &ev, event++);
		}
	}
}

static void reserve(struct snag_contended *c, const struct snag_batch *batch)
{
	size_t nthreads = batch->counts.n[SNAG_SPACE_THREAD], had = c->pending_cap;
	snag_clocks_reserve(&c->hb, batch);
	snag_kept_order_reserve(&c->kept, nthreads);
	snag_kept_order_reserve(&c->likely, nthreads);
	c->pending = snag_grow(c->pending, &c->pending_cap, nthreads, sizeof(*c->pending));
	for (; had < c->pending_cap; had++)
		c->pending[had].variable = SNAG_NO_ID;
	c->held = snag_grow(c->held, &c->held_cap, nthreads, sizeof(*c->held));
	c->nvariables = batch->counts.n[SNAG_SPACE_VARIABLE];
	c->x = snag_huge_grow(c->x, &c->x_cap, c->nvariables, sizeof(*c->x));
	c->guard = snag_huge_grow(c->guard, &c->guard_cap, c->nvariables, sizeof(*c->guard));
}

/* [split] The new variable begins with the past of the one it was split off. */
static void splits_take(struct snag_contended *c, uint64_t number)
{
	for (; c->split < c->split_end && c->split->event <= number; c->split++) {
		struct contended_variable *x = &c->x[c->split->variable];
		*x = c->x[c->split->from];
		c->guard[c->split->variable] = c->guard[c->split->from];
		if (x->reader != READERS)
			continue;
		const uint32_t cap = 1u << x->readers_log, from = x->rtime;
		x->rtime = snag_arrays_take(&c->readers, cap, sizeof(struct contended_reader));
		memcpy(readers_of(c, x), (struct contended_reader *)c->readers.at + from,
		       cap * sizeof(struct contended_reader));
	}
}

static inline void walk_event(void *ctx, const struct snag_event *ev, uint64_t number)
{
	struct snag_contended *c = ctx;
	if (__builtin_expect(c->split < c->split_end, 0))
		splits_take(c, number);
	if (c->end - ev > AHEAD)
		__builtin_prefetch(&c->x[ev[AHEAD].target], 1);
	event_take(c, ev, (uint32_t)number);
}

static void walk_run(void *ctx, const struct snag_steps *steps, uint32_t n, uint64_t number)
{
	splits_take(ctx, number);
	run_take(ctx, *steps, n, (uint32_t)number);
	((struct snag_contended *)ctx)->counts.in_runs += n;
}

void snag_contended_batch(struct snag_contended *c, const struct snag_batch *batch)
{
	reserve(c, batch);
	c->end = batch->ev + batch->n;
	c->split = batch->split;
	c->split_end = batch->split + batch->nsplits;
	snag_walk_batch(&c->walk, batch, walk_event, walk_run, c);
	splits_take(c, UINT64_MAX);
	c->counts.events += batch->n;
}
