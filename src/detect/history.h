/* SPDX-License-Identifier: Apache-2.0
 *
 * history.h - every access so far, so that the partners of a racy one can be named
 *
 * Idea.   Detectors decide *that* an access is racy from a constant amount of state.
 *         Naming all its partners exactly needs the past.  Accesses of one thread, of
 *         one kind, at one place in the code, to one variable form a chain; since an
 *         order never forgets, the partners in a chain are exactly those from the
 *         clock's entry for that thread up to the access itself: a contiguous stretch,
 *         found by binary search.  Counting the racy pairs of two locations so costs a
 *         logarithm, however many pairs there are.
 *
 * State.  log[e]      access: the previous access of its chain, and the thread's last
 *                     synchronisation before it; synchronisation: the thread's previous
 *                     one, and its place
 *         chain       one per (variable, thread, kind, location): its last access
 *         place       each different (thread, op, target, location, locks held) of
 *                     synchronisation events, once
 *         A chain becomes a sorted array when a race first touches it, and is extended
 *         from the log at later ones.
 *
 * Cost.   8 bytes an event; O(1) per event; a query O(chains of the variable, and a
 *         logarithm for each that has partners).
 *
 * One history serves all detectors of a run.
 */
#ifndef SNAG_DETECT_HISTORY_H
#define SNAG_DETECT_HISTORY_H

#include "order/vclock.h"
#include "trace/race.h"
#include "trace/source.h"

struct snag_history;

struct snag_history *snag_history_new(void);
void snag_history_free(struct snag_history *h); /* accepts NULL */

/* Takes in the next batch; before any detector sees it. */
void snag_history_add(struct snag_history *h, const struct snag_batch *batch);

/* The partners of one racy access in one chain: the events
 * event[0 .. n), ascending. */
struct snag_partners {
	const uint32_t *event;
	size_t n;
	snag_tid thread;
	snag_loc loc;
	uint8_t op;
};

/* Calls `found` for each chain with partners of access `ev` (number `event`): accesses
 * of other threads before it that conflict with it and are not ordered before it by
 * `before`. */
void snag_history_partners(struct snag_history *h, const struct snag_event *ev, uint32_t event,
			   const struct snag_vclock *before,
			   void (*found)(void *ctx, const struct snag_partners *partners),
			   void *ctx);

/* Fills in the locks held at a site, whose event must be an access; the list belongs to
 * the history. */
void snag_history_locks_at(struct snag_history *h, struct snag_site *site);

/* The event of `thread` that made all it did before event number `until` known to others:
 * number until - 1, mostly a synchronisation.  Where it is a write, target and loc are
 * SNAG_NO_ID; with until = 0 there is none. */
struct snag_site snag_history_last_known(struct snag_history *h, snag_tid thread, uint32_t until);

#endif
