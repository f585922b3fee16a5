/* SPDX-License-Identifier: Apache-2.0
 *
 * listing.h - which pairs of locations are listed as races
 *
 * Idea.   A variable that is accessed at n locations can have n^2 / 2 racy pairs of locations.
 *         No user reads millions of races, and memory may not hold them.  So the first `most` pairs
 *         are listed.  Beyond that a pair is listed only if one of its locations has been
 *         listed fewer than SNAG_LISTED_ALWAYS times.
 *
 * Guarantee.  Every location that races is listed.  At most
 *         most + SNAG_LISTED_ALWAYS x locations pairs are.  (Both unless `limit` is set.)
 * Cost.   A byte a location.
 */
#ifndef SNAG_DETECT_LISTING_H
#define SNAG_DETECT_LISTING_H

#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>

enum { SNAG_LISTED_ALWAYS = 2 };

#define SNAG_ALL_RACES UINT64_MAX

struct snag_listing {
	uint64_t most;	 /* SNAG_ALL_RACES: no bound */
	uint64_t limit;	 /* so many are never exceeded; no bound unless set */
	uint64_t n;	 /* pairs listed */
	uint8_t *listed; /* by location: in how many of them, up to SNAG_LISTED_ALWAYS */
	size_t cap;
};

void snag_listing_init(struct snag_listing *l, uint64_t most);
void snag_listing_done(struct snag_listing *l);

/* Whether a new pair of locations is listed. */
bool snag_listing_takes(struct snag_listing *l, snag_loc a, snag_loc b);

#endif
