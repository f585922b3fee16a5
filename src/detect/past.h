/* SPDX-License-Identifier: Apache-2.0
 *
 * past.h - the accesses to a variable that later ones may race with
 *
 * Mostly one, held in place in 8 bytes; several are a list from a pool.  Who did an access is
 * whatever number (not 0, 31 bits) the detector knows it by: a task, a step.
 */
#ifndef SNAG_DETECT_PAST_H
#define SNAG_DETECT_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_past {
	uint32_t who;	/* 0: nobody; SNAG_PAST_LIST | number of the first link */
	uint32_t event; /* of a list: whatever the detector wants */
};

#define SNAG_PAST_LIST UINT32_C(0x80000000)

struct snag_past_pool {
	struct snag_past_link {
		struct snag_past past;
		uint32_t next; /* number of a link, or 0 */
	} * link;	       /* from 1 on */
	size_t nlinks, link_cap;
	uint32_t free; /* first of those given back */
};

void snag_past_pool_init(struct snag_past_pool *pool);
void snag_past_pool_done(struct snag_past_pool *pool);

static inline bool snag_past_is_list(const struct snag_past *p)
{
	return p->who & SNAG_PAST_LIST;
}

/* The first link of a list, or 0: it is none. */
static inline uint32_t snag_past_first(const struct snag_past *p)
{
	return snag_past_is_list(p) ? p->who & ~SNAG_PAST_LIST : 0;
}

/* A link in front of others; returns its number. */
uint32_t snag_past_link(struct snag_past_pool *pool, struct snag_past past, uint32_t next);
/* Gives a link back; returns the next one. */
uint32_t snag_past_unlink(struct snag_past_pool *pool, uint32_t link);
/* Puts one more access in front of one or several. */
void snag_past_push(struct snag_past_pool *pool, struct snag_past *p, struct snag_past past);
void snag_past_clear_list(struct snag_past_pool *pool, struct snag_past *p);

static inline void snag_past_clear(struct snag_past_pool *pool, struct snag_past *p)
{
	if (snag_past_is_list(p))
		snag_past_clear_list(pool, p);
	p->who = 0;
}

/* Another with the same accesses. */
struct snag_past snag_past_copy(struct snag_past_pool *pool, const struct snag_past *p);

/* What is kept of a variable; arrays of it are indexed by variable. */
struct snag_past_cell {
	struct snag_past writer, reader;
};

/* The past of n variables is over; or is that of `from` (inside.h). */
void snag_past_forget(struct snag_past_pool *pool, struct snag_past_cell *x, uint32_t first,
		      uint32_t n);
void snag_past_spread(struct snag_past_pool *pool, struct snag_past_cell *x, uint32_t from,
		      uint32_t first, uint32_t n);

#endif
