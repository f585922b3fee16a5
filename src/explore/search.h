/* SPDX-License-Identifier: Apache-2.0
 *
 * search.h - which schedule of a program to run next
 *
 * Idea.   Schedules have numbers.  Schedule 0 is that of `snag run`; it shows how long a run is,
 *         and which memory threads share.  The others follow the policies in turn, because no
 *         policy is best for all programs, or one that the user chose.  What a schedule is follows
 *         from its number and the seed, but for `guided`, `rare` and exhaustive searches: these
 *         depend on what the runs before have shown.
 * Rules.  [long]    a run of many events is not chosen event by event: only random and pct remain
 *         [stay]    behind the beginning that `guided` steers to, the thread that it ends with goes
 *                   on in one of three runs, and pos decides in the others: what follows the new
 *                   order often must not be disturbed
 *         [shard]   worker I of N has the schedules whose number is I - 1 modulo N
 *
 * Threading.  Callers hold a lock of theirs.
 */
#ifndef SNAG_EXPLORE_SEARCH_H
#define SNAG_EXPLORE_SEARCH_H

#include "explore/classes.h"
#include "explore/orders.h"
#include "explore/states.h"

enum snag_search_policy {
	SNAG_SEARCH_ALL, /* in turn */
	SNAG_SEARCH_RANDOM,
	SNAG_SEARCH_PCT,
	SNAG_SEARCH_POS,
	SNAG_SEARCH_SURW,
	SNAG_SEARCH_GUIDED,
	SNAG_SEARCH_RARE,
	SNAG_SEARCH_POLICIES
};

extern const char *const snag_search_policy_name[SNAG_SEARCH_POLICIES];

struct snag_plan {
	uint64_t number; /* of the schedule */
	const char *policy;
	char options[256];	 /* for the runtime */
	struct snag_turns turns; /* to follow first */
	bool has_schedule;	 /* turns or weights are to be given to the program */
	char *weights;		 /* lines for surw, or NULL */
};

enum { SNAG_FOCUSES = 32, SNAG_LONG_RUN = 200000 };

struct snag_schedule_search {
	uint64_t seed;
	enum snag_search_policy policy;
	bool is_exhaustive;
	unsigned shard, nshards; /* from 0; 0: all schedules are ours */
	uint64_t next;		 /* number */
	struct snag_classes classes;
	struct snag_seen_orders orders;
	struct snag_states states;
	/* Of schedule 0: */
	bool has_profile;
	uint64_t events;
	struct snag_focus {    /* the things that the policy surw can order */
		uint64_t word; /* 0: synchronisation */
		char *weights;
	} focus[SNAG_FOCUSES];
	size_t nfocuses;
	struct snag_creators creators;
	uint64_t cut; /* runs that were too long to be looked at as orders */
};

/* Options of all runs. */
extern const char snag_search_options[];

/* Plans the next run.  False: there is nothing to run at present (exhaustive only). */
bool snag_search_next(struct snag_schedule_search *s, struct snag_plan *ret_plan);
void snag_plan_done(struct snag_plan *plan);
/* Adds what a run has shown; returns whether it showed something new. */
bool snag_search_add(struct snag_schedule_search *s, const struct snag_plan *plan,
		     const struct snag_moves *moves);
void snag_search_done(struct snag_schedule_search *s);

#endif
