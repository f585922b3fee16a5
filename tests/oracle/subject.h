/* SPDX-License-Identifier: Apache-2.0
 *
 * subject.h - one trace under examination, and what the oracle knows about it
 *
 * Answers are computed when first asked for and kept.
 */
#ifndef ORACLE_SUBJECT_H
#define ORACLE_SUBJECT_H

#include "model.h"
#include "relation.h"
#include "search.h"

struct subject {
	const struct snag_trace *trace;
	struct model model;
	uint64_t seed; /* for checks that draw random numbers */

	struct order order[RELATIONS];
	bool has_order[RELATIONS];
	struct search *search[SNAG_RULES]; /* by rules; kept from trace to trace */
	enum { UNKNOWN, DONE, TOO_LARGE } searched[SNAG_RULES];
};

void subject_init(struct subject *s);
void subject_done(struct subject *s);
/* Turns to another trace.  False: too large for the oracle. */
bool subject_set(struct subject *s, const struct snag_trace *trace, uint64_t seed);

/* The events that race with the later e2 by the relation. */
event_set subject_races(struct subject *s, enum relation which, unsigned e2);
/* Whether the relation has any race. */
bool subject_has_race(struct subject *s, enum relation which);
/* NULL: too large. */
const struct search *subject_search(struct subject *s, enum snag_rules rules);

#endif
