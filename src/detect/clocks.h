/* SPDX-License-Identifier: Apache-2.0
 *
 * clocks.h - happens-before time of threads and locks
 *
 * Idea.   What every order that includes synchronisation needs: the clock of each
 *         thread, moved along by releases, forks, joins and atomics.
 *
 * State.  seats     which thread has which entry in the clocks; below, t is a seat
 *         now[t]    what is ordered before the next event of thread t, but for t's own
 *                   events, which always are (C_t without its own entry)
 *         stamp     (thread, time, clock): all before event `time` of `thread`, and what
 *                   that thread's clock said then.  A thread that knows thread:time knows the
 *                   clock too, so taking in a known stamp costs nothing.
 *         lock[l]   the stamp of its last exclusive release, and the join of the shared
 *                   releases since
 *         atomic[x] what a reader that acquires synchronises with: the release
 *                   sequence of its last store
 *
 * Rules.  [acquire]  now[t] joins lock[l]; alone, also the shared releases
 *         [release]  lock[l] = stamp of t;   shared: joins the shared releases
 *         [fork]     now[u] is the stamp of t; u may take the seat of a thread that was joined
 *         [join]     now[t] joins all that u did, and now[u]
 *         [atomic]   a load with acquire order joins atomic[x]; a store replaces it (by
 *                    nothing if relaxed); an update continues the release sequence.
 *                    Fences: a release fence lends its stamp to later relaxed stores, an
 *                    acquire fence takes in what relaxed loads have seen since.
 *
 * Cost.   release, fork O(1); acquire, join O(1) if nothing new, else O(threads).  Memory grows
 *         with the variables that have atomic accesses, not with all variables.
 */
#ifndef SNAG_DETECT_CLOCKS_H
#define SNAG_DETECT_CLOCKS_H

#include "base/slots.h"
#include "order/vclock.h"
#include "trace/source.h"

struct snag_stamp {
	uint32_t thread;	   /* its seat */
	uint32_t time;		   /* 0: nothing */
	struct snag_vclock *clock; /* NULL iff time is 0 */
};

struct snag_lock_clock {
	struct snag_stamp exclusive;
	struct snag_vclock *shared; /* NULL: no shared release since the last exclusive one */
};

struct snag_thread_clock {
	struct snag_vclock *now;
	struct snag_vclock *fence; /* its last release fence, or NULL */
	/* The clocks of writes that its relaxed loads have seen; or NULL. */
	struct snag_vclock *loaded;
};

struct snag_clocks {
	struct snag_vclock_pool pool;
	struct snag_thread_clock *thread; /* by seat */
	size_t nthreads, thread_cap;
	struct snag_lock_clock *lock;
	size_t lock_cap;
	struct snag_atomic_clock {
		uint32_t variable;
		struct snag_vclock *released; /* NULL: nothing to synchronise with */
	} * atomic;			      /* of variables with atomic accesses, as they came */
	size_t natomics, atomic_cap;
	struct snag_slots atomics; /* atomic[], by variable */
};

void snag_clocks_init(struct snag_clocks *c);
void snag_clocks_done(struct snag_clocks *c);
/* Makes room for the ids of a batch. */
void snag_clocks_reserve(struct snag_clocks *c, const struct snag_batch *batch);

void snag_stamp_set(struct snag_clocks *c, struct snag_stamp *stamp, uint32_t thread,
		    uint32_t time);
void snag_clocks_join_slow(struct snag_clocks *c, uint32_t thread, const struct snag_stamp *stamp);

/* The seat of the thread that acts; what follows speaks of seats. */
static inline uint32_t snag_clocks_seat(struct snag_clocks *c, uint32_t thread)
{
	return snag_seats_acting(&c->pool.seats, thread);
}

static inline struct snag_vclock *snag_clocks_now(const struct snag_clocks *c, uint32_t thread)
{
	return c->thread[thread].now;
}

/* Joins a stamp into now[thread]. */
static inline void snag_clocks_join(struct snag_clocks *c, uint32_t thread,
				    const struct snag_stamp *stamp)
{
	if (stamp->time > snag_vclock_get(c->thread[thread].now, stamp->thread) &&
	    stamp->thread != thread)
		snag_clocks_join_slow(c, thread, stamp);
}

/* A variable begins anew: readers that acquire have nothing to synchronise with. */
void snag_clocks_forget_atomic(struct snag_clocks *c, uint32_t variable);

/* Advances the clocks: every rule above, for one synchronisation event. */
void snag_clocks_sync(struct snag_clocks *c, const struct snag_event *ev, uint32_t event);

#endif
