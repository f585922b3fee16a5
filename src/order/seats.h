/* SPDX-License-Identifier: Apache-2.0
 *
 * seats.h - which thread owns which entry of the clocks: successive threads share one
 *
 * Idea.   A clock has an entry for each seat, not for each thread that ever lived.  Suppose a
 *         thread u was joined, and later a thread that knows all of u forks a thread v.  Then v
 *         takes the seat of u.
 *         Time is the event number, so an entry k still means: all events on this seat before
 *         event k are known.  A thread that knows an event of v also knows all of u, because what
 *         its fork knew is before v in every relation.  A thread that knows all of u has an entry
 *         up to its end, and no event of v is below that.  So an entry means for u and for v what
 *         it would mean if each had its own entry, and threads on one seat are ordered like the
 *         events of one thread.
 *
 * State.  thread[t]     its seat.  Once it was joined, its end: one more than the number of the
 *                       first join, which no other entry can equal.  Once it has lost its seat,
 *                       its last clock, because it may be joined again
 *         occupant[s]   the last thread on the seat
 *         left[]        seats whose occupant was joined
 *
 * Rules.  [seat]   A root thread gets a new seat.  So does a forked thread, unless the clock of
 *                  the fork reaches the end of the occupant of some seat in left[].  A fork
 *                  tries a bounded number of these seats; the next fork continues with others.
 * Cost.   A fork O(1), plus joining the clocks; 24 bytes per thread, and the last clock of a
 *         thread that has lost its seat.
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
	uint32_t since;		  /* the end of the previous thread on the seat, or 0 */
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

/* Announces thread ids below nthreads.  Returns the largest number of seats after nevents more
 * events. */
size_t snag_seats_reserve(struct snag_seats *s, size_t nthreads, size_t nevents);
/* Gives the thread a new seat. */
uint32_t snag_seats_new(struct snag_seats *s, uint32_t thread);
/* Returns the seat of a forked thread, whose forker has this clock.  *ret_before is the thread
 * that had the seat before, or the thread itself. */
uint32_t snag_seats_take(struct snag_seats *s, uint32_t thread, const struct snag_vclock *clock,
			 uint32_t *ret_before);
/* Records that event number `event` joined the thread, perhaps not for the first time. */
void snag_seats_leave(struct snag_seats *s, uint32_t thread, uint32_t event);

/* Returns the seat of a known thread. */
static inline uint32_t snag_seat(const struct snag_seats *s, uint32_t thread)
{
	return s->thread[thread].seat;
}

/* Returns up to which time entries of its seat say nothing about the thread itself. */
static inline uint32_t snag_seats_since(const struct snag_seats *s, uint32_t thread)
{
	return s->thread[thread].since;
}

/* Returns the seat of a thread that acts.  A thread that was not forked is a root thread. */
static inline uint32_t snag_seats_acting(struct snag_seats *s, uint32_t thread)
{
	uint32_t seat = s->thread[thread].seat;
	return __builtin_expect(seat != SNAG_NO_SEAT, 1) ? seat : snag_seats_new(s, thread);
}

#endif
