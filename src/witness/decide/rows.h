/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h - the weakest order that every witness keeps
 *
 * Idea.   If an event is in a witness, these are too, and come earlier: what its thread did
 *         before; the fork of its thread; for a join, all that the joined thread did; and for a
 *         read that must keep its writer, that writer.  The set of what must precede an event is
 *         a count per thread: a *row*, or closed cut.  With many threads rows are long, and
 *         there is a new one wherever a thread learns something about another.  So this file
 *         keeps only these *edges*, those that say something new, and the row for every
 *         `stride`-th edge of a thread. Memory grows with the edges that exist, whatever the
 *         number of threads.
 *
 *         snag_rows_add() adds an event to a closed cut, along the edges of what comes in.  A
 *         row on the way is joined, because the union of closed cuts is closed; this saves the
 *         edges before it. snag_rows_has() decides whether one event must precede another;
 *         mostly the rows just below and just above settle it.
 *
 * Modes.  In mode M2 every read keeps its writer.  In mode DEP only causal reads do: those that
 *         a write of their thread in the witness follows, or a branch that depends on them.  An
 *         event alone makes causal only the reads before the last write or branch up to it.  If
 *         something after it is known to be in the witness, all reads up to it may be causal.
 *         Forks and joins always count.
 *         A branch that names variables (trace/event.h) makes causal only their reads, and those
 *         from before the thread named any.
 *
 * State.  edge[first[t]] ..    the edges into t, by position
 *         step[]       all edges in observed order.  Going through them finds what must follow
 *                      an event, up to another event that is not far away
 *         edges[e]     how many edges its thread has up to e
 *         row[first[t] / stride + j]   the number of the row of the first (j + 1) x stride edges
 *                                      of t, as if all its reads were causal; the entry of t
 *                                      itself is not used
 *         dependent[e] (mode DEP)  1 + the position of the last write or branch of its thread up
 *                                  to e that makes all earlier reads causal
 *         named[r]     of a read: the position of the first branch that depends on it, but not
 *                      on all reads; UINT32_MAX: none does.  Then all edges are kept, and no
 *                      rows.
 * Cost.   4 bytes per event (DEP: 8, with DEPENDS events 12), 32 bytes per edge, and for rows 4
 *         bytes per event (up to 16 threads: a row for each edge).  Growing costs the edges that
 *         come in, or, for each thread, O(threads) and at most `stride` edges.
 * Reference.  Tunç et al., ASPLOS 2024, for reachability in chains by the edges that exist.
 */
#ifndef SNAG_WITNESS_DECIDE_ROWS_H
#define SNAG_WITNESS_DECIDE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

enum snag_mode {
	SNAG_MODE_M2,  /* every read keeps its writer (SNAG_RULES_READS) */
	SNAG_MODE_DEP, /* only causal reads do (SNAG_RULES_DEPENDENCE) */
	SNAG_MODES
};

/* The same edges in observed order. */
struct snag_row_step {
	uint32_t event; /* that needs it; a fork, if it is the start of a thread that does */
	uint32_t is_read : 1;
	uint32_t thread : 31; /* as below */
	uint32_t count;
	uint32_t to, at; /* the thread and position that need it */
};

enum { SNAG_STEP_BLOCK = 64 };

struct snag_row_edge {
	uint32_t at;	      /* the position of the event that needs it */
	uint32_t is_read : 1; /* counts only if the read at that position is causal */
	uint32_t thread : 31; /* so many events of this thread must precede it */
	uint32_t count;
};

/* A fork or join. */
struct snag_fork {
	snag_tid thread;
	uint32_t at;   /* the position of the event that needs it */
	uint32_t from; /* event */
};

struct snag_rows {
	uint32_t stride; /* 0: no rows */
	uint32_t nthreads;
	uint32_t *edges; /* by event */
	uint32_t *first; /* by thread, and one more */
	struct snag_row_edge *edge;
	uint32_t *row;
	uint32_t *counts; /* of row r from r x nthreads on */
	size_t nrows, counts_cap;
	struct snag_row_step *step;
	size_t nsteps, step_cap;
	uint32_t *step_at;	/* by event / SNAG_STEP_BLOCK: the first step that is not before */
	struct snag_fork *fork; /* all forks and joins; none in mode M2 */
	size_t nforks;
	uint32_t *dependent; /* by event; NULL in mode M2 */
	uint32_t *named;     /* by event; NULL: branches depend on all reads */
};

/* The memory of a walk along edges; one for each thread that walks. */
struct snag_rows_walk {
	struct snag_walk_step *step;
	size_t n, cap;
	uint32_t *seen; /* by thread, as far as `stamped` says so */
	uint32_t *stamped;
	uint32_t stamp;
};

void snag_walk_init(struct snag_rows_walk *w, uint32_t nthreads);
void snag_walk_done(struct snag_rows_walk *w); /* accepts zeroed ones */

/* stride: 0 for the default. */
struct snag_index;
void snag_rows_init(struct snag_rows *rows, const struct snag_index *ix, enum snag_mode mode,
		    uint32_t stride);
void snag_rows_done(struct snag_rows *rows); /* accepts zeroed ones */

/* The first `count` events of a thread, as far as edges matter: of its first `causal` edges
 * those that are reads count, and of the first `all` those that are not. */
struct snag_point {
	snag_tid thread;
	uint32_t count, causal, all;
};

struct snag_point snag_point_of(const struct snag_index *ix, const struct snag_rows *rows,
				snag_tid t, uint32_t count);
/* The same when the reads among the first `causal` events keep their writer. */
struct snag_point snag_point_causal(const struct snag_index *ix, const struct snag_rows *rows,
				    snag_tid t, uint32_t count, uint32_t causal);
/* Returns what precedes the access e in its thread, if e is one of the two that race: a racing
 * read is free, and a racing write makes all earlier reads of its thread causal. */
struct snag_point snag_point_before(const struct snag_index *ix, const struct snag_rows *rows,
				    uint32_t e);
/* The same for an access of t that is known by its position. */
struct snag_point snag_point_before_at(const struct snag_index *ix, const struct snag_rows *rows,
				       snag_tid t, uint32_t position, bool is_write);

/* Adds the first `count` events of t, and all that must precede them, to the closed cut. */
void snag_rows_add(const struct snag_index *ix, const struct snag_rows *rows,
		   struct snag_rows_walk *w, uint32_t *cut, snag_tid t, uint32_t count);
/* The same for a point, whatever the cut has of its thread. */
void snag_rows_add_point(const struct snag_index *ix, const struct snag_rows *rows,
			 struct snag_rows_walk *w, uint32_t *cut, const struct snag_point *p);
/* Returns whether the event is at the point, or must precede something at it. */
bool snag_rows_has(const struct snag_index *ix, const struct snag_rows *rows,
		   struct snag_rows_walk *w, const struct snag_point *p, uint32_t event);
/* Returns the first step at or after the event. */
size_t snag_rows_step(const struct snag_rows *rows, uint32_t event);
/* Returns whether the cut contains all that the point needs directly. */
bool snag_rows_is_within(const struct snag_index *ix, const struct snag_rows *rows,
			 const struct snag_point *p, const uint32_t *cut);

/* Returns among how many events of t reads are causal, if the first `count` are in the witness. */
uint32_t snag_rows_causal(const struct snag_index *ix, const struct snag_rows *rows, snag_tid t,
			  uint32_t count);

/* The row of the first (j + 1) x stride edges of t. */
static inline const uint32_t *snag_rows_kept(const struct snag_rows *rows, snag_tid t, uint32_t j)
{
	uint32_t number = rows->row[rows->first[t] / rows->stride + j];
	return rows->counts + (size_t)number * rows->nthreads;
}

/* Returns where the number of the row of the point is stored, or NULL if it is not kept. */
static inline const uint32_t *snag_rows_number(const struct snag_rows *rows,
					       const struct snag_point *p)
{
	if (!rows->stride || p->causal != p->all || p->causal == 0 || p->causal % rows->stride)
		return NULL;
	return &rows->row[rows->first[p->thread] / rows->stride + p->causal / rows->stride - 1];
}

#endif
