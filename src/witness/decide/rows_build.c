/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_build.c - the weakest order that every witness keeps: finding its edges
 *
 * Idea.   Whatever a thread reads or joins of another one, and the start of a forked one, is a
 *         crossing: a join of rows (row_joins.h), and an edge unless its thread knows of it
 *         already, as if all its reads were causal.  Forks, joins and named reads are edges always.
 *         The joins
 *         are run twice for each group of columns: once to see which crossings are new, as the row
 *         of their thread says in the column of the other thread, as long as there are crossings
 *         from the group; what is not new is left out from there on.  Then for the rows that are
 *         kept.
 *
 * Cost.   Crossings x threads that live at once / SNAG_COLUMNS, and edges x threads /
 *         SNAG_COLUMNS, in order through memory; 32 bytes per crossing.
 */
#include "witness/decide/rows_build.h"

#include "base/memory.h"
#include "witness/decide/ops.h"

#include <string.h>

enum {
	FEW_THREADS = 16,    /* all rows are kept, otherwise */
	BYTES_PER_EVENT = 4, /* of rows */
	HEARD = 64,	     /* facts remembered of each thread */
};

/* So many events of the thread were directly read from. */
struct snag_rows_fact {
	snag_tid thread;
	uint32_t count;
};

/* What is known of a thread as the trace goes by. */
struct snag_rows_thread {
	uint32_t row;  /* if all its reads are causal; what a read of its last write brings */
	uint32_t seen; /* if only those are that its events make so; what its fork or join brings */
	uint32_t dependent;
	bool names; /* there were DEPENDS events since the last branch */
	bool has_named;
	uint32_t open, open_row; /* the position of the first, and `row` there */
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
static uint32_t join_add(struct snag_rows_builder *b, struct snag_row_step step, uint32_t before,
			 uint32_t from)
{
	struct snag_rows *rows = b->rows;
	rows->step =
		snag_huge_grow(rows->step, &rows->step_cap, rows->nsteps + 1, sizeof(*rows->step));
	rows->step[rows->nsteps++] = step;
	return snag_row_joins_add(&b->joins, before, from);
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

/* Whether t is known to know of so much of u already, by a read before event e. */
static bool has_heard(struct snag_rows_builder *b, snag_tid t, uint32_t e, snag_tid u,
		      uint32_t count)
{
	struct snag_rows_fact *heard = &b->heard[(size_t)t * HEARD + u % HEARD];
	if (b->rows->named)
		return false; /* the earlier read may not be causal */
	if ((heard->thread == u && heard->count >= count) ||
	    (!b->rows->dependent && has_joined(b->ix, t, e, u)))
		return true; /* what most crossings come to, if few threads live at once */
	*heard = (struct snag_rows_fact){u, count};
	return false;
}

static struct snag_row_step step_of(const struct snag_rows_builder *b, snag_tid t, uint32_t e,
				    uint32_t from, bool is_full)
{
	uint32_t count = b->ix->position[from] + 1;
	bool keeps_all = is_full || !b->rows->dependent;
	return (struct snag_row_step){.event = e,
				      .is_full = is_full,
				      .thread = snag_index_thread(b->ix, from),
				      .count = count,
				      .keeps = keeps_all ? count : b->rows->dependent[from],
				      .to = t,
				      .at = e == from ? 0 : b->ix->position[e]};
}

/* The read e of t saw `from`; if not is_full, the access e comes after it for another reason. */
static void read_add(struct snag_rows_builder *b, snag_tid t, uint32_t e, uint32_t from,
		     bool is_full)
{
	struct snag_row_step step = step_of(b, t, e, from, is_full);
	struct snag_rows_thread *c = &b->now[t];
	bool is_seen = c->row == c->seen && !b->rows->dependent;
	if (has_heard(b, t, e, step.thread, step.count))
		return;
	step.is_read = true;
	c->row = join_add(b, step, c->row, b->rows->edges[from]); /* for the time being */
	c->seen = is_seen ? c->row : c->seen;
}

/* Event e of t needs something whatever else is in the witness. */
static void edge_add(struct snag_rows_builder *b, struct snag_row_step step, uint32_t row)
{
	struct snag_rows_thread *c = &b->now[step.to];
	if (c->row == c->seen) {
		c->row = c->seen = join_add(b, step, c->row, row);
		return;
	}
	struct snag_row_step none = {.event = step.event, .to = step.to};
	row = join_add(b, step, 0, row);
	c->row = join_add(b, none, c->row, row);
	c->seen = join_add(b, none, c->seen, row);
}

/* The join e of t, or if that is its fork the start of t, needs `from`. */
static void fork_add(struct snag_rows_builder *b, snag_tid t, uint32_t e, uint32_t from)
{
	bool is_write = snag_op_writes(b->ix->trace->ev[from].op); /* the last of its thread */
	struct snag_row_step step = step_of(b, t, e, from, false);
	if (!b->rows->dependent) /* a full edge tells more */
		b->heard[(size_t)t * HEARD + step.thread % HEARD] =
			(struct snag_rows_fact){step.thread, step.count};
	edge_add(b, step, is_write ? b->now[step.thread].seen : b->rows->edges[from]);
}

/* Event e makes all reads of its thread before position p causal, where the thread had the row. */
static void depend(struct snag_rows_builder *b, uint32_t e, uint32_t p, uint32_t row)
{
	struct snag_rows_thread *c = &b->now[snag_index_thread(b->ix, e)];
	struct snag_row_step none = {.event = e, .to = snag_index_thread(b->ix, e)};
	if (p <= c->dependent)
		return;
	c->dependent = p;
	if (c->seen != c->row)
		c->seen = join_add(b, none, c->seen, row);
}

/* Event e makes the read r of its thread causal, as the first that does. */
static void name_read(struct snag_rows_builder *b, uint32_t e, uint32_t r)
{
	const struct snag_index *ix = b->ix;
	snag_tid t = snag_index_thread(ix, e);
	uint32_t from = ix->link[r];
	struct snag_rows_thread *c = &b->now[t];
	b->rows->named[r] = ix->position[e];
	if (from == SNAG_NO_EVENT)
		return;
	struct snag_row_step step = step_of(b, t, e, from, true);
	if (step.thread == t) /* the writer is causal, so all reads before it are */
		depend(b, e, step.count, b->rows->edges[from]);
	else if (c->row != c->seen) /* otherwise all reads before it are causal already */
		edge_add(b, step, b->rows->edges[from]);
}

/* The branch e depends on the reads of x before it: these are new. */
static void name_reads(struct snag_rows_builder *b, uint32_t e, uint32_t x)
{
	const struct snag_index *ix = b->ix;
	snag_tid t = snag_index_thread(ix, e);
	for (uint32_t i = ix->reads.first[x]; i < ix->reads.first[x + 1]; i++) {
		const struct snag_lane *lane = &ix->reads.lane[i];
		if (lane->thread != t)
			continue;
		for (uint32_t k = snag_lane_below(&ix->reads, lane, ix->position[e]); k-- > 0;) {
			uint32_t r = snag_index_event(ix, t, snag_lane_at(&ix->reads, lane, k));
			if (snag_event_is_wait(&ix->trace->ev[r]))
				continue; /* it named itself */
			if (b->rows->named[r] != UINT32_MAX)
				break; /* and so are the earlier ones */
			name_read(b, e, r);
		}
	}
}

static void named_branch(struct snag_rows_builder *b, const struct snag_rows_thread *c, uint32_t e)
{
	const struct snag_index *ix = b->ix;
	snag_tid t = snag_index_thread(ix, e);
	depend(b, e, c->open, c->open_row); /* on all reads from before it named any */
	for (uint32_t p = ix->position[e]; p-- > 0;) {
		const struct snag_event *ev = &ix->trace->ev[snag_index_event(ix, t, p)];
		if (ev->op == SNAG_OP_BRANCH)
			return;
		if (ev->op == SNAG_OP_DEPENDS)
			name_reads(b, e, ev->target);
	}
}

static void event_depends(struct snag_rows_builder *b, uint32_t e)
{
	const struct snag_event *ev = &b->ix->trace->ev[e];
	struct snag_rows_thread *c = &b->now[ev->thread];
	uint32_t p = b->ix->position[e];
	bool is_branch = ev->op == SNAG_OP_BRANCH;
	if (is_branch && c->names)
		named_branch(b, c, e);
	else if (is_branch || (b->rows->is_literal && snag_op_writes(ev->op)))
		c->dependent = p + 1;
	else if (snag_op_reads(ev->op) && snag_event_is_wait(ev))
		name_read(b, e, e);
	if (ev->op == SNAG_OP_DEPENDS && !c->has_named) {
		c->has_named = true;
		c->open = p;
		c->open_row = c->row;
	}
	c->names = ev->op == SNAG_OP_DEPENDS || (c->names && !is_branch);
	b->rows->dependent[e] = c->dependent;
	if (c->dependent == p + 1)
		c->seen = c->row;
}

static void on_conflict(void *ctx, uint32_t from)
{
	struct snag_rows_builder *b = ctx;
	read_add(b, snag_index_thread(b->ix, b->access), b->access, from, false);
}

static void event_crossings(struct snag_rows_builder *b, uint32_t e)
{
	const struct snag_index *ix = b->ix;
	const struct snag_event *ev = &ix->trace->ev[e];
	const struct snag_rows_thread *c = &b->now[ev->thread];
	b->access = e;
	if (b->has_conflicts && (snag_op_reads(ev->op) || snag_op_writes(ev->op)))
		snag_conflict_edges_access(&b->conflicts, ix, e, on_conflict, b);
	if (crosses(ix, e) && ev->op == SNAG_OP_JOIN)
		fork_add(b, ev->thread, e, ix->link[e]);
	else if (crosses(ix, e))
		read_add(b, ev->thread, e, ix->link[e], true);
	if (b->rows->dependent)
		event_depends(b, e);
	b->rows->edges[e] = snag_op_writes(ev->op) ? c->row : c->seen;
	if (starts(ix, e))
		fork_add(b, ev->target, e, e);
}

/* Which rows are kept, by how many edges there are. */
static uint32_t stride_of(const struct snag_rows *rows, uint32_t nevents)
{
	uint64_t nbytes = (uint64_t)rows->first[rows->nthreads] * rows->width * sizeof(uint32_t);
	return rows->nthreads <= FEW_THREADS
		       ? 1
		       : (uint32_t)(nbytes / ((uint64_t)nevents * BYTES_PER_EVENT)) + 1;
}

void snag_rows_init(struct snag_rows *rows, const struct snag_index *ix, enum snag_mode mode,
		    uint32_t stride)
{
	uint32_t n = ix->nthreads;
	bool is_dependent = mode == SNAG_MODE_DEP || mode == SNAG_MODE_LITERAL;
	*rows = (struct snag_rows){.nthreads = n,
				   .width = is_dependent ? 2 * n : n,
				   .is_literal = mode == SNAG_MODE_LITERAL};
	rows->edges = snag_realloc(NULL, ix->nevents, sizeof(*rows->edges));
	rows->first = snag_calloc((size_t)n + 1, sizeof(*rows->first));
	if (is_dependent)
		rows->dependent = snag_realloc(NULL, ix->nevents, sizeof(*rows->dependent));
	if (is_dependent && (ix->has_depends || ix->has_waits)) {
		rows->named = snag_realloc(NULL, ix->nevents, sizeof(*rows->named));
		memset(rows->named, 0xff, ix->nevents * sizeof(*rows->named));
	}
	struct snag_rows_builder b = {.rows = rows,
				      .ix = ix,
				      .has_conflicts = mode == SNAG_MODE_DC,
				      .now = snag_calloc(n, sizeof(*b.now)),
				      .heard = snag_calloc((size_t)n * HEARD, sizeof(*b.heard))};
	for (uint32_t e = 0; e < ix->nevents; e++)
		event_crossings(&b, e);
	snag_row_joins_place(&b.joins);
	if (!rows->named)
		snag_rows_filter(&b);
	snag_rows_sort_edges(&b);
	rows->stride = stride ? stride : stride_of(rows, ix->nevents);
	snag_rows_fill(&b);
	snag_rows_close_up(rows, ix->nevents);
	if (rows->dependent)
		forks_list(rows, ix);
	free(b.now);
	free(b.heard);
	snag_conflict_edges_done(&b.conflicts);
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
