/* SPDX-License-Identifier: Apache-2.0
 *
 * slots.h - THE hash table: finds the number of a thing by its key
 *
 * Idea.   The things are in an array of the user, in order of arrival.  A slot holds the number
 *         of a thing and nothing else.  The user's functions hash a thing and compare it with a
 *         key.  They are known where the functions below are inlined, so nothing is called
 *         through a pointer.
 * State.  slot[]  open addressing, linear probing: number + 1, 0 is empty; at most half full
 * Cost.   8 to 16 bytes per thing.
 *
 * Other tables.  keyed.h is for small things that lie in the table, with keys of 64 bits.  These
 *         tables are private:
 *         - base/strtab.h: a slot holds the beginning of its string, so that comparing a short
 *           string never leaves the slot.
 *         - detect/predictive/predictive_conflicts.h, order/history.h: a table of a few things
 *           for each variable, all in one array.  With slots, each would need a second array.
 *         - runtime/access/stack.c, runtime/interpose/object.c: they lie in the user's process,
 *           where nothing may be allocated with malloc().  runtime/table.h is for that, but the
 *           keys of the former are longer than 64 bits, and the latter removes things.
 */
#ifndef SNAG_BASE_SLOTS_H
#define SNAG_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_slots { /* all 0: empty */
	uint32_t *slot;
	size_t nslots; /* a power of two, or 0 */
	size_t cap;    /* of slot[] */
	size_t n;      /* in use */
};

#define SNAG_SLOTS_NONE UINT32_MAX

typedef uint64_t snag_slots_hash(const void *ctx, uint32_t number);
typedef bool snag_slots_equals(const void *ctx, uint32_t number, const void *key);

static inline uint64_t snag_hash(uint64_t a, uint64_t b)
{
	uint64_t x = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu);
	return (x ^ x >> 29) * 0xff51afd7ed558ccdu >> 32;
}

/* Empties the table and makes room for n things. */
void snag_slots_reset(struct snag_slots *s, size_t n);
void snag_slots_done(struct snag_slots *s);
/* For snag_slots_add() only. */
void snag_slots_double(struct snag_slots *s, snag_slots_hash *hash, const void *ctx);

/* Returns the number of the thing that equals the key, or SNAG_SLOTS_NONE. */
static inline uint32_t snag_slots_find(const struct snag_slots *s, uint64_t hash,
				       snag_slots_equals *equals, const void *ctx, const void *key)
{
	size_t mask = s->nslots - 1;
	if (!s->nslots)
		return SNAG_SLOTS_NONE;
	for (size_t i = hash & mask; s->slot[i]; i = (i + 1) & mask)
		if (equals(ctx, s->slot[i] - 1, key))
			return s->slot[i] - 1;
	return SNAG_SLOTS_NONE;
}

/* Adds a thing that is not in the table.  May call `hash` for it and for all numbers in the
 * table. */
static inline void snag_slots_add(struct snag_slots *s, uint32_t number, snag_slots_hash *hash,
				  const void *ctx)
{
	if ((s->n + 1) * 2 > s->nslots)
		snag_slots_double(s, hash, ctx);
	size_t mask = s->nslots - 1, i = hash(ctx, number) & mask;
	while (s->slot[i])
		i = (i + 1) & mask;
	s->slot[i] = number + 1;
	s->n++;
}

#endif
