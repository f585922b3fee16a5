/* SPDX-License-Identifier: Apache-2.0
 *
 * contended_access.c - what one access, or one synchronisation, does to the state of contended.h
 */
#include "detect/slice/contended_access.h"

void contended_readers_give(struct snag_contended *c, struct contended_variable *x)
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

void contended_pending_settle(struct snag_contended *c, uint32_t variable, snag_tid t,
			      bool is_write)
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
	const uint32_t time = x->wtime - (c->shares_times && x->wtime % 2 == 0);
	if (open & SNAG_WANT_KEPT && time > snag_kept_order_bound(&c->kept, t, x->writer))
		snag_kept_order_reads(&c->kept, t, event, x->writer, time);
	if (open & SNAG_WANT_LIKELY) {
		if (c->pending[t].variable != variable) {
			pending_apply(c, t);
			c->npending++;
		}
		c->pending[t] = (struct pending){variable, event, x->writer, time};
	}
	bounds_change(c);
}

/* Marks a variable as wanted: an access at this location conflicts with another, and the orders
 * `open` do not order the two. */
static void want(struct snag_contended *c, struct contended_variable *x, unsigned open,
		 snag_loc loc)
{
	c->counts.contended++;
	c->counts.observed += open & ~x->flags & SNAG_WANT_HB;
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

void contended_read_slow(struct snag_contended *c, uint32_t variable, snag_tid t, uint32_t event,
			 snag_loc loc)
{
	struct contended_variable *x = &c->x[variable];
	unsigned open = 0;
	if (x->wtime && x->writer != t)
		open = unordered(c, t, x->writer, x->wtime);
	if (open)
		want(c, x, open, loc);
	if (open && !(x->flags & PARTIAL))
		read_sees(c, variable, t, event, open);
	if (x->reader != READERS &&
	    (x->rtime == 0 || x->reader == t || x->rtime <= bound(c, t, x->reader))) {
		x->reader = t & READERS;
		x->rtime = event + 1;
	} else {
		reader_add(c, x, t, event + 1);
	}
}

void contended_write_slow(struct snag_contended *c, uint32_t variable, snag_tid t, uint32_t event,
			  snag_loc loc)
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
	contended_readers_give(c, x);
	x->writer = t & READERS;
	x->wtime = event + 1;
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
	contended_pending_settle(c, ev->target, ev->thread, true);
	contended_readers_give(c, x);
	x->writer = ev->thread & READERS;
	x->wtime = event + 1;
}

void contended_sync(struct snag_contended *c, const struct snag_event *ev, uint32_t event)
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

void contended_reserve(struct snag_contended *c, const struct snag_batch *batch)
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

void contended_readers_copy(struct snag_contended *c, struct contended_variable *x)
{
	if (x->reader != READERS)
		return;
	const uint32_t cap = 1u << x->readers_log, from = x->rtime;
	x->rtime = snag_arrays_take(&c->readers, cap, sizeof(struct contended_reader));
	memcpy(readers_of(c, x), (struct contended_reader *)c->readers.at + from,
	       cap * sizeof(struct contended_reader));
}

unsigned contended_wanted(const struct snag_contended *c, const struct contended_variable *x)
{
	unsigned flags = x->flags & c->wants;
	if ((x->flags & (ATOMIC | PLAIN)) == (ATOMIC | PLAIN))
		return c->wants;
	if (!(x->flags & UNGUARDED)) /* [guarded] [counter] */
		flags &= ~(unsigned)(SNAG_WANT_LIKELY | (x->flags & BLIND ? 0 : SNAG_WANT_KEPT));
	return flags;
}

bool contended_is_counter(const struct snag_contended *c, const struct contended_variable *x)
{
	return x->flags & c->wants & SNAG_WANT_KEPT && !(x->flags & (ATOMIC | UNGUARDED | BLIND));
}

bool contended_is_in_slice(const struct snag_contended *c, const struct contended_variable *x)
{
	return x->flags & ATOMIC || contended_wanted(c, x) || contended_is_counter(c, x);
}
