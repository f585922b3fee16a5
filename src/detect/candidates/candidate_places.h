/* SPDX-License-Identifier: Apache-2.0
 *
 * candidate_places.h - the locations of candidates, with what was decided for them
 *
 * Idea.   Candidates whose events have the same locations have one cause, so one of them is
 *         reported.  A place stands for these locations.  It is settled when a candidate of it was
 *         verified; until then it keeps the first one that could not be decided.
 * Rules.  [pairs]  If all pairs are wanted, each candidate has a place of its own, which lives
 *                  until the next one.
 *         [shard]  The places are divided among workers (detector.h, `shard`).
 * Cost.   28 bytes and a slot for each place.
 */
#ifndef SNAG_DETECT_CANDIDATE_PLACES_H
#define SNAG_DETECT_CANDIDATE_PLACES_H

#include "base/slots.h"
#include "detect/detector.h"

enum {
	SNAG_PLACE_EVENTS = 3,	  /* of a candidate, at most */
	SNAG_PLACE_DECIDED = 4096 /* candidates of a place that are decided, at most */
};

struct snag_candidate_place {
	snag_loc loc[SNAG_PLACE_EVENTS];
	uint32_t undecided[SNAG_PLACE_EVENTS]; /* [0] is SNAG_NO_EVENT: none */
	uint32_t left;			       /* decisions */
	bool is_settled;
};

struct snag_candidate_places { /* all 0: empty */
	struct snag_candidate_place *at;
	size_t n, cap;
	struct snag_slots by_locations;
};

void snag_candidate_places_done(struct snag_candidate_places *all);
/* Returns the place of a candidate of n events.  Returns NULL if the place belongs to another
 * worker. */
struct snag_candidate_place *snag_candidate_places_of(struct snag_candidate_places *all,
						      const struct snag_detector_env *env,
						      const struct snag_trace *trace,
						      const uint32_t *event, unsigned n);

#endif
