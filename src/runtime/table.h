/* SPDX-License-Identifier: Apache-2.0
 *
 * table.h - base/keyed.h with the runtime's own memory
 */
#ifndef SNAG_RUNTIME_TABLE_H
#define SNAG_RUNTIME_TABLE_H

#include "base/keyed.h"
#include "runtime/memory.h"

/* Returns the thing with that key, which is not 0; a new one is zeroed but for the key.  Things may
 * move when one is added. */
static inline void *rt_table_get(struct snag_keyed *t, uint64_t key)
{
	enum { LEAST_SLOTS = 1024 };
	if (snag_keyed_is_full(t)) {
		const size_t old = t->nslots * t->elem, nslots = old ? 2 * t->nslots : LEAST_SLOTS;
		rt_free(snag_keyed_move(t, rt_alloc(nslots * t->elem), nslots), old);
	}
	return snag_keyed_put(t, key);
}

/* Empties it. */
static inline void rt_table_done(struct snag_keyed *t)
{
	rt_free(t->at, t->nslots * t->elem);
	*t = (struct snag_keyed){.elem = t->elem};
}

#endif
