/* SPDX-License-Identifier: Apache-2.0
 *
 * contended_state.h - the state of the pass that finds contended variables, its orders and guards
 */
#ifndef SNAG_DETECT_CONTENDED_STATE_H
#define SNAG_DETECT_CONTENDED_STATE_H

#include "base/arrays.h"
#include "base/memory.h"
#include "detect/clocks.h"
#include "detect/slice/contended.h"
#include "detect/slice/kept_order.h"
#include "trace/walk.h"

#include <string.h>

enum {
	ATOMIC = 8,	   /* has atomic accesses */
	PLAIN = 16,	   /* has plain accesses */
	UNGUARDED = 32,	   /* no lock is held at all of them */
	BLIND = 64,	   /* some write comes, by K, after not all it conflicts with */
	PARTIAL = 128,	   /* its last write is not that of all its bytes (contended_memory.h) */
	LOCK = 256,	   /* a lock lies there (likewise) */
	FREED = 512,	   /* its block was freed (likewise) */
	FLAG_BITS = 10,	   /* SNAG_WANTS and these */
	READERS_LEAST = 2, /* room for readers in a list */
	KNOWN = 16,
	AHEAD = 64,	  /* events, between fetching a variable and its access */
	LIKELY_MOST = 16, /* variables that one location may make likely */
};

/* A time is 1 more than an event number; 0: there was no such access. */
struct contended_variable {
	uint32_t wtime;
	uint32_t rtime; /* or, if there is a list of readers, where it begins */
	uint32_t writer : 32 - FLAG_BITS, flags : FLAG_BITS;
	uint32_t reader : 32 - FLAG_BITS; /* or READERS */
	uint32_t readers_log : FLAG_BITS; /* of a list: log2 of its capacity */
};

static const uint32_t READERS = (UINT32_C(1) << (32 - FLAG_BITS)) - 1;

_Static_assert(sizeof(struct contended_variable) == 16, "a variable is 16 bytes");

struct contended_reader {
	uint32_t thread, time; /* time 0: the list ends before */
};

/* A read of `likely` that orders nothing if the thread's next write is to the same variable. */
struct pending {
	uint32_t variable; /* SNAG_NO_ID: there is none */
	uint32_t event, writer, wtime;
};

/* The locks that a thread holds: 2 * lock, and 1 more if it is shared. */
struct holding {
	uint32_t *at;
	size_t n, cap;
};

struct snag_contended {
	unsigned wants;
	bool shares_times; /* an odd event is several writes: [time] of contended_memory.h */
	uint32_t *guard;   /* by variable: 1 + a lock that was held at all accesses; 0: none yet */
	size_t guard_cap;
	bool has_guards;      /* some guard is not 0 */
	struct holding *held; /* by thread */
	size_t held_cap;
	unsigned mark; /* the flags that every access of the acting thread sets */
	struct contended_variable *x;
	size_t nvariables, x_cap;
	struct snag_arrays readers;
	struct snag_clocks hb;
	struct snag_kept_order kept, likely;
	struct pending *pending; /* by thread */
	size_t pending_cap, npending;
	uint8_t *nlikely; /* by location: how many variables it made likely */
	size_t nlikely_cap;
	struct snag_contended_counts counts;
	struct snag_walk walk;
	const struct snag_event *end;		    /* of those of the batch */
	const struct snag_split *split, *split_end; /* of the batch, that are still to come */
	/* A cache: how much of a thread comes before the next event of the one that acts, by all
	 * orders that count. */
	uint32_t acting;
	struct known {
		uint32_t of, bound; /* SNAG_NO_ID: none */
	} known[KNOWN];
};

static inline uint32_t hb_bound(const struct snag_contended *c, snag_tid t, snag_tid u)
{
	const struct snag_seats *seats = &c->hb.pool.seats;
	uint32_t seat = snag_seat(seats, t);
	return seat == SNAG_NO_SEAT
		       ? 0
		       : snag_vclock_get(snag_clocks_now(&c->hb, seat), snag_seat(seats, u));
}

/* The orders that count and do not order an event of u with this time before the next of t. */
static inline unsigned unordered(const struct snag_contended *c, snag_tid t, snag_tid u,
				 uint32_t time)
{
	unsigned open = 0;
	if (c->wants & SNAG_WANT_HB && time > hb_bound(c, t, u))
		open |= SNAG_WANT_HB;
	if (c->wants & SNAG_WANT_KEPT && time > snag_kept_order_bound(&c->kept, t, u))
		open |= SNAG_WANT_KEPT;
	if (c->wants & SNAG_WANT_LIKELY && time > snag_kept_order_bound(&c->likely, t, u))
		open |= SNAG_WANT_LIKELY;
	return open;
}

static inline uint32_t bound_ask(struct snag_contended *c, snag_tid t, snag_tid u)
{
	uint32_t least = UINT32_MAX, one;
	if (t == u)
		return UINT32_MAX;
	if (c->wants & SNAG_WANT_HB)
		least = hb_bound(c, t, u);
	if (c->wants & SNAG_WANT_KEPT && (one = snag_kept_order_bound(&c->kept, t, u)) < least)
		least = one;
	if (c->wants & SNAG_WANT_LIKELY && (one = snag_kept_order_bound(&c->likely, t, u)) < least)
		least = one;
	return least;
}

static inline void bounds_change(struct snag_contended *c)
{
	memset(c->known, 0xff, sizeof(c->known));
}

static inline void acting_change(struct snag_contended *c, snag_tid t)
{
	c->acting = t;
	c->mark = PLAIN | (c->held[t].n ? 0 : UNGUARDED);
	bounds_change(c);
}

/* Events of u with times up to this come before the next event of t, which is acting, by all
 * orders. */
static inline uint32_t bound(struct snag_contended *c, snag_tid t, snag_tid u)
{
	struct known *k = &c->known[u % KNOWN];
	if (__builtin_expect(k->of != u, 0))
		*k = (struct known){u, bound_ask(c, t, u)};
	return k->bound;
}

static inline void lock_take(struct holding *h, const struct snag_event *ev)
{
	h->at = snag_grow(h->at, &h->cap, h->n + 1, sizeof(*h->at));
	h->at[h->n++] = 2 * ev->target + (ev->op == SNAG_OP_ACQUIRE_SHARED);
}

static inline void lock_give(struct holding *h, const struct snag_event *ev)
{
	for (size_t i = h->n; i-- > 0;)
		if (h->at[i] / 2 == ev->target) {
			memmove(h->at + i, h->at + i + 1, (h->n - i - 1) * sizeof(*h->at));
			h->n--;
			return;
		}
}

/* Whether the acting thread holds a lock so that it keeps an access from all others that hold
 * it. */
static inline bool is_held(const struct snag_contended *c, uint32_t lock, bool is_write)
{
	const struct holding *h = &c->held[c->acting];
	for (size_t i = h->n; i-- > 0;)
		if (h->at[i] / 2 == lock)
			return !is_write || h->at[i] % 2 == 0;
	return false;
}

/* [guarded] An access while locks are held. */
static __attribute__((noinline, unused)) void guard_check(struct snag_contended *c,
							  uint32_t variable, bool is_write)
{
	const struct holding *h = &c->held[c->acting];
	uint32_t *guard = &c->guard[variable];
	if (*guard == 0)
		*guard = h->at[h->n - 1] / 2 + 1;
	c->has_guards = true;
	if (!is_held(c, *guard - 1, is_write))
		c->x[variable].flags |= UNGUARDED;
}

static inline void variable_mark(struct snag_contended *c, uint32_t variable, bool is_write)
{
	c->x[variable].flags |= c->mark;
	if (__builtin_expect(!(c->mark & UNGUARDED), 0) && !(c->x[variable].flags & UNGUARDED))
		guard_check(c, variable, is_write);
}

#endif
