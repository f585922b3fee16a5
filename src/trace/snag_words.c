/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_words.c - the NAMES column of a .snag block
 */
#include "trace/snag_words.h"

#include "base/numbered.h"
#include "trace/format.h"

#include <string.h>

enum { MIN_SHARED = 4, VARINT_BYTES = 5 };

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

static void counted_put(struct snag_words *w, enum snag_space space)
{
	const uint8_t head = (uint8_t)space | SNAG_NAME_COUNTED;
	if (w->counted == 0)
		return;
	snag_bytes_put(&w->column, &head, 1);
	snag_bytes_put_varint(&w->column, w->counted);
	w->counted = 0;
}

static size_t varint_store(uint8_t *to, size_t v)
{
	size_t n = 0;
	for (; v >= 0x80; v >>= 7)
		to[n++] = (uint8_t)(v | 0x80);
	to[n++] = (uint8_t)v;
	return n;
}

static void name_put(struct snag_words *w, enum snag_space space, const char *name, size_t len)
{
	size_t most = len < w->shareable ? len : w->shareable;
	size_t shared = shared_bytes(w->spelled.at, (const uint8_t *)name, most), n = 1;
	const bool is_short = shared < MIN_SHARED;
	shared = is_short ? 0 : shared;
	uint8_t *to = snag_bytes_room(&w->column, 1 + 2 * VARINT_BYTES + len);
	to[0] = (uint8_t)space | (is_short ? 0 : SNAG_NAME_SHARED);
	if (!is_short)
		n += varint_store(to + n, shared);
	n += varint_store(to + n, len - shared);
	memcpy(to + n, name + shared, len - shared);
	w->column.n += n + len - shared;
	w->spelled.n = shared;
	snag_bytes_put(&w->spelled, name + shared, len - shared);
	w->shareable = w->spelled.n;
}

bool snag_words_put(struct snag_words *w, enum snag_space space, const char *name, size_t len,
		    bool may_count)
{
	const struct snag_bytes *last = w->was_counted ? &w->last : &w->spelled;
	bool counts = may_count && w->has_last &&
		      snag_numbered_follows((const char *)last->at, last->n, name, len);
	if (counts) {
		w->counted++;
		w->last.n = 0;
		snag_bytes_put(&w->last, name, len);
	} else {
		counted_put(w, space);
		name_put(w, space, name, len);
	}
	w->was_counted = counts;
	w->has_last = true;
	return counts;
}

void snag_words_take(struct snag_words *w, enum snag_space space, struct snag_bytes *to)
{
	counted_put(w, space);
	snag_bytes_put(to, w->column.at, w->column.n);
	w->column.n = w->shareable = 0;
}

void snag_words_done(struct snag_words *w)
{
	snag_bytes_done(&w->column);
	snag_bytes_done(&w->spelled);
	snag_bytes_done(&w->last);
}

struct place { /* of a name in the expanded column */
	size_t at;
	uint32_t len;
};

/* Names that count, of which nothing is said but how many. */
static bool counted_expand(struct snag_span *column, uint8_t head, struct snag_bytes *to)
{
	uint32_t n;
	if ((head & ~SNAG_NAME_COUNTED) >= SNAG_SPACES || !snag_span_varint(column, &n))
		return false;
	snag_bytes_put(to, &head, 1);
	snag_bytes_put_varint(to, n);
	return to->n <= SNAG_BLOCK_MAX_BYTES;
}

/* One entry; last[]: the name with bytes before it, of each space. */
static bool entry_expand(struct snag_span *column, struct snag_bytes *to,
			 struct place last[SNAG_SPACES])
{
	uint8_t head = *column->at++, space = head & ~SNAG_NAME_SHARED;
	uint32_t shared = 0, len;
	if (head & SNAG_NAME_COUNTED)
		return counted_expand(column, head, to);
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
