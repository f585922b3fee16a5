/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_words.c - the NAMES column of a .snag block
 */
#include "trace/snag_words.h"

#include "trace/format.h"

#include <string.h>

enum { MIN_SHARED = 4 };

/* How many bytes the strings have in common at their beginnings, of at most `most`. */
static size_t shared_bytes(const uint8_t *a, const uint8_t *b, size_t most)
{
	size_t n = 0;
	for (; n + 8 <= most; n += 8) {
		uint64_t differs = snag_load64(a + n) ^ snag_load64(b + n);
		if (differs)
			return n + (size_t)__builtin_ctzll(differs) / 8;
	}
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

void snag_words_put(struct snag_bytes *column, enum snag_space space, struct snag_bytes *last,
		    const char *name, size_t len)
{
	size_t shared =
		shared_bytes(last->at, (const uint8_t *)name, len < last->n ? len : last->n);
	const bool is_short = shared < MIN_SHARED;
	shared = is_short ? 0 : shared;
	const uint8_t head = (uint8_t)space | (is_short ? 0 : SNAG_NAME_SHARED);
	snag_bytes_put(column, &head, 1);
	if (!is_short)
		snag_bytes_put_varint(column, (uint32_t)shared);
	snag_bytes_put_varint(column, (uint32_t)(len - shared));
	snag_bytes_put(column, name + shared, len - shared);
	last->n = shared;
	snag_bytes_put(last, name + shared, len - shared);
}

struct place { /* of a name in the expanded column */
	size_t at;
	uint32_t len;
};

/* One entry; last[]: the name before it, of each space. */
static bool entry_expand(struct snag_span *column, struct snag_bytes *to,
			 struct place last[SNAG_SPACES])
{
	uint8_t head = *column->at++, space = head & ~SNAG_NAME_SHARED;
	uint32_t shared = 0, len;
	if (space >= SNAG_SPACES ||
	    (head & SNAG_NAME_SHARED &&
	     (!snag_span_varint(column, &shared) || shared > last[space].len)) ||
	    !snag_span_varint(column, &len) || len > (size_t)(column->end - column->at) ||
	    len > SNAG_NAME_MAX_BYTES - shared)
		return false;
	snag_bytes_put(to, &space, 1);
	snag_bytes_put_varint(to, shared + len);
	uint8_t *name = snag_bytes_room(to, shared + len);
	memcpy(name, to->at + last[space].at, shared);
	memcpy(name + shared, column->at, len);
	last[space] = (struct place){to->n, shared + len};
	to->n += shared + len;
	column->at += len;
	return to->n <= SNAG_BLOCK_MAX_BYTES;
}

bool snag_words_expand(struct snag_span column, struct snag_bytes *to)
{
	struct place last[SNAG_SPACES] = {0};
	while (column.at < column.end)
		if (!entry_expand(&column, to, last))
			return false;
	return true;
}
