/* SPDX-License-Identifier: Apache-2.0
 *
 * listing.c - which pairs of locations are listed as races
 */
#include "detect/listing.h"

#include "base/memory.h"

void snag_listing_init(struct snag_listing *l, uint64_t most)
{
	*l = (struct snag_listing){.most = most, .limit = SNAG_ALL_RACES};
}

void snag_listing_done(struct snag_listing *l)
{
	free(l->listed);
}

bool snag_listing_takes(struct snag_listing *l, snag_loc a, snag_loc b)
{
	if (l->most == SNAG_ALL_RACES)
		return true;
	l->listed = snag_grow(l->listed, &l->cap, (size_t)(a > b ? a : b) + 1, sizeof(*l->listed));
	uint8_t *x = &l->listed[a], *y = &l->listed[b];
	if (l->n >= l->limit)
		return false;
	if (l->n >= l->most && *x >= SNAG_LISTED_ALWAYS && *y >= SNAG_LISTED_ALWAYS)
		return false;
	l->n++;
	*x += *x < SNAG_LISTED_ALWAYS;
	*y += *y < SNAG_LISTED_ALWAYS;
	return true;
}
