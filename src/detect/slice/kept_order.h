/* SPDX-License-Identifier: Apache-2.0
 *
 * kept_order.h - K, the order that every valid reordering keeps
 *
 * Idea.   A reordering by the rules of m2 keeps program order, fork before child, child before
 *         join, and the writer of every read.  K is the least order with these edges.  Locks
 *         add nothing: a reordering may change their order.
 *
 * State.  now[t]       what comes before the next event of thread t, without t's own events
 *         version[t]   the clocks that now[t] had, each with the event from which it counts.  So a
 *                      variable need not store a clock: its last writer and the time of the
 *                      write are enough to find the clock of the write.
 *
 * Rules.  [fork]   now[u] is what the forker knows
 *         [join]   now[t] takes in all of thread u
 *         [reads]  a read of t that sees a write of u takes in u's clock at that write
 *
 * Guarantee.  Every edge is one of K.  A thread keeps at most VERSIONS old clocks; of an
 *         old write the clock may therefore be an older one of its thread, which holds fewer
 *         edges of K, never others.
 * Cost.   fork, join and a read with news O(threads); 16 bytes and a clock a version.
 */
#ifndef SNAG_DETECT_KEPT_ORDER_H
#define SNAG_DETECT_KEPT_ORDER_H

#include "order/vclock.h"
#include "trace/event.h"

struct snag_kept_thread {
	struct snag_vclock *now; /* NULL: the thread has not come up */
	struct snag_kept_version {
		struct snag_vclock *clock;
		uint32_t since; /* event number */
	} * version;
	size_t nversions, version_cap;
};

struct snag_kept_order {
	struct snag_vclock_pool pool;
	struct snag_kept_thread *thread;
	size_t nthreads, thread_cap;
};

void snag_kept_order_init(struct snag_kept_order *k);
void snag_kept_order_done(struct snag_kept_order *k);
/* Announces thread ids below this. */
void snag_kept_order_reserve(struct snag_kept_order *k, size_t nthreads);
/* [fork] [join]; other operations are ignored. */
void snag_kept_order_sync(struct snag_kept_order *k, const struct snag_event *ev, uint32_t event);
/* [reads] Event `event` of thread t sees the write of thread u with this time, which is 1 more
 * than the number of the write. */
void snag_kept_order_reads(struct snag_kept_order *k, snag_tid t, uint32_t event, snag_tid u,
			   uint32_t time);

/* Returns up to which time the events of thread u come before the next event of thread t,
 * another one. */
static inline uint32_t snag_kept_order_bound(const struct snag_kept_order *k, snag_tid t,
					     snag_tid u)
{
	return snag_vclock_get(k->thread[t].now, snag_seat(&k->pool.seats, u));
}

#endif
