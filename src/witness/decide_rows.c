/* SPDX-License-Identifier: Apache-2.0
 *
 * decide_rows.c - the weakest order that every witness keeps
 */
#include "witness/decide_rows.h"

#include "base/memory.h"
#include "witness/decide_index.h"
#include "witness/decide_ops.h"

#include <string.h>

static uint32_t row_new(struct snag_rows *rows, uint32_t nthreads)
{
	rows->counts = snag_huge_grow(rows->counts, &rows->cap, (rows->nrows + 1) * nthreads,
				      sizeof(*rows->counts));
	return (uint32_t)rows->nrows++;
}

/* The row `row` of a thread after `event`, with its row, has become known to it. */
static uint32_t row_join(struct snag_rows *rows, const struct snag_index *ix, uint32_t row,
			 uint32_t event)
{
	uint32_t n = ix->nthreads, u = snag_index_thread(ix, event);
	/* Rows are transitive: knowing an event is knowing all that precedes it. */
	if (snag_rows_at(rows, n, row)[u] > ix->position[event])
		return row;
	uint32_t joined = row_new(rows, n);
	const uint32_t *a = snag_rows_at(rows, n, row);
	const uint32_t *b = snag_rows_at(rows, n, rows->alone[event]);
	uint32_t *to = rows->counts + (size_t)joined * n;
	for (uint32_t t = 0; t < n; t++)
		to[t] = a[t] > b[t] ? a[t] : b[t];
	to[u] = ix->position[event] + 1;
	return joined;
}

/* The rows of the threads as the trace goes by. */
struct current {
	uint32_t causal, alone;
	uint32_t dependent;
	bool names;	 /* there were DEPENDS events since the last branch */
	uint32_t open;	 /* the position of the first, */
	uint32_t opened; /* and the row `causal` there */
	bool has_named;
};

/* What either row has. */
static uint32_t row_both(struct snag_rows *rows, const struct snag_index *ix, uint32_t a,
			 uint32_t b)
{
	uint32_t n = ix->nthreads;
	if (a == b)
		return a;
	uint32_t both = row_new(rows, n), *to = rows->counts + (size_t)both * n;
	const uint32_t *x = snag_rows_at(rows, n, a), *y = snag_rows_at(rows, n, b);
	for (uint32_t t = 0; t < n; t++)
		to[t] = x[t] > y[t] ? x[t] : y[t];
	return both;
}

/* The branch at position p of t depends on the reads of x before it: these are new. */
static uint32_t name_reads(struct snag_rows *rows, const struct snag_index *ix, uint32_t row,
			   snag_tid t, uint32_t p, uint32_t x)
{
	for (uint32_t i = ix->reads.first[x]; i < ix->reads.first[x + 1]; i++) {
		const struct snag_lane *lane = &ix->reads.lane[i];
		if (lane->thread != t)
			continue;
		for (uint32_t k = snag_lane_below(&ix->reads, lane, p); k-- > 0;) {
			uint32_t r = snag_index_event(ix, t, snag_lane_at(&ix->reads, lane, k));
			uint32_t w = ix->link[r];
			if (rows->named[r] != UINT32_MAX)
				break; /* and so are the earlier ones */
			rows->named[r] = p;
			if (w != SNAG_NO_EVENT && snag_index_thread(ix, w) != t)
				row = row_join(rows, ix, row, w);
		}
	}
	return row;
}

static void named_branch(struct snag_rows *rows, const struct snag_index *ix, struct current *c,
			 uint32_t e)
{
	snag_tid t = snag_index_thread(ix, e);
	if (c->dependent < c->open) { /* it depends on all reads from before it named any */
		c->alone = row_both(rows, ix, c->alone, c->opened);
		c->dependent = c->open;
	}
	for (uint32_t p = ix->position[e]; p-- > 0;) {
		const struct snag_event *ev = &ix->trace->ev[snag_index_event(ix, t, p)];
		if (ev->op == SNAG_OP_BRANCH)
			return;
		if (ev->op == SNAG_OP_DEPENDS)
			c->alone = name_reads(rows, ix, c->alone, t, ix->position[e], ev->target);
	}
}

static void event_row(struct snag_rows *rows, const struct snag_index *ix, struct current *now,
		      uint32_t e)
{
	const struct snag_event *ev = &ix->trace->ev[e];
	struct current *c = &now[ev->thread];
	bool is_dep = rows->dependent;
	uint32_t from = ix->link[e];
	if (snag_op_reads(ev->op) && from != SNAG_NO_EVENT &&
	    snag_index_thread(ix, from) != ev->thread)
		c->causal = row_join(rows, ix, c->causal, from);
	if (ev->op == SNAG_OP_JOIN && from != SNAG_NO_EVENT) {
		bool was_same = c->alone == c->causal;
		c->causal = row_join(rows, ix, c->causal, from);
		if (is_dep)
			c->alone = was_same ? c->causal : row_join(rows, ix, c->alone, from);
	}
	bool is_branch = ev->op == SNAG_OP_BRANCH, names = rows->named && c->names;
	bool on_all = snag_op_depends(ev->op) && !(is_branch && names);
	if (!is_dep || on_all)
		c->alone = c->causal;
	else if (is_branch)
		named_branch(rows, ix, c, e);
	if (is_dep && on_all)
		c->dependent = ix->position[e] + 1;
	if (ev->op == SNAG_OP_DEPENDS && !c->has_named) {
		c->has_named = true;
		c->open = ix->position[e];
		c->opened = c->causal;
	}
	c->names = ev->op == SNAG_OP_DEPENDS || (c->names && !is_branch);

	rows->causal[e] = c->causal;
	rows->alone[e] = c->alone;
	if (is_dep)
		rows->dependent[e] = c->dependent;
	if (ev->op == SNAG_OP_FORK && ix->fork[ev->target] == e) {
		uint32_t start = row_join(rows, ix, 0, e);
		rows->start[ev->target] = start;
		now[ev->target].causal = now[ev->target].alone = start;
	}
}

void snag_rows_init(struct snag_rows *rows, const struct snag_index *ix, enum snag_mode mode)
{
	memset(rows, 0, sizeof(*rows));
	rows->causal = snag_realloc(NULL, ix->nevents, sizeof(*rows->causal));
	rows->alone = rows->causal;
	rows->start = snag_calloc(ix->nthreads, sizeof(*rows->start));
	if (mode == SNAG_MODE_DEP) {
		rows->alone = snag_realloc(NULL, ix->nevents, sizeof(*rows->alone));
		rows->dependent = snag_realloc(NULL, ix->nevents, sizeof(*rows->dependent));
	}
	if (mode == SNAG_MODE_DEP && ix->has_depends) {
		rows->named = snag_realloc(NULL, ix->nevents, sizeof(*rows->named));
		memset(rows->named, 0xff, ix->nevents * sizeof(*rows->named));
	}
	row_new(rows, ix->nthreads);
	memset(rows->counts, 0, ix->nthreads * sizeof(*rows->counts));
	struct current *now = snag_calloc(ix->nthreads, sizeof(*now));
	for (uint32_t e = 0; e < ix->nevents; e++)
		event_row(rows, ix, now, e);
	free(now);
}

void snag_rows_done(struct snag_rows *rows)
{
	if (rows->alone != rows->causal)
		free(rows->alone);
	free(rows->causal);
	free(rows->start);
	free(rows->dependent);
	free(rows->named);
	snag_huge_free(rows->counts, rows->cap, sizeof(*rows->counts));
	memset(rows, 0, sizeof(*rows));
}
