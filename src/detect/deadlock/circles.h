/* SPDX-License-Identifier: Apache-2.0
 *
 * circles.h - the circles of requests that may be deadlocks
 *
 * Idea.   A request is an acquire, or a join, of a thread that holds something.  Requests of one
 *         thread at one location that ask for the same thing and hold the same locks are one
 *         *kind*.  Circles are looked for among kinds, which are few however long the trace is.
 *
 * State.  of a kind: thread, location, what it asks for, the locks held, its requests in their
 *         order.  A thing is a lock, or a thread: each thread holds itself until it ends, and a
 *         join asks for it.
 *
 * Rules.  [waits]    kind a waits for kind b of another thread if b holds what a asks for, and not
 *                    both share it
 *         [gate]     two kinds of a circle hold no lock that excludes the other
 *         [threads]  the kinds of a circle are of different threads
 *         [chord]    a circle in which some kind waits for another than the next one has a smaller
 *                    circle in it, and every deadlock of the large one is one of the small one:
 *                    only the small one counts
 *         [join]     a thread that holds no lock is in a circle only if another thread waits for
 *                    its end: only then its requests are kinds
 *
 * Guarantee.  Every deadlock of a reordering has, among its requests, those of a circle found here,
 *         unless the search was too long.
 * Cost.   One pass over the index; then the paths among the kinds that may be on a circle.
 * Reference.  Havelund, SPIN 2000; Bensalem and Havelund, HVC 2005, for gate locks and threads;
 *         Tunç, Mathur, Pavlogiannis and Viswanathan, PLDI 2023, for kinds (abstract deadlock
 *         patterns).
 */
#ifndef SNAG_DETECT_CIRCLES_H
#define SNAG_DETECT_CIRCLES_H

#include "witness/decide/index.h"

struct snag_request_kind {
	snag_tid thread;
	snag_loc loc;
	uint32_t asks;	      /* a lock, or the number of locks plus a thread */
	bool is_shared;	      /* the lock, together with others */
	uint32_t held, nheld; /* in circles.held: twice a lock, and 1 if shared; ascending */
	uint32_t *event;      /* its requests */
	uint32_t n;
	size_t cap;
};

struct snag_circles {
	const struct snag_index *ix;
	struct snag_request_kind *kind;
	size_t nkinds, kind_cap;
	uint32_t *held;
	size_t nheld, held_cap;
};

void snag_circles_init(struct snag_circles *c, const struct snag_index *ix);
void snag_circles_done(struct snag_circles *c);

/* The kinds of a circle: each waits for the next one. */
typedef bool snag_circle_handler(void *ctx, const uint32_t *kind, uint32_t n);
/* Calls back for each circle, until the handler returns false.  Returns whether the search came to
 * its end. */
bool snag_circles_find(struct snag_circles *c, snag_circle_handler *on_circle, void *ctx);

/* The acquire at which the thread of `request` took what the request `before` asks for;
 * SNAG_NO_EVENT: that is a join. */
uint32_t snag_circles_held(const struct snag_index *ix, uint32_t request, uint32_t before);

#endif
