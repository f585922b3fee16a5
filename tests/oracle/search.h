/* SPDX-License-Identifier: Apache-2.0
 *
 * search.h - all predictable races and deadlocks of a small trace, by trying
 */
#ifndef ORACLE_SEARCH_H
#define ORACLE_SEARCH_H

#include "model.h"
#include "witness/witness.h"

struct search;

extern const char *const rules_name[SNAG_RULES]; /* "READS", ... */

struct search *search_new(void);
void search_free(struct search *s); /* accepts NULL */

/* Visits every state that a reordering by `rules` (any but AUTO) reaches.
 * The model must live as long as the answers below are asked for.  False: too
 * many states. */
bool search_run(struct search *s, const struct model *m, enum snag_rules rules);

/* The same by READS, and only for reorderings in which the sections of a lock keep their observed
 * order: no section begins after a competing one that was observed later. */
bool search_run_preserving(struct search *s, const struct model *m);

/* Bit e2: (e1, e2) is a predictable race.  Symmetric. */
event_set search_races(const struct search *s, unsigned e1);
bool search_has_race(const struct search *s);
/* A reachable state in which threads wait for each other's locks in a circle. */
bool search_has_deadlock(const struct search *s);

/* The requests, acquires or joins, at which threads can wait for each other in a circle without a
 * chord: no one waits for two of them. */
struct search_deadlock {
	event_set requests;
	uint32_t at; /* a state that shows it */
};
unsigned search_deadlocks(const struct search *s, const struct search_deadlock **ret);
/* The events that lead to it, in their order; returns how many. */
unsigned search_deadlock_witness(const struct search *s, const struct search_deadlock *d,
				 uint32_t *events);

/* The events that can be the next of their threads, with what they read, after the event `read` and
 * then `between` have happened.  0, and false, if there are too many states for that. */
bool search_between(struct search *s, unsigned read, unsigned between, event_set *ret_next);

/* The events that can be the next of their threads, whatever they read, after the event `end` has
 * happened. */
event_set search_behind(const struct search *s, unsigned end);

unsigned search_states(const struct search *s);

/* A witness of the predictable race (e1, e2), ending with these two in this
 * order; returns its length, at most MAX_EVENTS. */
unsigned search_witness(const struct search *s, unsigned e1, unsigned e2, uint32_t *events);

#endif
