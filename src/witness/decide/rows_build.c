/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_build.c - the weakest order that every witness keeps: finding its edges
 *
 * Idea.   A *crossing* is a read from or a join of another thread, and the start of a forked
 *         one. Each crossing is a join of rows (row_joins.h).  It is also an edge unless
 *         its thread already knows of it, as if all its reads were causal.  Forks and joins are
 *         always edges.
 *         The joins run twice for each group of columns.  The first run finds the new crossings
 *         from the group's threads: the row of the thread, in the column of the other thread,
 *         decides. Crossings that are not new are left out from there on.  The second run
 *         computes the rows that are kept.
 *
 * Cost.   Crossings x threads that live at once / SNAG_COLUMNS, and edges x threads /
 *         SNAG_COLUMNS, in order through memory; 32 bytes per crossing.
 */
#include "base/memory.h"
#include "witness/decide/index.h"
#include "witness/decide/row_joins.h"
#include "witness/decide/ops.h"

#include <string.h>

enum {
	FEW_THREADS = 16,    /* all rows are kept, otherwise */
	BYTES_PER_EVENT = 4, /* of rows */
	HEARD = 64,	     /* facts remembered of each thread */
};

/* So many events of the thread were directly read from. */
struct fact {
	snag_tid thread;
	uint32_t count;
};

/* What is known of a thread as the trace goes by. */
struct current {
	uint32_t row;  /* if all its reads are causal, */
	uint32_t seen; /* and what others see of it, in mode DEP: only those that are */
	uint32_t dependent;
	bool names;    /* there were DEPENDS events since the last branch */
	uint32_t open; /* the position of the first */
	bool has_named;
};

/* The joins that have to do with one group of columns. */
struct range {
	size_t first, end;
};

struct builder {
	struct snag_rows *rows;
	const struct snag_index *ix;
	struct current *now;
	struct fact *heard;	     /* HEARD for each thread, by the other thread modulo HEARD */
	struct snag_row_joins joins; /* join[i] is of rows->step[i]; count = 0: no edge */
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

/* The number of the row that has both rows, and what the step brings. */
static uint32_t join_add(struct builder *b, struct snag_row_step step, uint32_t before,
			 uint32_t from)
{
	struct snag_rows *rows = b->rows;
	rows->step =
		snag_huge_grow(rows->step, &rows->step_cap, rows->nsteps + 1, sizeof(*rows->step));
	rows->step[rows->nsteps++] = step;
	return rows->stride ? snag_row_joins_add(&b->joins, before, from) : 0;
}

/* Whether t, before event e, joined u itself, or was forked by a thread that had. */
static bool has_joined(const struct snag_index *ix, snag_tid t, uint32_t e, snag_tid u)
{
	uint32_t join = ix->join[u], fork = ix->fork[t];
	if (join >= e) /* SNAG_NO_EVENT is */
		return false;
	snag_tid joiner = snag_index_thread(ix, join);
	return joiner == t ||
	       (fork != SNAG_NO_EVENT && join < fork && joiner == snag_index_thread(ix, fork));
}

/* Event e of t, or if that is its fork the start of t, needs `from`. */
static void crossing_add(struct builder *b, snag_tid t, uint32_t e, uint32_t from, bool is_read)
{
	struct snag_rows *rows = b->rows;
	snag_tid u = snag_index_thread(b->ix, from);
	uint32_t count = b->ix->position[from] + 1;
	struct fact *heard = &b->heard[(size_t)t * HEARD + u % HEARD];
	if (rows->stride && is_read &&
	    ((heard->thread == u && heard->count >= count) || has_joined(b->ix, t, e, u)))
		return; /* what most crossings come to, if few threads live at once */
	*heard = (struct fact){u, count};
	struct snag_row_step step = {.event = e,
				     .is_read = is_read,
				     .thread = u,
				     .count = count,
				     .to = t,
				     .at = e == from ? 0 : b->ix->position[e]};
	struct current *c = &b->now[t];
	uint32_t row = rows->edges[from]; /* for the time being */
	if (is_read || c->row == c->seen) {
		bool is_seen = c->row == c->seen && !(is_read && rows->dependent);
		c->row = join_add(b, step, c->row, row);
		c->seen = is_seen ? c->row : c->seen;
	} else {
		struct snag_row_step none = {.event = e, .to = t};
		row = join_add(b, step, 0, row);
		c->row = join_add(b, none, c->row, row);
		c->seen = join_add(b, none, c->seen, row);
	}
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
	if (c->dependent == p + 1)
		c->seen = c->row;
}

static void event_crossings(struct builder *b, uint32_t e)
{
	const struct snag_index *ix = b->ix;
	const struct snag_event *ev = &ix->trace->ev[e];
	if (crosses(ix, e))
		crossing_add(b, ev->thread, e, ix->link[e], ev->op != SNAG_OP_JOIN);
	if (b->rows->dependent)
		event_depends(b, e);
	b->rows->edges[e] = b->now[ev->thread].seen;
	if (starts(ix, e))
		crossing_add(b, ev->target, e, e, false);
}

/* What was found not to be new.  (Joins with count = 0 that are no reads are those of rows.) */
static bool is_left_out(const struct snag_row_step *step)
{
	return step->is_read && step->count == 0;
}

/* The crossings from each group of threads: no others ask for its columns. */
static void ranges_find(const struct builder *b, struct range *range)
{
	const struct snag_rows *rows = b->rows;
	for (uint32_t t = 0; t < rows->nthreads; t += SNAG_COLUMNS)
		range[t / SNAG_COLUMNS] = (struct range){rows->nsteps, 0};
	for (size_t i = 0; i < rows->nsteps; i++) {
		struct range *r = &range[rows->step[i].thread / SNAG_COLUMNS];
		if (rows->step[i].count == 0)
			continue;
		r->first = i < r->first ? i : r->first;
		r->end = i + 1;
	}
}

/* Runs the i-th join for the columns from `first` on. */
static inline union snag_row_part *join_run(const struct builder *b, size_t i, uint32_t first)
{
	const struct snag_row_step *step = &b->rows->step[i];
	union snag_row_part *row = snag_row_join_run(&b->joins, &b->joins.join[i]);
	uint32_t column = step->thread - first;
	if (column < SNAG_COLUMNS && row->count[column] < (int32_t)step->count)
		row->count[column] = (int32_t)step->count;
	return row;
}

/* Leaves out the crossings from threads `first` and following that are not new; how many. */
static size_t crossings_filter(struct builder *b, uint32_t first, struct range range)
{
	size_t n = 0;
	snag_row_joins_clear(&b->joins);
	for (size_t i = range.first; i < range.end; i++) {
		struct snag_row_step *step = &b->rows->step[i];
		const struct snag_row_join *join = &b->joins.join[i];
		uint32_t column = step->thread - first;
		if (column < SNAG_COLUMNS && step->is_read && step->count > 0 &&
		    b->joins.slot[join->before].count[column] >= (int32_t)step->count) {
			step->count = 0;
			n++;
		}
		join_run(b, i, first);
	}
	return n;
}

static void crossings_close_up(struct builder *b)
{
	struct snag_row_step *step = b->rows->step;
	struct snag_row_join *join = b->joins.join;
	size_t n = 0;
	for (size_t i = 0; i < b->rows->nsteps; i++) {
		if (is_left_out(&step[i]) && join[i].into == join[i].before)
			continue;
		step[n] = step[i];
		join[n++] = join[i];
	}
	b->rows->nsteps = b->joins.n = n;
}

static void crossings_filter_all(struct builder *b)
{
	uint32_t nthreads = b->rows->nthreads;
	struct range *range = snag_calloc(nthreads / SNAG_COLUMNS + 1, sizeof(*range));
	size_t out = 0;
	snag_row_joins_place(&b->joins);
	ranges_find(b, range);
	for (uint32_t t = 0; t < nthreads; t += SNAG_COLUMNS) {
		out += crossings_filter(b, t, range[t / SNAG_COLUMNS]);
		if (out > b->rows->nsteps / 4) {
			crossings_close_up(b);
			ranges_find(b, range);
			out = 0;
		}
	}
	crossings_close_up(b);
	free(range);
}

/* The edges by thread, and how many there are up to each event. */
static void edges_sort(struct builder *b)
{
	struct snag_rows *rows = b->rows;
	uint32_t *first = rows->first, *edges = snag_calloc(rows->nthreads, sizeof(*edges));
	for (size_t i = 0; i < rows->nsteps; i++)
		first[rows->step[i].to + 1] += rows->step[i].count > 0;
	for (uint32_t t = 0; t < rows->nthreads; t++)
		first[t + 1] += first[t];
	rows->edge = snag_realloc(NULL, first[rows->nthreads], sizeof(*rows->edge));
	size_t i = 0;
	for (uint32_t e = 0; e < b->ix->nevents; e++) {
		snag_tid self = snag_index_thread(b->ix, e);
		for (; i < rows->nsteps && rows->step[i].event == e; i++) {
			const struct snag_row_step *step = &rows->step[i];
			if (step->count == 0)
				continue;
			rows->edge[first[step->to] + edges[step->to]++] =
				(struct snag_row_edge){.at = step->at,
						       .is_read = step->is_read,
						       .thread = step->thread,
						       .count = step->count};
		}
		rows->edges[e] = edges[self];
	}
	free(edges);
}

/* Which joins make rows that are kept; how many. */
static size_t rows_choose(struct builder *b, uint32_t *ret_join)
{
	struct snag_rows *rows = b->rows;
	uint32_t *edges = snag_calloc(rows->nthreads, sizeof(*edges));
	size_t n = 0;
	for (size_t i = 0; i < rows->nsteps; i++) {
		const struct snag_row_step *step = &rows->step[i];
		snag_tid t = step->to;
		if (step->count == 0 || ++edges[t] % rows->stride)
			continue;
		rows->row[rows->first[t] / rows->stride + edges[t] / rows->stride - 1] =
			(uint32_t)n;
		/* If the edge was joined apart, the row of the thread is next. */
		bool is_apart = i + 1 < rows->nsteps && step[1].event == step[0].event &&
				step[1].count == 0;
		ret_join[n++] = (uint32_t)i + is_apart;
	}
	free(edges);
	return n;
}

/* Columns `first` and following of the rows that are kept. */
static void rows_keep(struct builder *b, const uint32_t *kept, uint32_t first)
{
	struct snag_rows *rows = b->rows;
	uint32_t n = rows->nthreads - first < SNAG_COLUMNS ? rows->nthreads - first : SNAG_COLUMNS;
	uint32_t *into = rows->counts + first;
	snag_row_joins_clear(&b->joins);
	for (size_t i = 0, k = 0; k < rows->nrows; i++) {
		union snag_row_part *row = join_run(b, i, first);
		if (kept[k] == i) {
			memcpy(into + k * rows->nthreads, row->count, n * sizeof(*into));
			k++;
		}
	}
}

static void rows_fill(struct builder *b)
{
	struct snag_rows *rows = b->rows;
	size_t most = rows->first[rows->nthreads] / rows->stride;
	uint32_t *kept = snag_realloc(NULL, most, sizeof(*kept));
	rows->row = snag_realloc(NULL, most + 1, sizeof(*rows->row));
	rows->nrows = rows_choose(b, kept);
	rows->counts = snag_huge_grow(NULL, &rows->counts_cap, rows->nrows * rows->nthreads,
				      sizeof(*rows->counts));
	for (uint32_t t = 0; t < rows->nthreads; t += SNAG_COLUMNS)
		rows_keep(b, kept, t);
	free(kept);
}

/* Joins that make no edge were needed only to find rows. */
static void steps_close_up(struct snag_rows *rows, uint32_t nevents)
{
	size_t n = 0, block = 0;
	rows->step_at = snag_realloc(NULL, nevents / SNAG_STEP_BLOCK + 1, sizeof(*rows->step_at));
	for (size_t i = 0; i < rows->nsteps; i++)
		if (rows->step[i].count > 0)
			rows->step[n++] = rows->step[i];
	rows->nsteps = n;
	for (size_t i = 0; block <= nevents / SNAG_STEP_BLOCK; block++) {
		while (i < n && rows->step[i].event < block * SNAG_STEP_BLOCK)
			i++;
		rows->step_at[block] = (uint32_t)i;
	}
}

/* Which rows are kept, by how many edges there are. */
static uint32_t stride_of(const struct snag_rows *rows, uint32_t nevents)
{
	uint64_t nbytes = (uint64_t)rows->first[rows->nthreads] * rows->nthreads * sizeof(uint32_t);
	return rows->nthreads <= FEW_THREADS
		       ? 1
		       : (uint32_t)(nbytes / ((uint64_t)nevents * BYTES_PER_EVENT)) + 1;
}

void snag_rows_init(struct snag_rows *rows, const struct snag_index *ix, enum snag_mode mode,
		    uint32_t stride)
{
	uint32_t n = ix->nthreads;
	bool is_named = mode == SNAG_MODE_DEP && ix->has_depends;
	*rows = (struct snag_rows){.nthreads = n, .stride = is_named ? 0 : 1};
	rows->edges = snag_realloc(NULL, ix->nevents, sizeof(*rows->edges));
	rows->first = snag_calloc((size_t)n + 1, sizeof(*rows->first));
	if (mode == SNAG_MODE_DEP)
		rows->dependent = snag_realloc(NULL, ix->nevents, sizeof(*rows->dependent));
	if (is_named) {
		rows->named = snag_realloc(NULL, ix->nevents, sizeof(*rows->named));
		memset(rows->named, 0xff, ix->nevents * sizeof(*rows->named));
	}
	struct builder b = {.rows = rows,
			    .ix = ix,
			    .now = snag_calloc(n, sizeof(*b.now)),
			    .heard = snag_calloc((size_t)n * HEARD, sizeof(*b.heard))};
	for (uint32_t e = 0; e < ix->nevents; e++)
		event_crossings(&b, e);
	if (rows->stride)
		crossings_filter_all(&b);
	edges_sort(&b);
	if (rows->stride) {
		rows->stride = stride ? stride : stride_of(rows, ix->nevents);
		rows_fill(&b);
	}
	steps_close_up(rows, ix->nevents);
	if (rows->dependent)
		forks_list(rows, ix);
	free(b.now);
	free(b.heard);
	snag_row_joins_done(&b.joins);
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
