/* SPDX-License-Identifier: Apache-2.0
 *
 * index.h - what decisions need to know about the trace, computed once
 *
 * Idea.   A decision looks at few events of a long trace, so all it needs is laid out for random
 *         access: positions, writers, matching releases, the locks held at any event, lanes
 *         (lanes.h), and the weakest order that every witness keeps (rows.h).  The
 *         index never changes afterwards, so any number of threads may use it.
 *
 * State.  By event:
 *         position    in its thread, from 0
 *         link        read, atomic update: the write it saw; other write: the next write of its
 *                     variable; acquire: its release; release: its acquire; join: the last event
 *                     of the joined thread before it (its fork, if it did nothing); otherwise,
 *                     or if there is none, SNAG_NO_EVENT
 *         held        the locks held before it: a stack, see below
 *         A stack of held locks is a node number, its top.  Node i has the acquire that was
 *         taken last and the node below; 0 is the empty stack.  An acquire makes a node.  A
 *         release of the last lock goes to the node below; a release of another lock makes new
 *         nodes for those above it.  A lock that only one thread takes, and never shared, keeps
 *         nothing apart and is in no stack.
 * Cost.   16 bytes per event, 4 bytes per access and 36 bytes per acquire, besides the trace and
 *         the rows.
 */
#ifndef SNAG_WITNESS_DECIDE_INDEX_H
#define SNAG_WITNESS_DECIDE_INDEX_H

#include "trace/race.h"
#include "trace/threads.h"
#include "witness/decide/lanes.h"
#include "witness/decide/ops.h"
#include "witness/decide/rows.h"

struct snag_held {
	uint32_t acquire;
	uint32_t below; /* node number */
	uint32_t lock;
	uint32_t at; /* of the acquire in sections.acquire (lanes.h) */
};

struct snag_index {
	const struct snag_trace *trace;
	uint32_t nevents, nthreads, nvariables, nlocks;
	bool has_depends; /* some branches depend on some reads only */
	bool has_waits;	  /* some reads waited (snag_event_is_wait) */
	bool is_task;	  /* has operations of task programs, of which there are no witnesses */

	struct snag_threads threads;
	uint32_t *position, *link, *held; /* by event */
	uint32_t *held_at_end;		  /* by thread: the locks held after its last event */
	uint32_t *fork; /* by thread: the event that starts it, or SNAG_NO_EVENT */
	uint32_t *join; /* by thread: the first that waits for it, or SNAG_NO_EVENT */
	struct snag_held *node;
	size_t nnodes, node_cap;

	struct snag_lanes reads, writes, sections;
	struct snag_rows rows[SNAG_ALL_MODES]; /* filled for the modes that were added */
};

/* The trace must outlive the index, and obey the rules of traces (trace/wellformed.c). */
struct snag_index *snag_index_new(const struct snag_trace *trace);
/* The same, except that stacks also have locks that only one thread takes.  Only the published
 * procedures (paper.h, vindicate.h) need them. */
struct snag_index *snag_index_new_published(const struct snag_trace *trace);
void snag_index_free(struct snag_index *ix); /* accepts NULL */

/* Adds the rows that decisions in a mode need.  Call it once for each mode, before threads share
 * the index; further calls do nothing. */
void snag_index_add_mode(struct snag_index *ix, enum snag_mode mode);
/* The same with a row for every stride-th edge, for tests. */
void snag_index_add_rows(struct snag_index *ix, enum snag_mode mode, uint32_t stride);

static inline uint32_t snag_index_event(const struct snag_index *ix, snag_tid t, uint32_t position)
{
	return snag_threads_event(&ix->threads, t, position);
}

static inline snag_tid snag_index_thread(const struct snag_index *ix, uint32_t event)
{
	return ix->trace->ev[event].thread;
}

/* Returns the locks held by t after its first `position` events. */
static inline uint32_t snag_index_held(const struct snag_index *ix, snag_tid t, uint32_t position)
{
	if (position == snag_threads_length(&ix->threads, t))
		return ix->held_at_end[t];
	return ix->held[snag_index_event(ix, t, position)];
}

/* Returns whether a read of the variable sees w after the first cut[t] events of each thread, in
 * observed order; SNAG_NO_EVENT means the initial value.  No event of the cut is after `last`. */
bool snag_index_is_seen(const struct snag_index *ix, const uint32_t *cut, uint32_t last,
			uint32_t variable, uint32_t w);
/* Returns the last event of the cut, or 0. */
uint32_t snag_index_last(const struct snag_index *ix, const uint32_t *cut);

/* Returns whether some lock held at both events keeps them from being next to each other. */
bool snag_index_common_lock(const struct snag_index *ix, uint32_t e1, uint32_t e2);

#endif
