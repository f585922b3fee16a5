/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c - the weakest order that every witness keeps: growing cuts, and questions
 */
#include "witness/decide/rows.h"

#include "base/memory.h"
#include "witness/decide/counts.h"
#include "witness/decide/index.h"

#include <string.h>

/* Events of a thread that came in. */
struct snag_walk_step {
	struct snag_point point;
	/* Edges that need not be looked at: all of the first `followed`, and of the first `forks`
	 * those that are no reads. */
	uint32_t followed, forks;
};

void snag_walk_init(struct snag_rows_walk *w, const struct snag_rows *rows)
{
	*w = (struct snag_rows_walk){.seen = snag_calloc(rows->width, sizeof(*w->seen)),
				     .stamped = snag_calloc(rows->width, sizeof(*w->stamped))};
}

void snag_walk_done(struct snag_rows_walk *w)
{
	free(w->step);
	free(w->seen);
	free(w->stamped);
	*w = (struct snag_rows_walk){0};
}

static inline void push(struct snag_rows_walk *w, const struct snag_point *p, uint32_t followed,
			uint32_t forks)
{
	if (w->n == w->cap)
		w->step = snag_grow(w->step, &w->cap, w->n + 1, sizeof(*w->step));
	w->step[w->n++] = (struct snag_walk_step){*p, followed, forks};
}

/* How many edges the first `count` events of t have. */
static inline uint32_t edges_of(const struct snag_index *ix, const struct snag_rows *rows,
				snag_tid t, uint32_t count)
{
	return count ? rows->edges[snag_index_event(ix, t, count - 1)] : 0;
}

uint32_t snag_rows_causal(const struct snag_index *ix, const struct snag_rows *rows, snag_tid t,
			  uint32_t count)
{
	if (!rows->dependent || count == 0)
		return count;
	return rows->dependent[snag_index_event(ix, t, count - 1)];
}

struct snag_point snag_point_causal(const struct snag_index *ix, const struct snag_rows *rows,
				    snag_tid t, uint32_t count, uint32_t causal)
{
	struct snag_point p = {
		.thread = t, .count = count, .keeps = causal, .all = edges_of(ix, rows, t, count)};
	p.causal = causal == count ? p.all : edges_of(ix, rows, t, causal);
	return p;
}

struct snag_point snag_point_of(const struct snag_index *ix, const struct snag_rows *rows,
				snag_tid t, uint32_t count)
{
	return snag_point_causal(ix, rows, t, count, snag_rows_causal(ix, rows, t, count));
}

struct snag_point snag_point_before_at(const struct snag_index *ix, const struct snag_rows *rows,
				       snag_tid t, uint32_t position, bool is_write)
{
	bool keeps_all = is_write && rows->is_literal;
	struct snag_point p =
		snag_point_causal(ix, rows, t, position,
				  keeps_all ? position : snag_rows_causal(ix, rows, t, position));
	if (position == 0 && ix->fork[t] != SNAG_NO_EVENT) /* its fork is needed all the same */
		p.causal = p.all = 1;
	return p;
}

struct snag_point snag_point_before(const struct snag_index *ix, const struct snag_rows *rows,
				    uint32_t e)
{
	return snag_point_before_at(ix, rows, snag_index_thread(ix, e), ix->position[e],
				    snag_op_writes(ix->trace->ev[e].op));
}

/* The point that an edge leads to. */
static inline struct snag_point point_of_edge(const struct snag_index *ix,
					      const struct snag_rows *rows,
					      const struct snag_row_edge *edge)
{
	uint32_t count = edge->count;
	return snag_point_causal(ix, rows, edge->thread, count,
				 edge->is_full ? count
					       : snag_rows_causal(ix, rows, edge->thread, count));
}

/* The same in a dependence mode, where an entry may grow without the other. */
static void come_in_dependent(const struct snag_index *ix, const struct snag_rows *rows,
			      struct snag_rows_walk *w, uint32_t *cut,
			      const struct snag_row_edge *edge)
{
	snag_tid t = edge->thread;
	uint32_t *entry = &cut[t], *keeps = &cut[rows->nthreads + t];
	uint32_t old = *entry, old_keeps = *keeps;
	if (edge->count <= (edge->is_full ? old_keeps : old))
		return;
	struct snag_point p = point_of_edge(ix, rows, edge);
	if (p.count < old || p.keeps < old_keeps)
		p = snag_point_causal(ix, rows, t, p.count < old ? old : p.count,
				      p.keeps < old_keeps ? old_keeps : p.keeps);
	*entry = p.count;
	*keeps = p.keeps;
	push(w, &p, edges_of(ix, rows, t, old_keeps), edges_of(ix, rows, t, old));
}

static inline void come_in(const struct snag_index *ix, const struct snag_rows *rows,
			   struct snag_rows_walk *w, uint32_t *cut,
			   const struct snag_row_edge *edge)
{
	snag_tid t = edge->thread;
	uint32_t old = cut[t];
	if (rows->dependent) {
		come_in_dependent(ix, rows, w, cut, edge);
		return;
	}
	if (edge->count <= old)
		return;
	struct snag_point p = snag_point_causal(ix, rows, t, edge->count, edge->count);
	cut[t] = edge->count;
	push(w, &p, edges_of(ix, rows, t, old), 0);
}

static void follow(const struct snag_index *ix, const struct snag_rows *rows,
		   struct snag_rows_walk *w, uint32_t *cut)
{
	while (w->n) {
		struct snag_walk_step s = w->step[--w->n];
		const struct snag_row_edge *edge = rows->edge + rows->first[s.point.thread];
		uint32_t i = s.followed;
		if (s.point.causal / rows->stride > i / rows->stride) {
			uint32_t j = s.point.causal / rows->stride;
			snag_counts_join(cut, snag_rows_kept(rows, s.point.thread, j - 1),
					 rows->width);
			i = j * rows->stride;
		}
		for (; i < s.point.causal; i++)
			come_in(ix, rows, w, cut, &edge[i]);
		for (i = i > s.forks ? i : s.forks; i < s.point.all; i++)
			if (!edge[i].is_read)
				come_in(ix, rows, w, cut, &edge[i]);
	}
}

void snag_rows_add_edge(const struct snag_index *ix, const struct snag_rows *rows,
			struct snag_rows_walk *w, uint32_t *cut, const struct snag_row_edge *edge)
{
	come_in(ix, rows, w, cut, edge);
	follow(ix, rows, w, cut);
}

void snag_rows_add(const struct snag_index *ix, const struct snag_rows *rows,
		   struct snag_rows_walk *w, uint32_t *cut, snag_tid t, uint32_t count)
{
	const struct snag_row_edge edge = {.thread = t, .count = count};
	snag_rows_add_edge(ix, rows, w, cut, &edge);
}

void snag_rows_add_point(const struct snag_index *ix, const struct snag_rows *rows,
			 struct snag_rows_walk *w, uint32_t *cut, const struct snag_point *p)
{
	uint32_t *keeps = &cut[rows->width - rows->nthreads + p->thread];
	if (p->count > cut[p->thread])
		cut[p->thread] = p->count;
	if (p->keeps > *keeps)
		*keeps = p->keeps;
	push(w, p, 0, 0);
	follow(ix, rows, w, cut);
}

void snag_rows_add_conflicts(const struct snag_index *ix, const struct snag_rows *rows,
			     struct snag_rows_walk *w, uint32_t *cut, uint32_t e)
{
	const struct snag_row_edge *edge = rows->edge + rows->first[snag_index_thread(ix, e)];
	for (uint32_t i = rows->edges[e]; i-- > 0 && edge[i].at == ix->position[e];)
		if (!edge[i].is_full)
			snag_rows_add_edge(ix, rows, w, cut, &edge[i]);
}

/* What a question is about: whether the event precedes something. */
struct question {
	uint32_t event, position;
	snag_tid thread;
	/* The same for the join of its thread, if there is one: often nearer. */
	uint32_t join_position;
	snag_tid joiner;
};

static inline struct question question_of(const struct snag_index *ix, uint32_t event)
{
	snag_tid t = snag_index_thread(ix, event);
	uint32_t last = ix->join[t] == SNAG_NO_EVENT ? event : ix->join[t];
	return (struct question){event, ix->position[event], t, ix->position[last],
				 snag_index_thread(ix, last)};
}

enum answer { NO, YES, OPEN };

/* Goes along one edge. */
static inline enum answer ask(const struct snag_index *ix, const struct snag_rows *rows,
			      struct snag_rows_walk *w, const struct question *q,
			      const struct snag_row_edge *edge)
{
	snag_tid t = edge->thread;
	if (t == q->joiner && edge->count > q->join_position)
		return YES;
	if (t == q->thread)
		return edge->count > q->position ? YES : NO;
	/* A full edge in mode M2 is like any other. */
	uint32_t full = rows->width - rows->nthreads + t, entry = edge->is_full ? full : t;
	if ((w->stamped[entry] == w->stamp && w->seen[entry] >= edge->count) ||
	    (w->stamped[full] == w->stamp && w->seen[full] >= edge->count))
		return NO;
	w->stamped[entry] = w->stamp;
	w->seen[entry] = edge->count;
	/* The order respects the observed one. */
	if (snag_index_event(ix, t, edge->count - 1) < q->event)
		return NO;
	struct snag_point p = point_of_edge(ix, rows, edge);
	push(w, &p, 0, 0);
	return OPEN;
}

/* Returns what the rows below and above a point say. */
static inline enum answer ask_rows(const struct snag_rows *rows, const struct question *q,
				   const struct snag_point *p)
{
	uint32_t j = p->causal / rows->stride;
	if (j > 0 && snag_rows_kept(rows, p->thread, j - 1)[q->thread] > q->position)
		return YES;
	uint32_t next = (j + 1) * rows->stride;
	if (rows->stride > 1 && p->all <= next &&
	    rows->first[p->thread] + next <= rows->first[p->thread + 1] &&
	    snag_rows_kept(rows, p->thread, j)[q->thread] <= q->position)
		return NO;
	return OPEN;
}

static enum answer ask_edges(const struct snag_index *ix, const struct snag_rows *rows,
			     struct snag_rows_walk *w, const struct question *q,
			     const struct snag_point *p)
{
	const struct snag_row_edge *edge = rows->edge + rows->first[p->thread];
	uint32_t i = p->causal / rows->stride * rows->stride;
	for (; i < p->causal; i++)
		if (ask(ix, rows, w, q, &edge[i]) == YES)
			return YES;
	for (; i < p->all; i++)
		if (!edge[i].is_read && ask(ix, rows, w, q, &edge[i]) == YES)
			return YES;
	return NO;
}

bool snag_rows_has(const struct snag_index *ix, const struct snag_rows *rows,
		   struct snag_rows_walk *w, const struct snag_point *p, uint32_t event)
{
	struct question q = question_of(ix, event);
	if (p->thread == q.joiner && p->count > q.join_position)
		return true;
	if (p->thread == q.thread)
		return p->count > q.position;
	w->stamp++;
	push(w, p, 0, 0);
	while (w->n) {
		struct snag_point at = w->step[--w->n].point;
		enum answer answer = ask_rows(rows, &q, &at);
		if (answer == OPEN)
			answer = ask_edges(ix, rows, w, &q, &at);
		if (answer == YES) {
			w->n = 0;
			return true;
		}
	}
	return false;
}

bool snag_rows_is_within(const struct snag_index *ix, const struct snag_rows *rows,
			 const struct snag_point *p, const uint32_t *cut)
{
	const struct snag_row_edge *edge = rows->edge + rows->first[p->thread];
	uint32_t i = p->causal / rows->stride * rows->stride;
	if (i > 0) { /* the row stands for all edges before it */
		const uint32_t *row = snag_rows_kept(rows, p->thread, i / rows->stride - 1);
		for (uint32_t u = 0; u < rows->nthreads; u++)
			if (row[u] > cut[u] && u != p->thread)
				return false;
	}
	for (; i < p->all; i++)
		if ((i < p->causal || !edge[i].is_read) && edge[i].count > cut[edge[i].thread])
			return false;
	return true;
}

size_t snag_rows_step(const struct snag_rows *rows, uint32_t event)
{
	size_t i = rows->step_at[event / SNAG_STEP_BLOCK];
	while (i < rows->nsteps && rows->step[i].event < event)
		i++;
	return i;
}
