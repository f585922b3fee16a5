/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_sections.h - critical sections that can still order something
 *
 * Idea.   A section is an object from its acquire on.  Conflicts (predictive_conflicts.h) refer
 *         to the section an access was in, and find its release clock there.  The rule "a1
 *         before r2 implies r1 before r2" asks at a release r2 for the sections of the same lock
 *         whose acquire is known and whose release is not.  A clock can end between the two only
 *         if the section exports something: if its thread released another lock or forked inside
 *         it.  Only such sections are filed.
 *
 * State.  section[]    in order of their acquires; number 0 is none.  Those that nothing refers
 *                      to any more are removed from time to time, and the others numbered anew
 *                      in the same order (predictive_trim.c)
 *         run          filed sections in an order in which the known acquires are a prefix: all
 *                      of a lock when the relation composes with HB (what is HB-before a known
 *                      acquire is known), those of one thread otherwise
 *
 *         held         stacks of the sections a thread holds, of which a variable keeps the one
 *                      at its last write: a node is a section and the node below; shared, and
 *                      reference-counted.  Number 0 is the empty stack.
 *
 * Trim.   A filed section can matter only while some clock in use ends inside it: clocks only
 *         grow by joining whole clocks, so no other end can ever appear.  From time to time the
 *         ends of all clocks in use are gathered, and filed sections without one between acquire
 *         and release are dropped.  This is exact also for threads that start late.
 */
#ifndef SNAG_DETECT_PREDICTIVE_SECTIONS_H
#define SNAG_DETECT_PREDICTIVE_SECTIONS_H

#include "order/vclock.h"
#include "trace/race.h"

#include <stdbool.h>

/* The lock of the atomic accesses to a variable, in the variable's own tables. */
#define SNAG_ATOMIC_LOCK (UINT32_MAX - 1)

/* What every access looks at, packed. */
struct snag_section {
	snag_tid thread;
	uint32_t acquire;
	uint32_t release; /* SNAG_NO_EVENT while it is open */
	uint32_t lock;
};

_Static_assert(sizeof(struct snag_section) == 16, "four sections in a cache line");

struct snag_section_rest {
	uint32_t outer, inner; /* its neighbours among those its thread holds */
	bool is_shared, exports;
	bool is_deep;		   /* see predictive_deep.h */
	struct snag_vclock *clock; /* at the release: of HB, or of a relation with program order */
	struct snag_vclock *owed;  /* to be known at the release; NULL: nothing */
};

struct snag_section_run {
	snag_tid thread; /* the thread of the sections; SNAG_RUN_ALL: every thread */
	bool is_shared;
	struct snag_filed {
		uint32_t section;
		snag_tid thread;
		uint32_t acquire;
	} * at;
	size_t n, cap;
};

#define SNAG_RUN_ALL UINT32_MAX

struct snag_sections {
	struct snag_section *section;
	struct snag_section_rest *rest; /* of the same number */
	size_t n, cap, rest_cap;
};

struct snag_held_node {
	uint32_t refs; /* unused: 0, and below is the next unused one */
	uint32_t section, below;
};

/* What a thread found when it compared itself with a stack (predictive_deep.h). */
struct snag_held_seen {
	uint32_t by;
	uint32_t event; /* when */
	uint32_t found; /* a section of the stack; 0: none */
};

struct snag_held_nodes { /* all 0: empty */
	struct snag_held_node *at;
	size_t n, cap;
	struct snag_held_seen *seen; /* by node; nodes beyond seen_cap were never compared */
	size_t seen_cap;
	uint32_t unused;
};

/* Returns the stack with the section on top; takes over the reference to `below`. */
uint32_t snag_held_push(struct snag_held_nodes *nodes, uint32_t below, uint32_t section);
void snag_held_drop(struct snag_held_nodes *nodes, uint32_t top); /* accepts 0 */

/* Makes room for the comparisons of every node. */
struct snag_held_seen *snag_held_seen(struct snag_held_nodes *nodes);

static inline uint32_t snag_held_share(struct snag_held_nodes *nodes, uint32_t top)
{
	if (top)
		nodes->at[top].refs++;
	return top;
}

void snag_sections_init(struct snag_sections *s);
void snag_sections_done(struct snag_sections *s, struct snag_vclock_pool *pool);

uint32_t snag_section_new(struct snag_sections *s);

/* Keeps the sections whose number[] is not 0; number[] becomes the new number. */
void snag_sections_compact(struct snag_sections *s, struct snag_vclock_pool *pool,
			   uint32_t *number);

void snag_run_file(struct snag_section_run *run, const struct snag_sections *s, uint32_t number);

/* Returns the last section of the run whose acquire the clock knows, or 0. */
static inline uint32_t snag_run_last_known(const struct snag_section_run *run,
					   const struct snag_vclock *clock)
{
	size_t high = run->n, step = 1; /* known ones are a prefix; most are old, or none is */
	if (high == 0 || run->at[0].acquire >= snag_vclock_get(clock, run->at[0].thread))
		return 0;
	while (high > 0) {
		size_t low = high > step ? high - step : 0;
		const struct snag_filed *f = &run->at[low];
		if (f->acquire < snag_vclock_get(clock, f->thread)) {
			while (high - low > 1) {
				size_t mid = low + (high - low) / 2;
				f = &run->at[mid];
				if (f->acquire < snag_vclock_get(clock, f->thread))
					low = mid;
				else
					high = mid;
			}
			return run->at[low].section;
		}
		high = low;
		step *= 2;
	}
	return 0;
}

#endif
