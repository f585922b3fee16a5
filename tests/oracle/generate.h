/* SPDX-License-Identifier: Apache-2.0
 *
 * generate.h - random small traces
 */
#ifndef ORACLE_GENERATE_H
#define ORACLE_GENERATE_H

#include "draft.h"
#include "prng.h"

struct range {
	unsigned low, high; /* both included */
};

/* What traces may look like; a feature is given as the part of the traces that
 * have it, in percent. */
struct generate_options {
	struct range threads, events, variables, locks;
	unsigned forks;	      /* threads are forked and joined, also under a lock */
	unsigned short_lived; /* many threads, forked and joined in turn, some joined twice */
	unsigned branches;    /* branch events */
	unsigned depends;     /* branches that depend on reads of some variables only */
	unsigned nested;      /* many locks, taken inside each other */
	unsigned loose;	      /* releases out of nesting order */
	unsigned reentrant;   /* acquires of a lock already held */
	unsigned unreleased;  /* locks held at the end of the trace */
	unsigned shared;      /* shared acquires */
	unsigned atomics;     /* atomic accesses and fences */
	unsigned mutants;     /* made from a known interesting trace, see mutate.h */
};

extern const struct generate_options generate_defaults;

/* A well-formed draft; the same for the same options and generator state. */
void generate_draft(const struct generate_options *options, struct prng *random,
		    struct draft *ret_draft);

#endif
