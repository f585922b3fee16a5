/* SPDX-License-Identifier: Apache-2.0
 *
 * scout.h - looks at the records of a running program, and says which of them a trace needs
 *
 * Idea.   Most records of a run decide nothing.  To make events of them, with names and variables,
 *         and to write these to a trace, costs several times as much as the program itself.  So
 *         while the program runs, its records are only looked at (detect/slice/contended_memory.h)
 *         and put aside (spool.h).  When it has ended, those that touch needed words become
 *         events, and with them all synchronisation.  If nothing is needed, nothing is read again.
 *
 * Rules.  [run]      a run of the runtime (RT_AGAIN) is skipped if none of its accesses is needed;
 *                    otherwise its needed accesses become records of their own
 *         [count]    an event without a number of its own has that of the access before it.  If
 *                    that access was left out, RT_COUNT says the number
 *         [range]    of a range, the needed parts become ranges
 *         [branch]   of branches and what they depend on, those are delivered that matter for
 *                    needed words (trace/branch_filter.h).  A branch that depends on an atomic
 *                    depends on all earlier reads
 *         [block]    the beginning and end of a block are left out if nothing in it is needed.
 *                    RT_BLOCKS counts such beginnings, because blocks are named by their number.
 *                    What a record names by its address is needed: locks, misuses, benign races
 *         [place]    a place in the code (RT_NODE) is delivered when a record first refers to it
 *                    (places.h)
 *         [nothing]  if no variable is wanted and the locks have no circle, accesses, locks,
 *                    atomics and memory are left out; what the runtime says of the run is not
 *         [all]      programs of tasks are delivered as they were
 *         [long]     if the spool reaches its limit, or there are more events than can be numbered,
 *                    the rest of the run is not looked at: snag_scout_error() says so
 * Guarantee.  Detectors that take a slice find in what is delivered what they find in all.
 */
#ifndef SNAG_SCOUT_SCOUT_H
#define SNAG_SCOUT_SCOUT_H

#include "record/live.h"

struct snag_scout;

struct snag_scout_options {
	const char *folder; /* for the spool */
	uint64_t disk;	    /* bytes that it may take; 0: any number */
	unsigned wants;	    /* as for snag_contended_memory_new() */
	bool of_deadlocks;  /* a detector looks for them */
};
int snag_scout_new(const struct snag_scout_options *options, struct snag_scout **ret_scout,
		   struct snag_error *err);
void snag_scout_free(struct snag_scout *s); /* accepts NULL */

/* For snag_live_source(); as long as the scout lives. */
const struct snag_detour *snag_scout_detour(struct snag_scout *s);

/* While the program runs: a number that grows when the scout sees a race, or what looks like
 * one. */
uint64_t snag_scout_observed(const struct snag_scout *s);
/* How many events the run had, once it has ended. */
uint64_t snag_scout_events(const struct snag_scout *s);
/* Why some records are missing, at the end of the run; NULL: none are. */
const char *snag_scout_error(const struct snag_scout *s);

#endif
