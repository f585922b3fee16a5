/* SPDX-License-Identifier: Apache-2.0
 *
 * deadlock.h - THE deadlock: threads that wait for each other, as data
 *
 * A deadlock is a circle of requests.  Each request is an acquire, or a join, at which its thread
 * waits for the thread of the next request; the last one waits for the first.
 */
#ifndef SNAG_TRACE_DEADLOCK_H
#define SNAG_TRACE_DEADLOCK_H

#include "trace/race.h"

struct snag_deadlock_wait {
	struct snag_site at; /* the request: its target is the lock, or for a join the thread */
	/* The acquire of what the request before this one asks for.  .event is SNAG_NO_EVENT if
	 * that is a join: it waits for the thread itself. */
	struct snag_site held;
};

struct snag_deadlock {
	struct snag_deadlock_wait *wait; /* begins with the request that was observed first */
	size_t n;
	/* Verdict, count and witness.  The witness ends before the requests.  As a race it has the
	 * first two requests for accesses, so that what takes races takes witnesses of
	 * deadlocks too. */
	struct snag_race proof;
};

void snag_deadlock_done(struct snag_deadlock *d);

#endif
