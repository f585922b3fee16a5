/* SPDX-License-Identifier: Apache-2.0
 *
 * seats.h - which entry of the clocks is whose: threads that follow each other share one
 *
 * Idea.   A clock has an entry for each seat, not for each thread that ever was.  A thread that is
 *         forked after another one was joined, by a thread that knows all that one did, takes
 *         its seat.  As time is the event number, an entry k still means: all that was done on
 *         this seat before event k is known.  Who knows anything of the later
 *         thread knows all of the earlier one, because what its fork knew is before it in every
 *         relation; who knows all of the earlier one has an entry up to its end, which
 *         no event of the later one is below.  So entries mean for each of the
 *         threads what they would mean if it had its own, and threads on one
 *         seat are ordered like the events of one thread.
 *
 * State.  thread[t]     its seat; once it was joined its end: one more than the number of the
 *                       first join, which no other entry can equal; once it has lost its seat, the
 *                       last clock it had: it may be joined again
 *         occupant[s]   the last thread on the seat
 *         left[]        seats whose occupant was joined
 *
 * Rules.  [seat]   A root thread gets a new seat; so does a forked one, unless the fork's clock
 *                  reaches the end of the occupant of some seat in left[].  A fork tries
 *                  a bounded number of them, the next fork goes on with others.
 * Cost.   A fork O(1), and joining the clocks; 24 bytes a thread, and the last clock of one
 *         that has lost its seat.
 */
#ifndef SNAG_ORDER_SEATS_H
#define SNAG_ORDER_SEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_vclock;
struct snag_vclock_pool;

#define SNAG_NO_SEAT UINT32_MAX

struct snag_seated {
	uint32_t seat;		  /* SNAG_NO_SEAT: none yet */
	uint32_t end;		  /* 0: not joined yet */
	uint32_t since;		  /* the end of the one before on the seat, or 0 */
	struct snag_vclock *last; /* NULL: it still has its seat */
};

struct snag_seats { /* all 0: empty */
	struct snag_seated *thread;
	size_t nthreads, thread_cap;
	uint32_t *occupant;
	size_t n, occupant_cap;
	uint32_t *left;
	size_t nleft, left_cap;
	size_t next; /* left[] is tried downwards from here */
};

void snag_seats_done(struct snag_seats *s, struct snag_vclock_pool *pool);

/* Thread ids below this may come up.  Returns how many seats there may be after so many more
 * events. */
size_t snag_seats_reserve(struct snag_seats *s, size_t nthreads, size_t nevents);
/* A new seat. */
uint32_t snag_seats_new(struct snag_seats *s, uint32_t thread);
/* The seat a forked thread takes, of a forker with this clock.  *ret_before is the thread whose it
 * was, or the thread itself. */
uint32_t snag_seats_take(struct snag_seats *s, uint32_t thread, const struct snag_vclock *clock,
			 uint32_t *ret_before);
/* The thread was joined by event number `event`; it may have been before. */
void snag_seats_leave(struct snag_seats *s, uint32_t thread, uint32_t event);

/* Of a thread that has come up. */
static inline uint32_t snag_seat(const struct snag_seats *s, uint32_t thread)
{
	return s->thread[thread].seat;
}

/* Entries of its seat up to here know nothing of the thread itself. */
static inline uint32_t snag_seats_since(const struct snag_seats *s, uint32_t thread)
{
	return s->thread[thread].since;
}

/* Of a thread that acts: unless it was forked, it is a root thread. */
static inline uint32_t snag_seats_acting(struct snag_seats *s, uint32_t thread)
{
	uint32_t seat = s->thread[thread].seat;
	return __builtin_expect(seat != SNAG_NO_SEAT, 1) ? seat : snag_seats_new(s, thread);
}

#endif
