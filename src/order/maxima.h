/* SPDX-License-Identifier: Apache-2.0
 *
 * maxima.h - of the entries whose key is greater than a given one, the one of greatest value
 *
 * Idea.   A Fenwick tree over the keys from the greatest downwards: cell i stands for the i & -i
 *         keys up to i, and names the best entry among them.  Entries are only added.
 * Cost.   O(log keys) to add and to ask, 4 bytes a key.
 */
#ifndef SNAG_ORDER_MAXIMA_H
#define SNAG_ORDER_MAXIMA_H

#include <stdint.h>
#include <string.h>

struct snag_maxima {
	uint32_t *cell;	       /* 1 to nkeys; entry + 1, 0: none */
	uint32_t nkeys;	       /* keys are 0 to nkeys - 1 */
	const uint32_t *value; /* by entry; belongs to the caller */
};

/* Empties it.  `cell` has room for nkeys + 1. */
static inline void snag_maxima_init(struct snag_maxima *m, uint32_t *cell, uint32_t nkeys,
				    const uint32_t *value)
{
	*m = (struct snag_maxima){.cell = cell, .nkeys = nkeys, .value = value};
	memset(cell, 0, ((size_t)nkeys + 1) * sizeof(*cell));
}

static inline void snag_maxima_add(struct snag_maxima *m, uint32_t key, uint32_t entry)
{
	for (uint32_t i = m->nkeys - key; i <= m->nkeys; i += i & -i)
		if (!m->cell[i] || m->value[m->cell[i] - 1] < m->value[entry])
			m->cell[i] = entry + 1;
}

/* Returns the best entry with a key greater than `key`, + 1; 0 if there is none. */
static inline uint32_t snag_maxima_above(const struct snag_maxima *m, uint32_t key)
{
	uint32_t best = 0;
	for (uint32_t i = m->nkeys - key - 1; i > 0; i &= i - 1)
		if (m->cell[i] && (!best || m->value[m->cell[i] - 1] > m->value[best - 1]))
			best = m->cell[i];
	return best;
}

#endif
