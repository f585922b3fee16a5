/* SPDX-License-Identifier: Apache-2.0
 *
 * past.h - the accesses to a variable that later ones may race with
 *
 * Mostly there is one, stored in place; several are a list from a pool.  `who` is any number
 * (not 0, 31 bits) by which the detector identifies the author of an access: a task, a step.
 * The event number is stored elsewhere, and only if it is reported.  Inside a program races are
 * only counted (inside.h), and the state of a variable is as small as possible.
 */
#ifndef SNAG_DETECT_PAST_H
#define SNAG_DETECT_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_past {
	uint32_t who, event;
};

/* Where one access is kept, or several. */
struct snag_past_place {
	uint32_t *who;	 /* 0: none; SNAG_PAST_LIST | number of the first link */
	uint32_t *event; /* the event number of the access; NULL: not kept */
};

#define SNAG_PAST_LIST UINT32_C(0x80000000)

struct snag_past_pool {
	struct snag_past_link {
		struct snag_past past;
		uint32_t next; /* number of a link, or 0 */
		uint32_t room; /* of the first link: at the disposal of the detector */
	} * link;	       /* from 1 on */
	size_t nlinks, link_cap;
	uint32_t free; /* first of those given back */
	uint32_t nused;
};

void snag_past_pool_init(struct snag_past_pool *pool);
void snag_past_pool_done(struct snag_past_pool *pool);

static inline bool snag_past_is_list(uint32_t who)
{
	return who & SNAG_PAST_LIST;
}

/* Returns the first link of a list, or 0 if it is no list. */
static inline uint32_t snag_past_first(uint32_t who)
{
	return snag_past_is_list(who) ? who & ~SNAG_PAST_LIST : 0;
}

/* get: the one access that is there.  set: replaces whatever is there. */
static inline struct snag_past snag_past_get(struct snag_past_place p)
{
	return (struct snag_past){*p.who, p.event ? *p.event : 0};
}

static inline void snag_past_set(struct snag_past_place p, struct snag_past past)
{
	*p.who = past.who;
	if (p.event)
		*p.event = past.event;
}

/* Makes a link in front of others; returns its number. */
uint32_t snag_past_link(struct snag_past_pool *pool, struct snag_past past, uint32_t next);
/* Frees a link; returns the next one. */
uint32_t snag_past_unlink(struct snag_past_pool *pool, uint32_t link);
/* Puts one more access in front of one or several. */
void snag_past_push(struct snag_past_pool *pool, struct snag_past_place p, struct snag_past past);
void snag_past_clear_list(struct snag_past_pool *pool, uint32_t who);

static inline void snag_past_clear(struct snag_past_pool *pool, uint32_t *who)
{
	if (snag_past_is_list(*who))
		snag_past_clear_list(pool, *who);
	*who = 0;
}

/* Returns a copy with the same accesses. */
uint32_t snag_past_copy(struct snag_past_pool *pool, uint32_t who);

/* What is kept of a variable: who, or which events; arrays of it are indexed by variable. */
struct snag_past_cell {
	uint32_t writer, reader;
};

/* Of a variable's cells, the second of which may be NULL. */
static inline struct snag_past_place snag_past_writer(struct snag_past_cell *who,
						      struct snag_past_cell *event)
{
	return (struct snag_past_place){&who->writer, event ? &event->writer : NULL};
}

static inline struct snag_past_place snag_past_reader(struct snag_past_cell *who,
						      struct snag_past_cell *event)
{
	return (struct snag_past_place){&who->reader, event ? &event->reader : NULL};
}

/* As forget and spread of inside.h, for variables whose events are not kept. */
void snag_past_forget(struct snag_past_pool *pool, struct snag_past_cell *x, uint32_t first,
		      uint32_t n);
void snag_past_spread(struct snag_past_pool *pool, struct snag_past_cell *x, uint32_t from,
		      uint32_t first, uint32_t n);

#endif
