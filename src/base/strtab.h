/* SPDX-License-Identifier: Apache-2.0
 *
 * strtab.h - interned strings: a name to a dense id and back
 *
 * Ids count from 0 in order of first appearance.  Strings are stored once, in
 * one growing buffer, NUL-terminated; a string may contain any byte but NUL.
 */
#ifndef SNAG_BASE_STRTAB_H
#define SNAG_BASE_STRTAB_H

#include <stddef.h>
#include <stdint.h>

#define SNAG_NO_ID UINT32_MAX

struct snag_strtab {
	char *bytes; /* the strings one after another, each with its NUL */
	size_t nbytes, bytes_cap;
	uint64_t *offset; /* of each string in bytes */
	size_t offset_cap;
	uint32_t n;		       /* how many strings */
	struct snag_strtab_slot *slot; /* open addressing, power of two */
	uint32_t nslots;
};

struct snag_strtab_slot {
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

static inline const char *snag_strtab_get(const struct snag_strtab *t, uint32_t id)
{
	return t->bytes + t->offset[id];
}

/* Length without the NUL. */
size_t snag_strtab_len(const struct snag_strtab *t, uint32_t id);

#endif
