/* SPDX-License-Identifier: Apache-2.0
 *
 * strtab.h - interned strings: a name to a dense id and back
 *
 * Ids count from 0 in order of first appearance.  Strings are stored once, in one growing
 * buffer, NUL-terminated.  A string may contain any byte except NUL.
 *
 * Short strings.  A string of fewer than 8 bytes fits in a word (its bytes from the low end,
 * then zeros), and no other string has that word.  A parser that has the word looks it up with
 * one load and one comparison, see snag_strtab_find_word().
 *
 * Ascending strings.  Strings that come in ascending order need no hash table, see
 * snag_strtab_intern_ascending().
 *
 * Counted strings.  Of "T1", "T2", ... only the first is stored, see snag_strtab_count(), until
 * one of them is read.  Then all are spelled out, which must not happen while another thread
 * uses the table.
 *
 * Places.  A table whose strings only go to a file may have places (placed.h).  A place is
 * stored as its base, a spelled string with the same object, and its offset.
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
	char *bytes; /* the strings one after another, each with its NUL, except counted ones */
	size_t nbytes, bytes_cap;
	uint64_t *offset; /* the offset of each string in bytes, from id `first` on */
	size_t offset_cap;
	uint32_t n;		       /* number of strings */
	uint32_t first;		       /* strings below this id are forgotten */
	struct snag_strtab_slot *slot; /* open addressing, power of two */
	uint32_t nslots;	       /* 0: none yet, because the strings are in ascending order */
	struct snag_strtab_range {
		uint32_t spelled; /* number of strings in `bytes` before the range; the range
				   * follows the last of these */
		uint32_t n;
	} * range; /* strings that count */
	size_t nranges, range_cap;
	uint32_t ncounted; /* how many strings the ranges have together */
	bool has_places;
	uint64_t nspelled; /* of a table with places: all strings except places, including
			    * forgotten ones */
};

struct snag_strtab_slot {
	uint64_t head; /* the first 8 bytes as a word, zero-padded */
	uint32_t hash;
	uint32_t id_plus_1; /* 0: empty */
};

void snag_strtab_init(struct snag_strtab *t); /* takes no memory until the first string */
void snag_strtab_done(struct snag_strtab *t);

uint32_t snag_strtab_hash(const char *s, size_t len);
uint32_t snag_strtab_intern(struct snag_strtab *t, const char *s, size_t len);
/* As snag_strtab_intern(), for a caller that has the hash (from snag_strtab_hash()). */
uint32_t snag_strtab_intern_hashed(struct snag_strtab *t, const char *s, size_t len, uint32_t hash);
uint32_t snag_strtab_find(const struct snag_strtab *t, const char *s,
			  size_t len); /* or SNAG_NO_ID */

/* As snag_strtab_intern(), for strings that mostly come in ascending order, short ones first, as
 * numbers do.  While they do, each string is only compared with the last, and nothing is hashed. */
uint32_t snag_strtab_intern_ascending(struct snag_strtab *t, const char *s, size_t len);

/* Adds the n successors (numbered.h) of the last string.  Returns false if there is no last
 * string, if it is not numbered, or if a successor is not new; then some may have been added. */
bool snag_strtab_count(struct snag_strtab *t, uint32_t n);
/* Spells out the counted strings; no string changes. */
void snag_strtab_spell(const struct snag_strtab *t);

/* Adds a string that is known to be new and will never be looked up.  It has an id and can be
 * read by it.  This costs a fraction of interning. */
uint32_t snag_strtab_append(struct snag_strtab *t, const char *s, size_t len);
/* Forgets the strings below an id.  Only for a table without interned strings. */
void snag_strtab_forget(struct snag_strtab *t, uint32_t below);

/* Turns an empty table into one of n strings, all "" until snag_strtab_set().  They cannot be
 * looked up.  Memory grows with the strings that are set. */
void snag_strtab_sparse(struct snag_strtab *t, uint32_t n);
void snag_strtab_set(struct snag_strtab *t, uint32_t id, const char *s, size_t len);

/* A string that is not spelled.  Its base is one of the last SNAG_STRTAB_BASES spelled strings. */
struct snag_strtab_place {
	uint32_t base;
	uint64_t offset; /* from the beginning of the object, not from the base */
};

enum { SNAG_STRTAB_BASES = 256 };

/* Allows places in an empty table. */
void snag_strtab_have_places(struct snag_strtab *t);
/* As snag_strtab_append(), for a place.  Only snag_strtab_place() reads it. */
uint32_t snag_strtab_append_place(struct snag_strtab *t, struct snag_strtab_place place);
/* The same for n places, `step` bytes apart.  Returns the id of the first. */
uint32_t snag_strtab_append_places(struct snag_strtab *t, struct snag_strtab_place place,
				   unsigned step, uint32_t n);
static inline const char *snag_strtab_get(const struct snag_strtab *t, uint32_t id)
{
	if (t->nranges)
		snag_strtab_spell(t);
	return t->bytes + t->offset[id - t->first];
}

/* The encoding of a place in offset[]: | 63 1 | 48 base | 0 offset | */
enum { SNAG_STRTAB_PLACE_BIT = 63, SNAG_STRTAB_BASE_BIT = 48 };

/* Reads a place.  Returns false if the string is spelled. */
static inline bool snag_strtab_place(const struct snag_strtab *t, uint32_t id,
				     struct snag_strtab_place *ret_place)
{
	uint64_t at = t->offset[id - t->first];
	ret_place->base = (uint32_t)(at >> SNAG_STRTAB_BASE_BIT) % SNAG_STRTAB_BASES;
	ret_place->offset = at & ((UINT64_C(1) << SNAG_STRTAB_BASE_BIT) - 1);
	return at >> SNAG_STRTAB_PLACE_BIT;
}

/* Returns the 8 bytes at s as a word, the first one lowest. */
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

/* Prefetches the slot of a word for a later look-up. */
static inline void snag_strtab_prefetch_word(const struct snag_strtab *t, uint64_t word)
{
	if (t->nslots)
		__builtin_prefetch(&t->slot[(uint32_t)snag_strtab_mix(word) & (t->nslots - 1)]);
}

/* Returns the id of the string of 1 to 7 bytes that is `word`, or SNAG_NO_ID. */
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

/* Returns the length without the NUL. */
size_t snag_strtab_len(const struct snag_strtab *t, uint32_t id);

#endif
