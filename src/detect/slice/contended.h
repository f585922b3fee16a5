/* SPDX-License-Identifier: Apache-2.0
 *
 * contended.h - which variables a detector has to look at
 *
 * Idea.   Most variables of a real program cannot race: only one thread uses them, or no thread
 *         writes them, or all conflicting accesses of them are ordered in a way that no detector
 *         can change.  One linear pass over the trace finds the other variables.  It processes
 *         runs (trace/runs.h) without expanding them.  Detectors then read the slice of the
 *         trace that has these variables and all synchronisation (slice.h).
 *         docs/algorithms/slice.md proves that they find the same there.
 *
 * State.  For every variable (FastTrack's state, with real event numbers for time):
 *         last write       its thread and time, plain or atomic
 *         reads since      one thread and its time; or a list, one entry per thread
 *         flags            why the variable is wanted
 *         hb               happens-before (clocks.h)
 *         kept             K, the order that every valid reordering keeps (kept_order.h)
 *         likely           K without the reads of counters
 *
 * Rules.  Two accesses of different threads conflict if one of them writes.
 *         [hb]      wanted by SNAG_WANT_HB: conflicting accesses that hb does not order
 *         [kept]    wanted by SNAG_WANT_KEPT: conflicting accesses that K does not order; a read
 *                   is tested before it joins the clock of the write it sees
 *         [likely]  wanted by SNAG_WANT_LIKELY: the same for `likely`.  There a read orders
 *                   nothing if the next access of its thread is a write to the same variable, as
 *                   in n++ or an atomic read-modify-write; accesses of variables that no other
 *                   thread has used do not count as the next
 *         [few]     an access at one location makes at most LIKELY_MOST variables likely: these
 *                   are samples to try, not a set that must be complete
 *         [guarded] not wanted by SNAG_WANT_LIKELY if one lock is held at all accesses
 *         [counter] not wanted by SNAG_WANT_KEPT either, if also every write comes, by K, after
 *                   all that it conflicts with: then the variable only orders, by the reads that
 *                   see a write of another thread
 *         [atomic]  wanted by all: variables with both plain and atomic accesses
 *         [split]   a variable that is split off another (trace/split.h) begins with its state
 *         A write is compared with the last write and the reads since.  As long as a variable is
 *         not wanted, its last write comes after all accesses before it, so this is enough.
 *
 * Guarantee.  A variable that is not wanted has no conflicting accesses that the order in
 *             question leaves unordered.  A wanted one may have none, if K forgot an edge
 *             (kept_order.h).
 * Cost.   16 bytes per variable, 8 more for each reader of one that several threads read.  O(1)
 *         per access, about 2 ns in a run.
 * Reference.  Flanagan and Freund, PLDI 2009, for the state of a variable.
 */
#ifndef SNAG_DETECT_CONTENDED_H
#define SNAG_DETECT_CONTENDED_H

#include "trace/source.h"

enum {
	SNAG_WANT_HB = 1,
	SNAG_WANT_KEPT = 2,
	SNAG_WANT_LIKELY = 4,
	SNAG_WANTS = 7,
};

enum { SNAG_CONTENDED_THREADS = (1 << 22) - 2 }; /* the most */

struct snag_contended;

/* `wants` says which rules apply. */
struct snag_contended *snag_contended_new(unsigned wants);
void snag_contended_free(struct snag_contended *c); /* accepts NULL */

/* Processes the next events, which may have runs. */
void snag_contended_batch(struct snag_contended *c, const struct snag_batch *batch);

struct snag_contended_counts {
	uint64_t events;
	uint64_t in_runs;  /* how many of these events are in runs */
	uint64_t accesses; /* plain ones */
	/* How many of these accesses are not ordered after all that they conflict with. */
	uint64_t contended;
	uint64_t observed; /* variables with conflicting accesses that hb does not order */
};
struct snag_contended_counts snag_contended_counts(const struct snag_contended *c);

/* How many variables are wanted. */
uint32_t snag_contended_variables(const struct snag_contended *c);
/* Why a variable is wanted, a set of SNAG_WANT_*. */
unsigned snag_contended_wanted(const struct snag_contended *c, uint32_t variable);
/* Returns whether a variable is wanted, is a counter or has atomic accesses: these belong to
 * every slice. */
bool snag_contended_is_in_slice(const struct snag_contended *c, uint32_t variable);
/* Returns whether a variable is there only because of the order that its reads keep: rule
 * [counter]. */
bool snag_contended_is_counter(const struct snag_contended *c, uint32_t variable);

#endif
