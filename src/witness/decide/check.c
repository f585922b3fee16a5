/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - checking a long witness without replaying its beginning
 *
 * Idea.   A prefix of every thread, in observed order, keeps the rules that the trace itself
 *         keeps, with two exceptions: something it needs may be missing, and a section may be
 *         cut open with a later one of the same lock inside.  A read cannot see another write,
 *         because its writer is there and nothing was added.  So the index checks the prefix
 *         thread by thread, and only the listed events are replayed.
 *
 * State.  done[t]      events of t that have happened
 *         total[t]     those of the whole witness
 *         causal[t]    reads among the first causal[t] events must keep their writer, and in
 *                      dependence modes those that are named in the witness (rows.h)
 *         touched      of the variables and locks of the listed events: the last write, the
 *                      holders; before the first touch they are as the prefix left them
 *
 * Rules.  Those of check.c, by the same names.
 * Cost.   O(threads x lanes) for the prefix, with named reads also the edges in it; for each listed
 *         event O(1), at the first read of a variable the writes that were observed after the one
 *         it saw.
 */
#include "witness/decide/check.h"

#include "base/keyed.h"
#include "base/memory.h"
#include "witness/decide/ops.h"

#include <string.h>

struct touched {
	uint64_t key;	  /* 1 + twice the variable, 2 + twice the lock */
	uint32_t last;	  /* variable: the write a read sees; lock: the thread that holds it, */
			  /* or SNAG_NO_EVENT */
	uint32_t readers; /* lock: how many hold it together */
};

struct replay {
	const struct snag_index *ix;
	const struct snag_rows *rows;
	const struct snag_witness *w;
	uint32_t *done, *total, *causal;
	uint32_t last; /* event of the prefix */
	struct snag_keyed touched;
};

static bool check_program_order(struct replay *r) /* [number], [program], [race] */
{
	const struct snag_index *ix = r->ix;
	const struct snag_witness *w = r->w;
	for (snag_tid t = 0; t < ix->nthreads; t++) {
		if (w->prefix[t] > snag_threads_length(&ix->threads, t))
			return false;
		r->done[t] = w->prefix[t];
	}
	for (size_t i = 0; i < w->n; i++)
		if (w->event[i] >= ix->nevents ||
		    ix->position[w->event[i]] != r->done[snag_index_thread(ix, w->event[i])]++)
			return false;
	if (w->n < 2)
		return false;
	const struct snag_event *a = &ix->trace->ev[w->event[w->n - 2]];
	const struct snag_event *b = &ix->trace->ev[w->event[w->n - 1]];
	return snag_op_is_access(a->op) && snag_op_is_access(b->op) && a->target == b->target &&
	       a->thread != b->thread && (a->op == SNAG_OP_WRITE || b->op == SNAG_OP_WRITE);
}

/* From done[], which counts all events of the witness, to that of the prefix.  False: a causal read
 * misses its writer. */
static bool causal_find(struct replay *r)
{
	const struct snag_rows *rows = r->rows;
	uint32_t n = r->ix->nthreads;
	struct snag_rows_walk walk;
	bool is_closed = true;
	memcpy(r->total, r->done, n * sizeof(*r->total));
	memcpy(r->causal, r->done, n * sizeof(*r->causal));
	memcpy(r->done, r->w->prefix, n * sizeof(*r->done));
	if (!rows->dependent)
		return true;
	uint32_t *cut = snag_calloc(rows->width, sizeof(*cut));
	snag_walk_init(&walk, rows);
	for (snag_tid t = 0; t < n; t++)
		snag_rows_add(r->ix, rows, &walk, cut, t, r->total[t]);
	for (snag_tid t = 0; t < n; t++) {
		is_closed &= cut[t] <= r->total[t];
		r->causal[t] = snag_rows_keeps(rows, cut, t);
	}
	snag_walk_done(&walk);
	free(cut);
	return is_closed;
}

static bool is_causal(const struct replay *r, uint32_t read)
{
	snag_tid t = snag_index_thread(r->ix, read);
	return r->ix->position[read] < r->causal[t] ||
	       (r->rows->named && r->rows->named[read] < r->total[t]);
}

/* [read] inside the prefix, of named reads. */
static bool check_named(const struct replay *r, snag_tid t)
{
	const struct snag_row_edge *edge = r->rows->edge + r->rows->first[t];
	const struct snag_row_edge *end = r->rows->edge + r->rows->first[t + 1];
	for (; r->rows->named && edge < end && edge->at < r->done[t]; edge++)
		if (edge->is_read && edge->count > r->done[edge->thread] &&
		    is_causal(r, snag_index_event(r->ix, t, edge->at)))
			return false;
	return true;
}

/* [fork], [join], [read] inside the prefix: all that must precede it is in it. */
static bool check_closed(const struct replay *r, snag_tid t)
{
	if (r->done[t] == 0)
		return true;
	uint32_t causal = r->causal[t] < r->done[t] ? r->causal[t] : r->done[t];
	struct snag_point p = snag_point_causal(r->ix, r->rows, t, r->done[t], causal);
	return snag_rows_is_within(r->ix, r->rows, &p, r->done) && check_named(r, t);
}

/* [lock] inside the prefix: an open section must be the last of its lock. */
static bool check_open(const struct replay *r, uint32_t acquire)
{
	const struct snag_index *ix = r->ix;
	const struct snag_event *ev = &ix->trace->ev[acquire];
	uint32_t key = 2 * ev->target, nkeys = ev->op == SNAG_OP_ACQUIRE ? 2 : 1;
	for (uint32_t i = ix->sections.first[key]; i < ix->sections.first[key + nkeys]; i++) {
		const struct snag_lane *lane = &ix->sections.lane[i];
		uint32_t k = snag_lane_below(&ix->sections, lane, r->done[lane->thread]);
		if (k == 0 || lane->thread == ev->thread)
			continue;
		uint32_t p = snag_lane_at(&ix->sections, lane, k - 1);
		if (snag_index_event(ix, lane->thread, p) > acquire)
			return false;
	}
	return true;
}

static bool check_prefix(const struct replay *r)
{
	const struct snag_index *ix = r->ix;
	for (snag_tid t = 0; t < ix->nthreads; t++) {
		uint32_t node = snag_index_held(ix, t, r->done[t]);
		if (!check_closed(r, t))
			return false;
		for (; node; node = ix->node[node].below)
			if (!check_open(r, ix->node[node].acquire))
				return false;
	}
	return true;
}

/* The entry of a key; *ret_is_new: it was not there. */
static struct touched *touch(struct replay *r, uint64_t key, bool *ret_is_new)
{
	size_t before = r->touched.n;
	struct touched *x = snag_keyed_put(&r->touched, key);
	*ret_is_new = r->touched.n > before;
	return x;
}

static void write_variable(struct replay *r, uint32_t variable, uint32_t e)
{
	bool is_new;
	touch(r, 1 + 2 * (uint64_t)variable, &is_new)->last = e;
}

/* Whether a read of the variable sees w now. */
static bool sees(struct replay *r, uint32_t variable, uint32_t w)
{
	bool is_new;
	struct touched *x = touch(r, 1 + 2 * (uint64_t)variable, &is_new);
	if (is_new && !snag_index_is_seen(r->ix, r->w->prefix, r->last, variable, w))
		return false;
	if (is_new)
		x->last = w;
	return x->last == w;
}

static struct touched *touch_lock(struct replay *r, uint32_t lock)
{
	bool is_new;
	struct touched *l = touch(r, 2 + 2 * (uint64_t)lock, &is_new);
	if (is_new)
		l->last = SNAG_NO_EVENT;
	return l;
}

static void take(struct replay *r, const struct snag_event *ev)
{
	struct touched *l = touch_lock(r, ev->target);
	if (ev->op == SNAG_OP_ACQUIRE)
		l->last = ev->thread;
	else
		l->readers++;
}

static bool step_lock(struct replay *r, const struct snag_event *ev) /* [lock] */
{
	struct touched *l = touch_lock(r, ev->target);
	switch (ev->op) {
	case SNAG_OP_ACQUIRE:
	case SNAG_OP_ACQUIRE_SHARED:
		if (l->last != SNAG_NO_EVENT || (ev->op == SNAG_OP_ACQUIRE && l->readers))
			return false;
		take(r, ev);
		return true;
	case SNAG_OP_RELEASE:
		l->last = SNAG_NO_EVENT;
		return true;
	default:
		l->readers--;
		return true;
	}
}

static bool has_happened(const struct replay *r, uint32_t e)
{
	return e == SNAG_NO_EVENT || r->ix->position[e] < r->done[snag_index_thread(r->ix, e)];
}

static bool step(struct replay *r, uint32_t e, bool is_racing)
{
	const struct snag_index *ix = r->ix;
	const struct snag_event *ev = &ix->trace->ev[e];
	bool keeps = !is_racing && is_causal(r, e);
	if (!has_happened(r, ix->fork[ev->thread])) /* [fork] */
		return false;
	if (ev->op == SNAG_OP_JOIN && !has_happened(r, ix->link[e])) /* [join] */
		return false;
	if (snag_op_reads(ev->op) && keeps && !sees(r, ev->target, ix->link[e])) /* [read] */
		return false;
	if (snag_op_info[ev->op].space == SNAG_SPACE_LOCK && !(ev->flags & SNAG_NESTED) &&
	    !step_lock(r, ev))
		return false;
	if (snag_op_writes(ev->op))
		write_variable(r, ev->target, e);
	r->done[ev->thread]++;
	return true;
}

static bool check_listed(struct replay *r)
{
	const struct snag_index *ix = r->ix;
	size_t nheld = 0, nslots = 64;
	for (snag_tid t = 0; t < ix->nthreads; t++)
		for (uint32_t node = snag_index_held(ix, t, r->done[t]); node;
		     node = ix->node[node].below)
			nheld++;
	/* An event touches at most one variable or lock: the table never gets full. */
	while (nslots < 2 * (r->w->n + nheld + 1))
		nslots *= 2;
	snag_keyed_move(&r->touched, snag_calloc(nslots, r->touched.elem), nslots);
	for (snag_tid t = 0; t < ix->nthreads; t++)
		for (uint32_t node = snag_index_held(ix, t, r->done[t]); node;
		     node = ix->node[node].below)
			take(r, &ix->trace->ev[ix->node[node].acquire]);
	for (size_t i = 0; i < r->w->n; i++)
		if (!step(r, r->w->event[i], i + 2 >= r->w->n))
			return false;
	return true;
}

bool snag_witness_check_indexed(const struct snag_index *ix, enum snag_mode mode,
				const struct snag_witness *w)
{
	struct replay r = {
		.ix = ix, .rows = &ix->rows[mode], .w = w, .touched.elem = sizeof(struct touched)};
	r.done = snag_calloc(ix->nthreads, sizeof(*r.done));
	r.total = snag_calloc(ix->nthreads, sizeof(*r.total));
	r.causal = snag_calloc(ix->nthreads, sizeof(*r.causal));
	bool is_valid = check_program_order(&r);
	if (is_valid && (is_valid = causal_find(&r))) {
		r.last = snag_index_last(ix, w->prefix);
		is_valid = check_prefix(&r) && check_listed(&r);
	}
	free(r.done);
	free(r.total);
	free(r.causal);
	snag_keyed_done(&r.touched);
	return is_valid;
}
