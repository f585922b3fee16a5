/* SPDX-License-Identifier: Apache-2.0
 *
 * decide.h - is this pair of accesses a race?  Exactly, with a witness
 *
 * Given an index of a trace (index.h) and two conflicting accesses, a decider says
 * whether there is a valid reordering that ends with both, and if so gives one.  One
 * procedure serves every source of candidates, in three modes (enum snag_mode) that differ in which
 * reads must keep their writer.  See decide.c, and docs/algorithms/decide.md.
 *
 * Threading: any number of deciders may use one index at once, each in one thread.
 */
#ifndef SNAG_WITNESS_DECIDE_H
#define SNAG_WITNESS_DECIDE_H

#include "witness/decide/index.h"
#include "witness/witness.h"

enum snag_decision {
	SNAG_VERIFIED,	 /* there is a witness */
	SNAG_INFEASIBLE, /* there is none */
	SNAG_UNDECIDED,	 /* the budget is used up: no answer */
	SNAG_DECISIONS
};

/* The steps of decide.c, in their order; a bit mask. */
enum snag_decide_step {
	SNAG_STEP_OBSERVED = 1,	 /* the needed events, in observed order */
	SNAG_STEP_CLOSE = 2,	 /* end the open sections */
	SNAG_STEP_FILTER = 4,	 /* sections that cannot end must come last */
	SNAG_STEP_DELAY = 8,	 /* or run what follows their acquires last */
	SNAG_STEP_LATE = 16,	 /* reads in sections that cannot end */
	SNAG_STEP_WINDOW = 32,	 /* examine only the end first */
	SNAG_STEP_GREEDY = 64,	 /* linearise before propagating */
	SNAG_STEP_DPLL = 128,	 /* choose, at first without looking ahead */
	SNAG_STEP_REFUTE = 256,	 /* propagate in what follows sections that cannot end */
	SNAG_STEP_ARRANGE = 512, /* search in what runs last */
	SNAG_STEPS = 1023,
};

struct snag_decide_options {
	enum snag_mode mode;
	uint32_t max_nodes;  /* of the search, for one pair; 0: the default */
	uint32_t max_window; /* events; 0: the default, by threads */
	unsigned skip;	     /* steps left out, for tests: no step changes an answer */
};

enum { SNAG_DECIDE_NODES = 500, SNAG_DECIDE_WINDOW = 200000 };

struct snag_decider;

/* The index must have the rows of the mode (snag_index_add_mode), and outlive the decider. */
struct snag_decider *snag_decider_new(const struct snag_index *ix,
				      const struct snag_decide_options *options);
void snag_decider_free(struct snag_decider *d); /* accepts NULL */

/* Decides a pair.  e1 and e2 are plain accesses of one variable by two threads, one of them a
 * write, in any order. */
enum snag_decision snag_decide(struct snag_decider *d, uint32_t e1, uint32_t e2);

/* From now on nothing larger than this is searched, and no more than one node: what that leaves
 * open is UNDECIDED. */
void snag_decider_hurry(struct snag_decider *d, uint32_t max_window);

/* Whether n threads, at least two, can stand before these requests all at once: acquires and joins,
 * each of another thread.  That each one asks for what the next one holds is up to the caller; a
 * lock that a thread holds before its request is held in the witness.  The witness ends before the
 * requests.  `request` outlives the witness. */
enum snag_decision snag_decide_deadlock(struct snag_decider *d, const uint32_t *request,
					uint32_t n);

/* Whether a witness, which has the event `read` and ends with `write`, has the event `between`
 * after `read`.  `write` comes after `read` in its thread; `between` is of another thread. */
enum snag_decision snag_decide_between(struct snag_decider *d, uint32_t read, uint32_t between,
				       uint32_t write);

/* Whether a witness that ends with `access` has the event `end`, which is of another thread. */
enum snag_decision snag_decide_behind(struct snag_decider *d, uint32_t end, uint32_t access);

/* After VERIFIED, until the next decision: returns the witness, with a prefix. */
const struct snag_witness *snag_decider_witness(const struct snag_decider *d);

/* The mode that decides by the rules, which are not AUTO. */
static inline enum snag_mode snag_mode_of(enum snag_rules rules)
{
	return rules == SNAG_RULES_READS     ? SNAG_MODE_M2
	       : rules == SNAG_RULES_LITERAL ? SNAG_MODE_LITERAL
					     : SNAG_MODE_DEP;
}

static inline enum snag_rules snag_rules_of_mode(enum snag_mode mode)
{
	return mode == SNAG_MODE_DEP	   ? SNAG_RULES_DEPENDENCE
	       : mode == SNAG_MODE_LITERAL ? SNAG_RULES_LITERAL
					   : SNAG_RULES_READS;
}

/* How decisions were reached, for measurements. */
struct snag_decide_stats {
	uint64_t decisions[SNAG_DECISIONS];
	/* Settled by these steps. */
	uint64_t observed, filter, close, delay, late, refute, arrange;
	uint64_t windows;	     /* tried */
	uint64_t window, max_window; /* their events */
	uint64_t nodes, max_nodes;   /* of the search */
};

const struct snag_decide_stats *snag_decider_stats(const struct snag_decider *d);

#endif
