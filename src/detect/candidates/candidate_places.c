/* SPDX-License-Identifier: Apache-2.0
 *
 * candidate_places.c - the locations of candidates, with what was decided for them
 */
#include "detect/candidates/candidate_places.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void snag_candidate_places_done(struct snag_candidate_places *all)
{
	free(all->at);
	snag_slots_done(&all->by_locations);
}

static uint64_t locations_hash(const snag_loc loc[SNAG_PLACE_EVENTS])
{
	uint64_t hash = snag_hash(loc[0], loc[1]);
	return loc[2] == SNAG_NO_ID ? hash : snag_hash(hash, loc[2]);
}

static uint64_t place_hash(const void *ctx, uint32_t number)
{
	return locations_hash(((const struct snag_candidate_places *)ctx)->at[number].loc);
}

static bool place_equals(const void *ctx, uint32_t number, const void *key)
{
	const struct snag_candidate_place *p =
		&((const struct snag_candidate_places *)ctx)->at[number];
	return memcmp(p->loc, key, sizeof(p->loc)) == 0;
}

struct snag_candidate_place *snag_candidate_places_of(struct snag_candidate_places *all,
						      const struct snag_detector_env *env,
						      const struct snag_trace *trace,
						      const uint32_t *event, unsigned n)
{
	struct snag_candidate_place new = {.undecided = {SNAG_NO_EVENT},
					   .left = env->pairs ? UINT32_MAX : SNAG_PLACE_DECIDED};
	for (unsigned i = 0; i < SNAG_PLACE_EVENTS; i++)
		new.loc[i] = i < n ? trace->ev[event[i]].loc : SNAG_NO_ID;
	uint64_t hash = locations_hash(new.loc);
	if (env->nshards > 1 && hash % env->nshards != env->shard) /* [shard] */
		return NULL;
	if (env->pairs) { /* [pairs] */
		all->n = 0;
	} else {
		uint32_t at = snag_slots_find(&all->by_locations, hash, place_equals, all, new.loc);
		if (at != SNAG_SLOTS_NONE)
			return &all->at[at];
	}
	all->at = snag_grow(all->at, &all->cap, all->n + 1, sizeof(*all->at));
	all->at[all->n] = new;
	if (!env->pairs)
		snag_slots_add(&all->by_locations, (uint32_t)all->n, place_hash, all);
	return &all->at[all->n++];
}
