/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_result.h - the results of an exploration so far
 */
#ifndef SNAG_LANG_EXPLORE_RESULT_H
#define SNAG_LANG_EXPLORE_RESULT_H

#include "lang/explore.h"
#include "lang/explore_digest.h"
#include "lang/explore_steps.h"

struct explore_record {
	struct snag_explored *result; /* borrowed */
	size_t race_cap, error_cap;
	struct digest_set memories, graphs, structures; /* the digests at the ends of schedules */
	bool has_isolated;				/* some schedule had an isolated block */
};

void record_init(struct explore_record *r, struct snag_explored *result);
void record_done(struct explore_record *r);  /* the result remains */
void record_clear(struct explore_record *r); /* forgets all */

/* Records what just happened in the present schedule. */
void record_race(struct explore_record *r, const struct explore_steps *s,
		 const struct order_race *race);
void record_error(struct explore_record *r, const struct explore_steps *s, snag_tid task);
void record_end(struct explore_record *r, const struct explore_steps *s); /* it has ended */

/* Draws the conclusions, when the gap is known. */
void record_conclude(struct explore_record *r);

/* can_confirm: returns whether Theorem 11 applies and one more random schedule should confirm
 * it. The other function runs it. */
bool record_can_confirm(const struct explore_record *r);
void record_confirm(struct explore_record *r, struct world *w, uint64_t instructions);

#endif
