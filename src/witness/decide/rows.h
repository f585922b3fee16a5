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
 * Modes.  In mode M2 every read keeps its writer.  In the other two, the *dependence* modes, only
 *         causal reads do.  A cut then says of each thread how many events are needed, and for how
 *         many of these all reads are causal: the entries t and nthreads + t.  An edge brings
 *         entries as these rules say:
 *         [branch]   a branch at position b makes all reads before it causal; if it names
 *                    variables (trace/event.h), only their reads, and those from before its thread
 *                    named any
 *         [read]     a causal read needs its writer, and makes all reads before the writer causal:
 *                    the edge is *full*
 *         [wait]     a read that waited (snag_event_is_wait) is causal
 *         [fork]     forks and joins need events, and make no read causal
 *         [literal]  in mode LITERAL a write, also a racing one, acts as a branch
 *         Each edge has one source, so the closure of two cuts together is their join.
 *         Mode DC is no rule of witnesses: its rows are the order of DC.  They are those of M2, and
 *         also
 *         [conflict] an access comes after the sections that conflict with it (conflict_edges.h);
 *                    such an edge is not full
 *
 * State.  edge[first[t]] ..    the edges into t, by position
 *         step[]       all edges in observed order.  Going through them finds what must follow
 *                      an event, up to another event that is not far away
 *         edges[e]     how many edges its thread has up to e
 *         row[first[t] / stride + j]   the number of the row of the first (j + 1) x stride edges of
 *                      t, as if all its reads were causal; the entry of t itself is of no interest
 *         dependent[e] (dependence modes)  all reads before this position are causal if e is in the
 *                      witness, whatever else is
 *         named[r]     of a read: the position of the first branch that depends on it, but not on
 *                      all reads, or its own if it waited; UINT32_MAX: there is none.  Then all
 *                      edges are kept, and a named read has a second one, at that position.
 * Cost.   4 bytes an event (dependence modes: 8, with named reads 12), 32 bytes an edge, and for
 *         rows 4 bytes an event (up to 16 threads: a row for each edge).  A row of a dependence
 *         mode has twice the entries.  Growing costs the edges that come in, or, for each thread,
 *         O(threads) and at most `stride` edges.
 * Reference.  Tunç et al., ASPLOS 2024, for reachability in chains by the edges that exist.
 */
#ifndef SNAG_WITNESS_DECIDE_ROWS_H
#define SNAG_WITNESS_DECIDE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

enum snag_mode {
	SNAG_MODE_M2,		   /* every read keeps its writer (SNAG_RULES_READS) */
	SNAG_MODE_DEP,		   /* only causal reads do (SNAG_RULES_DEPENDENCE) */
	SNAG_MODE_LITERAL,	   /* likewise, and writes are causal (SNAG_RULES_LITERAL) */
	SNAG_MODES,		   /* the modes before this one decide exactly */
	SNAG_MODE_DC = SNAG_MODES, /* every read keeps its writer, and conflicting sections their
				    * order: only for vindicate.h */
	SNAG_ALL_MODES
};

/* The same edges in observed order. */
struct snag_row_step {
	/* The event that needs the row; a fork stands for the start of its thread. */
	uint32_t event;
	uint32_t is_read : 1;
	uint32_t is_full : 1; /* as below */
	uint32_t thread : 30;
	uint32_t count;
	uint32_t keeps;	 /* all reads of so many of these events become causal */
	uint32_t to, at; /* the thread and position that need it */
};

enum { SNAG_STEP_BLOCK = 64 };

struct snag_row_edge {
	uint32_t at;	      /* the position of the event that needs it */
	uint32_t is_read : 1; /* counts only if the read at that position is causal */
	uint32_t is_full : 1; /* makes all reads of these events causal */
	uint32_t thread : 30; /* so many events of this thread must precede it */
	uint32_t count;
};

/* A fork or join. */
struct snag_fork {
	snag_tid thread;
	uint32_t at;   /* the position of the event that needs it */
	uint32_t from; /* event */
};

struct snag_rows {
	uint32_t stride;
	uint32_t nthreads;
	uint32_t width;	 /* entries of a cut, and of a row: nthreads, or twice as many */
	bool is_literal; /* a racing write makes all earlier reads of its thread causal */
	uint32_t *edges; /* by event */
	uint32_t *first; /* by thread, and one more */
	struct snag_row_edge *edge;
	uint32_t *row;
	uint32_t *counts; /* of row r from r x width on */
	size_t nrows, counts_cap;
	struct snag_row_step *step;
	size_t nsteps, step_cap;
	uint32_t *step_at;	/* by event / SNAG_STEP_BLOCK: the first step that is not before */
	struct snag_fork *fork; /* all forks and joins; none in mode M2 */
	size_t nforks;
	uint32_t *dependent; /* by event; NULL in mode M2 */
	uint32_t *named;     /* by event; NULL: none is */
};

/* The memory of a walk along edges; one for each thread that walks. */
struct snag_rows_walk {
	struct snag_walk_step *step;
	size_t n, cap;
	uint32_t *seen; /* by entry of a cut, as far as `stamped` says so */
	uint32_t *stamped;
	uint32_t stamp;
};

void snag_walk_init(struct snag_rows_walk *w, const struct snag_rows *rows);
void snag_walk_done(struct snag_rows_walk *w); /* accepts zeroed ones */

/* stride: 0 for the default. */
struct snag_index;
void snag_rows_init(struct snag_rows *rows, const struct snag_index *ix, enum snag_mode mode,
		    uint32_t stride);
void snag_rows_done(struct snag_rows *rows); /* accepts zeroed ones */

/* The first `count` events of a thread, with all reads of the first `keeps` causal.  As far as
 * edges are concerned: those of its first `causal` edges that are reads count, and of the first
 * `all` those that are not. */
struct snag_point {
	snag_tid thread;
	uint32_t count, keeps;
	uint32_t causal, all;
};

struct snag_point snag_point_of(const struct snag_index *ix, const struct snag_rows *rows,
				snag_tid t, uint32_t count);
/* The same when the reads among the first `causal` events keep their writer. */
struct snag_point snag_point_causal(const struct snag_index *ix, const struct snag_rows *rows,
				    snag_tid t, uint32_t count, uint32_t causal);
/* What precedes the access e in its thread, when it is one of the two that race: a racing read is
 * free, and in mode LITERAL a racing write makes all earlier reads of its thread causal. */
struct snag_point snag_point_before(const struct snag_index *ix, const struct snag_rows *rows,
				    uint32_t e);
/* The same for an access of t that is known by its position. */
struct snag_point snag_point_before_at(const struct snag_index *ix, const struct snag_rows *rows,
				       snag_tid t, uint32_t position, bool is_write);

/* The closed cut, of rows->width entries, grows by the first `count` events of t and all that must
 * precede them. */
void snag_rows_add(const struct snag_index *ix, const struct snag_rows *rows,
		   struct snag_rows_walk *w, uint32_t *cut, snag_tid t, uint32_t count);
/* The same for what an edge brings. */
void snag_rows_add_edge(const struct snag_index *ix, const struct snag_rows *rows,
			struct snag_rows_walk *w, uint32_t *cut, const struct snag_row_edge *edge);
/* The same for a point, whatever the cut has of its thread. */
void snag_rows_add_point(const struct snag_index *ix, const struct snag_rows *rows,
			 struct snag_rows_walk *w, uint32_t *cut, const struct snag_point *p);
/* Mode DC: the cut grows by the sections that conflict with the access e itself. */
void snag_rows_add_conflicts(const struct snag_index *ix, const struct snag_rows *rows,
			     struct snag_rows_walk *w, uint32_t *cut, uint32_t e);
/* Returns whether the event is at the point, or must precede something at it. */
bool snag_rows_has(const struct snag_index *ix, const struct snag_rows *rows,
		   struct snag_rows_walk *w, const struct snag_point *p, uint32_t event);
/* Returns the first step at or after the event. */
size_t snag_rows_step(const struct snag_rows *rows, uint32_t event);
/* Returns whether the cut contains all that the point needs directly. */
bool snag_rows_is_within(const struct snag_index *ix, const struct snag_rows *rows,
			 const struct snag_point *p, const uint32_t *cut);

/* Among how many events of t all reads are causal, if the first `count` are in the witness. */
uint32_t snag_rows_causal(const struct snag_index *ix, const struct snag_rows *rows, snag_tid t,
			  uint32_t count);

/* The row of the first (j + 1) x stride edges of t. */
static inline const uint32_t *snag_rows_kept(const struct snag_rows *rows, snag_tid t, uint32_t j)
{
	uint32_t number = rows->row[rows->first[t] / rows->stride + j];
	return rows->counts + (size_t)number * rows->width;
}

/* How many events of t the cut has whose reads are all causal. */
static inline uint32_t snag_rows_keeps(const struct snag_rows *rows, const uint32_t *cut,
				       snag_tid t)
{
	return cut[rows->width - rows->nthreads + t];
}

/* Returns where the number of the row of the point is stored, or NULL if it is not kept. */
static inline const uint32_t *snag_rows_number(const struct snag_rows *rows,
					       const struct snag_point *p)
{
	if (p->causal != p->all || p->causal == 0 || p->causal % rows->stride)
		return NULL;
	return &rows->row[rows->first[p->thread] / rows->stride + p->causal / rows->stride - 1];
}

#endif
