/* SPDX-License-Identifier: Apache-2.0
 *
 * keyed.h - a hash table whose things lie in the table itself, each found by its key
 *
 * Idea.   slots.h keeps numbers of things that lie elsewhere; a small thing with a 64-bit key is
 *         found faster if it lies in the table.  The key is the first field of a thing and not
 *         0.
 * State.  at  nslots things of `elem` bytes, those with key 0 are empty; open addressing, linear
 *             probing, at most half full
 * Memory. snag_keyed_get() takes it from base/memory.h.  Code inside other programs has its own
 *         memory, and calls snag_keyed_is_full(), snag_keyed_move() and snag_keyed_put() instead.
 * Cost.   2 to 4 times the bytes of its things.  A thing moves when the table grows.
 */
#ifndef SNAG_BASE_KEYED_H
#define SNAG_BASE_KEYED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct snag_keyed { /* all 0 but elem: empty */
	char *at;
	size_t elem;
	size_t nslots; /* 0 or a power of two */
	size_t n;
};

static inline uint64_t snag_keyed_key(const void *thing)
{
	uint64_t key;
	__builtin_memcpy(&key, thing, sizeof(key)); /* in place, with -fno-builtin, too */
	return key;
}

/* The thing with that key, or the empty place where it belongs; there must be places. */
static inline void *snag_keyed_place(const struct snag_keyed *t, uint64_t key)
{
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (t->nslots - 1);
	uint64_t is;
	while ((is = snag_keyed_key(t->at + i * t->elem)) != 0 && is != key)
		i = (i + 1) & (t->nslots - 1);
	return t->at + i * t->elem;
}

/* NULL: there is none. */
static inline void *snag_keyed_find(const struct snag_keyed *t, uint64_t key)
{
	void *place = t->nslots ? snag_keyed_place(t, key) : NULL;
	return place && snag_keyed_key(place) ? place : NULL;
}

/* Whether it has to grow before another thing can be put. */
static inline bool snag_keyed_is_full(const struct snag_keyed *t)
{
	return 2 * (t->n + 1) > t->nslots;
}

/* Moves to other memory, zeroed and larger.  Returns the old one. */
static inline void *snag_keyed_move(struct snag_keyed *t, void *to, size_t nslots)
{
	const struct snag_keyed old = *t;
	t->at = to;
	t->nslots = nslots;
	for (size_t i = 0; i < old.nslots; i++) {
		const char *thing = old.at + i * old.elem;
		if (snag_keyed_key(thing))
			memcpy(snag_keyed_place(t, snag_keyed_key(thing)), thing, t->elem);
	}
	return old.at;
}

/* The thing with that key; a new one is zeroed but for the key.  It must not be full. */
static inline void *snag_keyed_put(struct snag_keyed *t, uint64_t key)
{
	void *place = snag_keyed_place(t, key);
	if (!snag_keyed_key(place)) {
		__builtin_memcpy(place, &key, sizeof(key));
		t->n++;
	}
	return place;
}

/* The same; grows if need be. */
void *snag_keyed_get(struct snag_keyed *t, uint64_t key);
void snag_keyed_done(struct snag_keyed *t);

#endif
