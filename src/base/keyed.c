/* SPDX-License-Identifier: Apache-2.0
 *
 * keyed.c - a hash table whose things lie in the table itself
 */
#include "base/keyed.h"

#include "base/memory.h"

enum { MIN_SLOTS = 16 };

void *snag_keyed_get(struct snag_keyed *t, uint64_t key)
{
	void *thing = snag_keyed_find(t, key);
	if (thing)
		return thing;
	if (snag_keyed_is_full(t)) {
		size_t nslots = t->nslots ? 2 * t->nslots : MIN_SLOTS;
		free(snag_keyed_move(t, snag_calloc(nslots, t->elem), nslots));
	}
	return snag_keyed_put(t, key);
}

void snag_keyed_done(struct snag_keyed *t)
{
	free(t->at);
	*t = (struct snag_keyed){.elem = t->elem};
}
