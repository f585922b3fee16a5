/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_block_names.c - the new names of a block of a .snag file, as its reader takes them in
 */
#include "trace/snag/snag_block_names.h"

#include "base/memory.h"
#include "trace/snag/snag_layout.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 32 }; /* names interned together */

void snag_block_names_init(struct snag_block_names *b, struct snag_names *names)
{
	*b = (struct snag_block_names){.names = names, .bases = snag_calloc(1, sizeof(*b->bases))};
}

void snag_block_names_done(struct snag_block_names *b)
{
	snag_bytes_done(&b->words);
	free(b->bases);
}

static bool is_unchecked(const struct snag_block_names *b, const struct snag_strtab *words)
{
	return b->forgets_variables && words == &b->names->space[SNAG_SPACE_VARIABLE];
}

struct name {
	struct snag_strtab *words; /* of its name space */
	const char *at;		   /* NULL: the next `len` names count */
	uint32_t len, hash;
	bool is_hashed;
};

/* Takes up to GROUP names off the column, and prefetches the slots that interning them reads: a
 * table of many names is larger than the caches.  (There is no table while the names ascend, as
 * those of tasks do.)  Returns false for a bad name. */
static bool take_names(struct snag_block_names *b, struct snag_span *column,
		       struct name name[GROUP], size_t *ret_n)
{
	size_t n = 0;
	for (; n < GROUP && column->at < column->end; n++) {
		uint8_t head = *column->at++, space = head & ~SNAG_NAME_COUNTED;
		uint32_t len;
		if (space >= SNAG_SPACES || !snag_span_varint(column, &len))
			return false;
		struct snag_strtab *words = &b->names->space[space];
		if (head != space) {
			name[n] = (struct name){.words = words, .len = len};
			continue;
		}
		if (len > SNAG_NAME_MAX_BYTES || len > (size_t)(column->end - column->at) ||
		    memchr(column->at, 0, len))
			return false;
		const char *at = (const char *)column->at;
		name[n] = (struct name){.words = words, .at = at, .len = len};
		column->at += len;
		if (words->nslots && !is_unchecked(b, words)) {
			name[n].hash = snag_strtab_hash(at, len);
			name[n].is_hashed = true;
			__builtin_prefetch(&words->slot[name[n].hash & (words->nslots - 1)], 1);
		}
	}
	*ret_n = n;
	return true;
}

/* Interns a name, or the names that count.  Returns NULL, or what is wrong with them. */
static const char *intern(struct snag_block_names *b, const struct name *n, uint64_t delivered)
{
	uint32_t id = n->words->n, more = n->at ? 1 : n->len, got = id;
	if (more > SNAG_SPACE_MAX_NAMES - id)
		return "too many names";
	if (!n->at) {
		b->counted += more;
		if (b->counted > snag_format_counted_max(delivered))
			return "too many names for its events";
		if (!snag_strtab_count(n->words, more))
			return "names that do not count, or one given twice";
	} else if (is_unchecked(b, n->words)) {
		got = snag_strtab_append(n->words, n->at, n->len);
	} else if (n->is_hashed) {
		got = snag_strtab_intern_hashed(n->words, n->at, n->len, n->hash);
	} else {
		got = snag_strtab_intern_ascending(n->words, n->at, n->len);
	}
	return got == id ? NULL : "a name given twice";
}

const char *snag_block_names_intern(struct snag_block_names *b, struct snag_span column,
				    uint64_t delivered)
{
	struct name name[GROUP];
	const char *why = NULL;
	size_t n;
	b->words.n = 0;
	if (!snag_words_expand(b->bases, column, &b->words))
		return "bad name";
	column = snag_bytes_span(&b->words);
	while (column.at < column.end) {
		if (!take_names(b, &column, name, &n))
			return "bad name";
		for (size_t i = 0; i < n && !why; i++)
			why = intern(b, &name[i], delivered);
		if (why)
			return why;
	}
	return NULL;
}

void snag_block_names_forget(struct snag_block_names *b)
{
	struct snag_strtab *words = &b->names->space[SNAG_SPACE_VARIABLE];
	if (!b->forgets_variables)
		return;
	if (words->nranges)
		snag_strtab_spell(words);
	if (words->n > 0)
		snag_strtab_forget(words, words->n - 1);
}
