/* SPDX-License-Identifier: Apache-2.0
 *
 * state.h - the facts of one decision, and how to take them back
 *
 * Idea.   A decision collects facts that hold in every witness: which events it must contain,
 *         and which of them must come before which.  The events are a count per thread.  The
 *         order is, for every event, a count per thread; it is kept transitively closed, so that
 *         a question is one comparison.
 *
 * State.  X            the needed events: the first count[t] of each thread.  It is closed: what
 *         must precede an event of X is in X.
 *         limit[t]     how many may be needed: those before the event of t in the goal
 *         causal[t]    reads among the first causal[t] events must keep their writer, and so
 *                      must those that a branch in X names (rows.h).  X and causal are one cut
 *         row(e)[u]    how many events of u must precede e.  Only for the events of the
 *                      *window*, those of X from position start[t] on; earlier events have the
 *                      rows of the index. Facts about what precedes such an earlier event are
 *                      not kept.  That loses facts, but the kept ones still hold in every
 *                      witness.
 *         queue        events with new facts
 *         trail        what was overwritten, to return to a mark
 *         missing      events before the window that should be in it: they must, or may have to,
 *                      come after one that is
 *
 * Guarantee.  False from snag_state_need or snag_state_order is a contradiction: there is no
 *         witness with all that was assumed.
 * Cost.   (threads + 4) x 4 bytes an event of the window, in dependence modes (2 x threads + 4) x
 *         4.  An edge costs a bisection per thread
 *         and O(threads) for every row that changes.
 */
#ifndef SNAG_WITNESS_DECIDE_STATE_H
#define SNAG_WITNESS_DECIDE_STATE_H

#include "witness/decide/index.h"

/* What a row has behind its entries. */
enum {
	SNAG_ROW_QUEUED,  /* whether the event is in the queue */
	SNAG_ROW_READERS, /* of a write: scratch of the linearisers */
	SNAG_ROW_CHANGED, /* when sweeping: nchanges at its last change, 0: none, */
	SNAG_ROW_CLOSED,  /* and when it was last closed */
	SNAG_ROW_EXTRA
};

enum { SNAG_MAX_MISSING = 512 };

struct snag_undo {
	snag_tid thread;
	uint32_t at; /* in row[thread], or: */
	uint32_t old;
};

enum { SNAG_UNDO_COUNT = UINT32_MAX, SNAG_UNDO_CAUSAL = UINT32_MAX - 1 };

/* Threads that have something to do with a variable or lock in the window, as bits by their number
 * modulo 64: most lanes need not be looked at. */
struct snag_present {
	uint32_t stamp;		   /* with another stamp, the entry is empty */
	uint64_t readers, writers; /* of a lock, those that take it are in `writers` */
};

/* A section that is open in X. */
struct snag_stay {
	uint32_t acquire;
	uint32_t next; /* of the same lock: in stay[], or UINT32_MAX */
};

/* The first one of a lock. */
struct snag_stay_first {
	uint32_t stay_of; /* with another number, the entry is unknown */
	uint32_t stay;
};

/* Two events of which one must come first. */
struct snag_noted {
	uint32_t first, then;
};

struct snag_state {
	const struct snag_index *ix;
	const struct snag_rows *rows;
	uint32_t nthreads;
	uint32_t width; /* of a cut (rows.h) */
	struct snag_rows_walk walk;

	/* The goal: events that must be the next of their threads, all at once.  For a race two
	 * accesses, for a deadlock the requests of a circle. */
	const uint32_t *goal;
	uint32_t ngoal, pair[2];

	/* Of cuts (cut.c). */
	uint32_t end;	  /* the cuts of this decision have nothing that was observed later, */
	uint32_t out;	  /* and what is taken out of them was not observed before this */
	uint32_t *after;  /* by thread: what must follow a racing access begins here */
	size_t next_step; /* as far as steps have been gone through */
	uint32_t *ends, *stays; /* by thread: so many events can be needed, and these cannot */
	uint32_t *open;		/* open sections, as nodes; the first nlate cannot end */
	uint32_t nopen, nlate;
	size_t open_cap;
	uint32_t look;	    /* goes up with every look at a cut; stamps: */
	uint32_t *late;	    /* by lock: a section of it cannot end */
	uint32_t *near_key; /* by key of sections: the last answer of snag_below_near */

	uint32_t *limit, *start; /* by thread; set by the caller before snag_state_begin */
	uint32_t *count, *causal;

	uint32_t **row; /* by thread: rows of `width` entries and the four above */
	size_t *row_cap;
	uint32_t *scratch, *need; /* cuts */
	/* The events that must precede the event `known_of`, which is before the window. */
	uint32_t *known;
	uint32_t known_of;  /* SNAG_NO_EVENT: none */
	uint32_t *entering; /* events, in observed order */
	size_t entering_cap;
	uint32_t *window; /* all of it, when asked for */
	size_t window_cap;
	struct snag_present *variable, *lock;
	uint32_t ngrowths;	/* changes of X */
	struct snag_stay *stay; /* the sections open in X, when it had changed so many times: */
	uint32_t nstay, stay_of;
	size_t stay_cap;
	struct snag_stay_first *stay_first; /* by lock */
	uint32_t *near; /* by lane of sections: the last answer of snag_lane_below_near */
	uint32_t stamp;
	bool is_beginning; /* the rows that come in are those of the index, closed */
	bool is_sweeping;  /* new edges are not carried on at once, see snag_state_close */
	uint32_t nchanges; /* rows that changed, or came in later */
	uint32_t *changed; /* by thread: nchanges at the last change of one of its rows */
	bool has_edges;	   /* beyond those of the index */

	uint32_t *queue;
	size_t nqueue, queue_cap;
	struct snag_undo *trail;
	size_t ntrail, trail_cap;
	bool is_trailing;
	uint32_t missing[SNAG_MAX_MISSING]; /* some of them */
	uint32_t nmissing;
	uint64_t work; /* rows joined */

	/* For explanations (explain.h), if `notes`: the edges that the state got, and the
	 * contradiction: an edge against them, or two acquires, neither of whose sections can come
	 * first. */
	bool notes;
	struct snag_noted *noted, against, stuck;
	size_t nnoted, noted_cap;
};

void snag_state_init(struct snag_state *s, const struct snag_index *ix, enum snag_mode mode);
void snag_state_done(struct snag_state *s);

/* Begins with X = a closed cut, and nothing known but the index.  All events of the window are in
 * the queue. */
void snag_state_begin(struct snag_state *s, const uint32_t *cut);

/* Adds the fact that the event, with what must precede it, is needed. */
bool snag_state_need(struct snag_state *s, uint32_t event);
/* Adds the fact that event a of X must come before event b of X. */
bool snag_state_order(struct snag_state *s, uint32_t a, uint32_t b);
/* While is_sweeping, an edge changes only the row of its second event.  This function carries
 * the facts about earlier events to the row of an event of the window.  After a sweep over all
 * of them, in observed order, that changes nothing, the order is closed again. */
bool snag_state_close(struct snag_state *s, uint32_t event);
/* Takes the event out of the queue.  Returns false if it was not in it. */
bool snag_state_take(struct snag_state *s, uint32_t event);
/* Returns all events of the window in observed order; valid until X changes. */
const uint32_t *snag_state_events(struct snag_state *s, size_t *ret_n);
/* Returns the next event of the queue, or SNAG_NO_EVENT. */
uint32_t snag_state_next(struct snag_state *s);
void snag_state_clear_queue(struct snag_state *s);

/* The first section of the lock that is open in X: in s->stay, or UINT32_MAX. */
uint32_t snag_state_open(struct snag_state *s, uint32_t lock);
/* Notes that the event, before the window, should be in it. */
void snag_state_miss(struct snag_state *s, uint32_t event);

size_t snag_state_mark(struct snag_state *s);
void snag_state_return(struct snag_state *s, size_t mark);

static inline bool snag_has_thread(uint64_t threads, snag_tid t)
{
	return threads >> (t % 64) & 1;
}

/* Returns which threads read and write the variable in the window. */
static inline struct snag_present snag_state_variable(const struct snag_state *s, uint32_t variable)
{
	const struct snag_present *x = &s->variable[variable];
	return x->stamp == s->stamp ? *x : (struct snag_present){0};
}

/* Returns which threads have a section of the lock that is not over before the window. */
static inline uint64_t snag_state_lock(const struct snag_state *s, uint32_t lock)
{
	return s->lock[lock].stamp == s->stamp ? s->lock[lock].writers : 0;
}

static inline bool snag_state_in_window(const struct snag_state *s, uint32_t event)
{
	return s->ix->position[event] >= s->start[snag_index_thread(s->ix, event)];
}

/* What must precede the p-th event of t, which is in the window. */
static inline uint32_t *snag_state_row(const struct snag_state *s, snag_tid t, uint32_t p)
{
	return s->row[t] + (size_t)(p - s->start[t]) * (s->width + SNAG_ROW_EXTRA);
}

/* Returns what must precede an event before the window, as far as the index knows; valid until
 * the next call. */
const uint32_t *snag_state_known(struct snag_state *s, uint32_t event);

/* How many events of u must precede this one. */
static inline uint32_t snag_state_before(struct snag_state *s, uint32_t event, snag_tid u)
{
	snag_tid t = snag_index_thread(s->ix, event);
	uint32_t p = s->ix->position[event];
	if (u == t)
		return p;
	return p >= s->start[t] ? snag_state_row(s, t, p)[u] : snag_state_known(s, event)[u];
}

static inline bool snag_state_is_before(struct snag_state *s, uint32_t a, uint32_t b)
{
	snag_tid t = snag_index_thread(s->ix, b);
	uint32_t p = s->ix->position[b];
	if (p >= s->start[t] || t == snag_index_thread(s->ix, a))
		return s->ix->position[a] < snag_state_before(s, b, snag_index_thread(s->ix, a));
	if (a > b || snag_state_in_window(s, a)) /* what is before the window is closed */
		return false;
	struct snag_point point = snag_point_of(s->ix, s->rows, t, p + 1);
	return snag_rows_has(s->ix, s->rows, &s->walk, &point, a);
}

static inline bool snag_state_is_causal(const struct snag_state *s, uint32_t read)
{
	snag_tid t = snag_index_thread(s->ix, read);
	return s->ix->position[read] < s->causal[t] ||
	       (s->rows->named && s->rows->named[read] < s->count[t]);
}

/* No read from here on is causal. */
static inline uint32_t snag_state_causal_end(const struct snag_state *s, snag_tid t)
{
	return s->rows->named ? s->count[t] : s->causal[t];
}

#endif
