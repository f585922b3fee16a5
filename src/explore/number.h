/* SPDX-License-Identifier: Apache-2.0
 *
 * number.h - numbers that stand for things: hashes of 64 bits, and sets of them
 */
#ifndef SNAG_EXPLORE_NUMBER_H
#define SNAG_EXPLORE_NUMBER_H

#include "base/keyed.h"

/* Mixes two numbers; the order of the two matters. */
static inline uint64_t snag_number(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 31) + b * 0xc2b2ae3d27d4eb4fu;
	x = (x ^ x >> 29) * 0x94d049bb133111ebu;
	return x ^ x >> 32;
}

/* How often each number was added. */
struct snag_tally {
	struct snag_keyed table; /* of struct snag_tallied */
	uint64_t once, twice;	 /* numbers that were added once, twice */
};

struct snag_tallied {
	uint64_t number;
	uint64_t n;
};

/* Adds a number; returns how often it was there before. */
static inline uint64_t snag_tally_add(struct snag_tally *t, uint64_t number)
{
	t->table.elem = sizeof(struct snag_tallied);
	struct snag_tallied *x = snag_keyed_get(&t->table, number ? number : 1);
	t->once += x->n == 0;
	t->once -= x->n == 1;
	t->twice += x->n == 1;
	t->twice -= x->n == 2;
	return x->n++;
}

static inline bool snag_tally_has(const struct snag_tally *t, uint64_t number)
{
	return snag_keyed_find(&t->table, number ? number : 1) != NULL;
}

static inline uint64_t snag_tally_n(const struct snag_tally *t)
{
	return t->table.n;
}

static inline void snag_tally_done(struct snag_tally *t)
{
	snag_keyed_done(&t->table);
}

#endif
