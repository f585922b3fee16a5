/* SPDX-License-Identifier: Apache-2.0
 *
 * slots.c - the hash table
 */
#include "base/slots.h"

#include "base/memory.h"

#include <string.h>

enum { MIN_SLOTS = 16 };

static void slots_init(struct snag_slots *s, size_t nslots)
{
	s->slot = snag_huge_grow(s->slot, &s->cap, nslots, sizeof(*s->slot));
	memset(s->slot, 0, nslots * sizeof(*s->slot));
	s->nslots = nslots;
	s->n = 0;
}

void snag_slots_reset(struct snag_slots *s, size_t n)
{
	size_t nslots = MIN_SLOTS;
	while (nslots < 2 * n)
		nslots *= 2;
	slots_init(s, nslots);
}

void snag_slots_done(struct snag_slots *s)
{
	snag_huge_free(s->slot, s->cap, sizeof(*s->slot));
	*s = (struct snag_slots){0};
}

void snag_slots_double(struct snag_slots *s, snag_slots_hash *hash, const void *ctx)
{
	struct snag_slots new = {0};
	size_t mask;
	slots_init(&new, s->nslots ? s->nslots * 2 : MIN_SLOTS);
	mask = new.nslots - 1;
	for (size_t k = 0; k < s->nslots; k++) {
		if (!s->slot[k])
			continue;
		size_t i = hash(ctx, s->slot[k] - 1) & mask;
		while (new.slot[i])
			i = (i + 1) & mask;
		new.slot[i] = s->slot[k];
	}
	new.n = s->n;
	snag_slots_done(s);
	*s = new;
}
