/* SPDX-License-Identifier: Apache-2.0
 *
 * decide_rows_build.c - the weakest order that every witness keeps: finding its edges
 *
 * Idea.   As the trace goes by, every thread has the row of what it knows, if all its reads are
 *         causal.  What a read brings is an edge only if it is new to that row; the row then grows
 *         by it, along the edges found so far.  Forks and joins are edges always.  A
 *         thread that is over has no row any more, so that there are as many as threads live at
 *         once.
 *
 * Cost.   What the rows grow by; threads that live at once x threads x 4 bytes.
 */
#include "base/memory.h"
#include "witness/decide_index.h"
#include "witness/decide_ops.h"

#include <string.h>

enum {
	FEW_THREADS = 16,    /* all rows are kept, otherwise */
	BYTES_PER_EDGE = 16, /* of rows */
};

/* What is known of a thread as the trace goes by. */
struct current {
	uint32_t *row;	/* NULL: all zeros, or not needed */
	uint32_t edges; /* so many */
	uint32_t dependent;
	bool names;    /* there were DEPENDS events since the last branch */
	uint32_t open; /* the position of the first */
	bool has_named;
};

struct builder {
	struct snag_rows *rows;
	const struct snag_index *ix;
	struct current *now;
	struct snag_walk walk;
};

static bool crosses(const struct snag_index *ix, uint32_t e)
{
	uint32_t from = ix->link[e];
	uint8_t op = ix->trace->ev[e].op;
	return from != SNAG_NO_EVENT && (snag_op_reads(op) || op == SNAG_OP_JOIN) &&
	       snag_index_thread(ix, from) != snag_index_thread(ix, e);
}

static bool starts(const struct snag_index *ix, uint32_t e)
{
	const struct snag_event *ev = &ix->trace->ev[e];
	return ev->op == SNAG_OP_FORK && ix->fork[ev->target] == e;
}

/* Makes room for as many edges as there may be. */
static void rows_make_room(struct snag_rows *rows, const struct snag_index *ix)
{
	for (uint32_t e = 0; e < ix->nevents; e++) {
		rows->first[snag_index_thread(ix, e) + 1] += crosses(ix, e);
		if (starts(ix, e))
			rows->first[ix->trace->ev[e].target + 1]++;
	}
	for (uint32_t t = 0; t < ix->nthreads; t++)
		rows->first[t + 1] += rows->first[t];
	uint32_t n = rows->first[ix->nthreads];
	rows->edge = snag_realloc(NULL, n, sizeof(*rows->edge));
	if (rows->stride)
		rows->row = snag_realloc(NULL, n / rows->stride + 1, sizeof(*rows->row));
}

/* And gives back what there is too much. */
static void rows_close_up(struct snag_rows *rows, const struct current *now)
{
	uint32_t begin = 0;
	for (uint32_t t = 0; t < rows->nthreads; t++) {
		uint32_t old = rows->first[t], n = now[t].edges;
		memmove(rows->edge + begin, rows->edge + old, n * sizeof(*rows->edge));
		if (rows->stride)
			memmove(rows->row + begin / rows->stride, rows->row + old / rows->stride,
				n / rows->stride * sizeof(*rows->row));
		rows->first[t] = begin;
		begin += n;
	}
	rows->first[rows->nthreads] = begin;
	rows->edge = snag_realloc(rows->edge, begin, sizeof(*rows->edge));
	if (rows->stride)
		rows->row = snag_realloc(rows->row, begin / rows->stride + 1, sizeof(*rows->row));
}

static void forks_list(struct snag_rows *rows, const struct snag_index *ix)
{
	size_t cap = 0;
	for (snag_tid t = 0; t < rows->nthreads; t++)
		for (uint32_t i = rows->first[t]; i < rows->first[t + 1]; i++) {
			const struct snag_row_edge *edge = &rows->edge[i];
			if (edge->is_read)
				continue;
			rows->fork =
				snag_grow(rows->fork, &cap, rows->nforks + 1, sizeof(*rows->fork));
			rows->fork[rows->nforks++] = (struct snag_fork){
				t, edge->at, snag_index_event(ix, edge->thread, edge->count - 1)};
		}
}

static void row_keep(struct builder *b, snag_tid t)
{
	struct snag_rows *rows = b->rows;
	size_t n = rows->nthreads;
	rows->counts = snag_huge_grow(rows->counts, &rows->counts_cap, (rows->nrows + 1) * n,
				      sizeof(*rows->counts));
	memcpy(rows->counts + rows->nrows * n, b->now[t].row, n * sizeof(*rows->counts));
	rows->row[rows->first[t] / rows->stride + b->now[t].edges / rows->stride - 1] =
		(uint32_t)rows->nrows++;
}

/* Event e of t, or if that is its fork the start of t, needs `from`. */
static void edge_add(struct builder *b, snag_tid t, uint32_t e, uint32_t from, bool is_read)
{
	struct snag_rows *rows = b->rows;
	struct current *c = &b->now[t];
	snag_tid u = snag_index_thread(b->ix, from);
	uint32_t count = b->ix->position[from] + 1;
	if (rows->stride) {
		if (!c->row)
			c->row = snag_calloc(rows->nthreads, sizeof(*c->row));
		if (is_read && c->row[u] >= count)
			return;
		snag_rows_add(b->ix, rows, &b->walk, c->row, u, count);
	}
	uint32_t at = e == from ? 0 : b->ix->position[e];
	rows->edge[rows->first[t] + c->edges++] =
		(struct snag_row_edge){.at = at, .is_read = is_read, .thread = u, .count = count};
	rows->step =
		snag_huge_grow(rows->step, &rows->step_cap, rows->nsteps + 1, sizeof(*rows->step));
	rows->step[rows->nsteps++] = (struct snag_row_step){
		.event = e, .is_read = is_read, .thread = u, .count = count, .to = t, .at = at};
	if (rows->stride && c->edges % rows->stride == 0)
		row_keep(b, t);
}

/* The branch at position p of t depends on the reads of x before it: these are new. */
static void name_reads(struct builder *b, snag_tid t, uint32_t p, uint32_t x)
{
	const struct snag_index *ix = b->ix;
	for (uint32_t i = ix->reads.first[x]; i < ix->reads.first[x + 1]; i++) {
		const struct snag_lane *lane = &ix->reads.lane[i];
		if (lane->thread != t)
			continue;
		for (uint32_t k = snag_lane_below(&ix->reads, lane, p); k-- > 0;) {
			uint32_t r = snag_index_event(ix, t, snag_lane_at(&ix->reads, lane, k));
			if (b->rows->named[r] != UINT32_MAX)
				break; /* and so are the earlier ones */
			b->rows->named[r] = p;
		}
	}
}

static void named_branch(struct builder *b, struct current *c, uint32_t e)
{
	const struct snag_index *ix = b->ix;
	snag_tid t = snag_index_thread(ix, e);
	if (c->dependent < c->open) /* it depends on all reads from before it named any */
		c->dependent = c->open;
	for (uint32_t p = ix->position[e]; p-- > 0;) {
		const struct snag_event *ev = &ix->trace->ev[snag_index_event(ix, t, p)];
		if (ev->op == SNAG_OP_BRANCH)
			return;
		if (ev->op == SNAG_OP_DEPENDS)
			name_reads(b, t, ix->position[e], ev->target);
	}
}

static void event_depends(struct builder *b, uint32_t e)
{
	const struct snag_event *ev = &b->ix->trace->ev[e];
	struct current *c = &b->now[ev->thread];
	uint32_t p = b->ix->position[e];
	bool is_branch = ev->op == SNAG_OP_BRANCH;
	if (is_branch && b->rows->named && c->names)
		named_branch(b, c, e);
	else if (snag_op_depends(ev->op))
		c->dependent = p + 1;
	if (ev->op == SNAG_OP_DEPENDS && !c->has_named) {
		c->has_named = true;
		c->open = p;
	}
	c->names = ev->op == SNAG_OP_DEPENDS || (c->names && !is_branch);
	b->rows->dependent[e] = c->dependent;
}

static void event_edges(struct builder *b, uint32_t e)
{
	const struct snag_index *ix = b->ix;
	const struct snag_event *ev = &ix->trace->ev[e];
	struct current *c = &b->now[ev->thread];
	uint32_t p = ix->position[e];
	if (crosses(ix, e))
		edge_add(b, ev->thread, e, ix->link[e], ev->op != SNAG_OP_JOIN);
	if (b->rows->dependent)
		event_depends(b, e);
	b->rows->edges[e] = c->edges;
	if (starts(ix, e))
		edge_add(b, ev->target, e, e, false);
	if (p + 1 == snag_threads_length(&ix->threads, ev->thread)) {
		free(c->row);
		c->row = NULL;
	}
}

void snag_rows_init(struct snag_rows *rows, const struct snag_index *ix, enum snag_mode mode,
		    uint32_t stride)
{
	uint32_t n = ix->nthreads;
	bool is_named = mode == SNAG_MODE_DEP && ix->has_depends;
	if (!stride)
		stride = n <= FEW_THREADS ? 1 : n * (uint32_t)sizeof(uint32_t) / BYTES_PER_EDGE;
	*rows = (struct snag_rows){.nthreads = n, .stride = is_named ? 0 : stride};
	rows->edges = snag_realloc(NULL, ix->nevents, sizeof(*rows->edges));
	rows->first = snag_calloc((size_t)n + 1, sizeof(*rows->first));
	if (mode == SNAG_MODE_DEP)
		rows->dependent = snag_realloc(NULL, ix->nevents, sizeof(*rows->dependent));
	if (is_named) {
		rows->named = snag_realloc(NULL, ix->nevents, sizeof(*rows->named));
		memset(rows->named, 0xff, ix->nevents * sizeof(*rows->named));
	}
	rows_make_room(rows, ix);
	struct builder b = {.rows = rows, .ix = ix, .now = snag_calloc(n, sizeof(*b.now))};
	snag_walk_init(&b.walk, n);
	rows->step_at =
		snag_realloc(NULL, ix->nevents / SNAG_STEP_BLOCK + 1, sizeof(*rows->step_at));
	for (uint32_t e = 0; e < ix->nevents; e++) {
		if (e % SNAG_STEP_BLOCK == 0)
			rows->step_at[e / SNAG_STEP_BLOCK] = (uint32_t)rows->nsteps;
		event_edges(&b, e);
	}
	rows_close_up(rows, b.now);
	if (rows->dependent)
		forks_list(rows, ix);
	for (uint32_t t = 0; t < n; t++)
		free(b.now[t].row); /* of threads without events */
	free(b.now);
	snag_walk_done(&b.walk);
}

void snag_rows_done(struct snag_rows *rows)
{
	free(rows->edges);
	free(rows->first);
	free(rows->edge);
	free(rows->row);
	snag_huge_free(rows->counts, rows->counts_cap, sizeof(*rows->counts));
	free(rows->fork);
	snag_huge_free(rows->step, rows->step_cap, sizeof(*rows->step));
	free(rows->step_at);
	free(rows->dependent);
	free(rows->named);
	memset(rows, 0, sizeof(*rows));
}
