/* SPDX-License-Identifier: Apache-2.0
 *
 * strtab.h - interned strings: a name to a dense id and back
 *
 * Ids count from 0 in order of first appearance.  Strings are stored once, in
 * one growing buffer, NUL-terminated; a string may contain any byte but NUL.
 *
 * A string of fewer than 8 bytes fits in a word (its bytes from the low end, then
 * zeros), and no other string has that word: a parser that has the word at hand
 * looks it up with one load and one comparison, see snag_strtab_find_word.
 *
 * Strings that come in ascending order need no hash table to be told apart, nor to be found:
 * see snag_strtab_intern_ascending.  Of those that count ("T1", "T2", ...) only the first is
 * stored, see snag_strtab_count, until one of them is asked for: then all are spelled out, which
 * must not happen while another thread uses the table.
 *
 * A table whose strings go on to a file, and nowhere else, may have places (placed.h): strings of
 * which it knows a base, a spelled string that says the same object, and the offset.
 */
#ifndef SNAG_BASE_STRTAB_H
#define SNAG_BASE_STRTAB_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SNAG_NO_ID UINT32_MAX

struct snag_strtab {
	char *bytes; /* the strings one after another, each with its NUL, but for counted ones */
	size_t nbytes, bytes_cap;
	uint64_t *offset; /* of each of these in bytes, from id `first` on */
	size_t offset_cap;
	uint32_t n;		       /* how many strings */
	uint32_t first;		       /* those below are forgotten */
	struct snag_strtab_slot *slot; /* open addressing, power of two */
	uint32_t nslots;	       /* 0: none yet, the strings are in ascending order */
	struct snag_strtab_range {
		uint32_t spelled; /* strings in bytes before them; they follow the last of these */
		uint32_t n;
	} * range; /* strings that count */
	size_t nranges, range_cap;
	uint32_t ncounted; /* in all ranges */
	bool has_places;
	uint64_t nspelled; /* of such a table: all strings but places, the forgotten ones too */
};

struct snag_strtab_slot {
	uint64_t head; /* the first 8 bytes as a word, zero-padded */
	uint32_t hash;
	uint32_t id_plus_1; /* 0: empty */
};

void snag_strtab_init(struct snag_strtab *t); /* no memory is taken until the first string */
void snag_strtab_done(struct snag_strtab *t);

uint32_t snag_strtab_hash(const char *s, size_t len);
uint32_t snag_strtab_intern(struct snag_strtab *t, const char *s, size_t len);
/* The same when the caller has the hash already (from snag_strtab_hash). */
uint32_t snag_strtab_intern_hashed(struct snag_strtab *t, const char *s, size_t len, uint32_t hash);
uint32_t snag_strtab_find(const struct snag_strtab *t, const char *s,
			  size_t len); /* or SNAG_NO_ID */

/* The same for strings that mostly come in ascending order, short ones first, as numbers do: as
 * long as they do, it is enough to compare each with the last, and nothing is hashed. */
uint32_t snag_strtab_intern_ascending(struct snag_strtab *t, const char *s, size_t len);

/* Adds the n strings that follow the last one in counting (numbered.h).  False, if there is none, it
 * does not end with a number, or one that follows is not new: then some may have been added. */
bool snag_strtab_count(struct snag_strtab *t, uint32_t n);
/* Spells out those that were counted; no string changes. */
void snag_strtab_spell(const struct snag_strtab *t);

/* Adds a string that is known to be new and will never be looked for: it has an id and can be
 * got by it, which costs a fraction of interning. */
uint32_t snag_strtab_append(struct snag_strtab *t, const char *s, size_t len);
/* The strings below an id are needed no more; only of a table without interned ones. */
void snag_strtab_forget(struct snag_strtab *t, uint32_t below);

/* Makes an empty table one of n strings, of which all are "" until snag_strtab_set().  They cannot be
 * looked for.  Memory is by the strings that are set. */
void snag_strtab_sparse(struct snag_strtab *t, uint32_t n);
void snag_strtab_set(struct snag_strtab *t, uint32_t id, const char *s, size_t len);

/* A string that is not spelled: its base is the spelled string with this number, modulo
 * SNAG_STRTAB_BASES; it is one of the last that many. */
struct snag_strtab_place {
	uint32_t base;
	uint64_t offset; /* not from the base but from its object */
};

enum { SNAG_STRTAB_BASES = 256 };

/* From now on the table, which is empty, has places. */
void snag_strtab_have_places(struct snag_strtab *t);
/* As snag_strtab_append; the string can be got by snag_strtab_place only. */
uint32_t snag_strtab_append_place(struct snag_strtab *t, struct snag_strtab_place place);
/* The same for n places, `step` bytes apart; returns the id of the first. */
uint32_t snag_strtab_append_places(struct snag_strtab *t, struct snag_strtab_place place,
				   unsigned step, uint32_t n);
static inline const char *snag_strtab_get(const struct snag_strtab *t, uint32_t id)
{
	if (t->nranges)
		snag_strtab_spell(t);
	return t->bytes + t->offset[id - t->first];
}

/* An offset that is none in bytes: | 63 1 | 48 base | 0 offset | */
enum { SNAG_STRTAB_PLACE_BIT = 63, SNAG_STRTAB_BASE_BIT = 48 };

/* False: the string is spelled. */
static inline bool snag_strtab_place(const struct snag_strtab *t, uint32_t id,
				     struct snag_strtab_place *ret_place)
{
	uint64_t at = t->offset[id - t->first];
	ret_place->base = (uint32_t)(at >> SNAG_STRTAB_BASE_BIT) % SNAG_STRTAB_BASES;
	ret_place->offset = at & ((UINT64_C(1) << SNAG_STRTAB_BASE_BIT) - 1);
	return at >> SNAG_STRTAB_PLACE_BIT;
}

/* The 8 bytes at s as a word, the first one lowest. */
static inline uint64_t snag_strtab_load(const void *s)
{
	uint64_t word;
	memcpy(&word, s, sizeof(word));
	return le64toh(word);
}

/* One round of the hash: both halves of a 128-bit product, so that every bit
 * of the word reaches the low bits. */
static inline uint64_t snag_strtab_mix(uint64_t word)
{
	unsigned __int128 product =
		(unsigned __int128)(word ^ 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Asks the cache for the slot of that word, which will be looked up. */
static inline void snag_strtab_prefetch_word(const struct snag_strtab *t, uint64_t word)
{
	if (t->nslots)
		__builtin_prefetch(&t->slot[(uint32_t)snag_strtab_mix(word) & (t->nslots - 1)]);
}

/* The id of the string of 1 to 7 bytes that is `word`, or SNAG_NO_ID. */
static inline uint32_t snag_strtab_find_word(const struct snag_strtab *t, uint64_t word)
{
	if (!t->nslots)
		return SNAG_NO_ID;
	uint32_t mask = t->nslots - 1, i = (uint32_t)snag_strtab_mix(word) & mask;
	i = (i + (t->slot[i].head != word)) & mask;
	while (__builtin_expect(t->slot[i].head != word, 0)) {
		if (!t->slot[i].id_plus_1)
			return SNAG_NO_ID;
		i = (i + 1) & mask;
	}
	return t->slot[i].id_plus_1 - 1;
}

/* Length without the NUL. */
size_t snag_strtab_len(const struct snag_strtab *t, uint32_t id);

#endif
