/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_words.c - the NAMES column of a .snag block
 */
#include "trace/snag/snag_words.h"

#include "base/numbered.h"
#include "trace/format.h"

#include <string.h>

enum { MIN_SHARED = 4, VARINT_BYTES = 10, BASES = SNAG_STRTAB_BASES };

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

/* A difference so that a small one, of either sign, has few bits; and back. */
static inline uint64_t folded(uint64_t v)
{
	return v << 1 ^ (uint64_t)((int64_t)v >> 63);
}

static inline uint64_t unfolded(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

static inline size_t varint_store(uint8_t *to, size_t v)
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
	w->full += len;
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

void snag_words_put_base(struct snag_words *w, enum snag_space space, const char *name, size_t len)
{
	size_t object;
	snag_words_put(w, space, name, len, false);
	snag_placed_parse(name, len, &object, &w->offset[w->nbases++ % BASES]);
}

uint32_t snag_words_put_places(struct snag_words *w, enum snag_space space,
			       const struct snag_strtab *names, uint32_t id, uint32_t end)
{
	struct snag_strtab_place place;
	const uint32_t first = id;
	counted_put(w, space);
	uint8_t *const room = snag_bytes_room(&w->column, (end - id) * (2ul + VARINT_BYTES));
	uint8_t *to = room;
	for (; id < end && snag_strtab_place(names, id, &place); id++) {
		uint64_t *last = &w->offset[place.base];
		*to++ = (uint8_t)space | SNAG_NAME_PLACED;
		*to++ = (uint8_t)place.base;
		to += varint_store(to, folded(place.offset - *last));
		*last = place.offset;
	}
	w->column.n += (size_t)(to - room);
	w->full += (id - first) * (size_t)SNAG_PLACED_BYTES;
	w->has_last &= id == first;
	return id - first;
}

void snag_words_take(struct snag_words *w, enum snag_space space, struct snag_bytes *to)
{
	counted_put(w, space);
	snag_bytes_put(to, w->column.at, w->column.n);
	w->column.n = w->shareable = w->full = 0;
}

void snag_words_done(struct snag_words *w)
{
	snag_bytes_done(&w->column);
	snag_bytes_done(&w->spelled);
	snag_bytes_done(&w->last);
}

/* Names that count, of which nothing is said but how many. */
static bool counted_expand(struct snag_span *column, uint8_t head, struct snag_bytes *to)
{
	uint32_t n;
	if ((head & ~SNAG_NAME_COUNTED) >= SNAG_SPACES || !snag_span_varint(column, &n))
		return false;
	snag_bytes_put(to, &head, 1);
	snag_bytes_put_varint(to, n);
	return true;
}

/* The base of a name that is in `to`, where it will not stay. */
static void base_keep(struct snag_words_base *base, const struct snag_bytes *to)
{
	size_t object;
	const char *name = (const char *)to->at + base->name.at;
	bool is_base = snag_placed_parse(name, base->name.len, &object, &base->offset);
	base->is_new = false;
	base->nobject = is_base ? (uint8_t)object : 0;
	memcpy(base->object, name, base->nobject);
}

static bool place_expand(struct snag_words_bases *bases, struct snag_span *column, uint8_t head,
			 struct snag_bytes *to)
{
	uint8_t space = head & ~SNAG_NAME_PLACED, number;
	uint64_t difference;
	if (space >= SNAG_SPACES || !snag_span_byte(column, &number) ||
	    !snag_span_varint64(column, &difference))
		return false;
	struct snag_words_base *base = &bases->space[space].base[number];
	if (base->is_new)
		base_keep(base, to);
	base->offset += unfolded(difference);
	if (base->nobject == 0 || base->offset >> SNAG_PLACED_BITS)
		return false;
	uint8_t *entry = snag_bytes_room(to, 2 + SNAG_PLACED_BYTES + SNAG_PLACED_OFFSET);
	char *name = (char *)entry + 2;
	memcpy(name, base->object, base->nobject);
	size_t len = base->nobject + snag_placed_put(name + base->nobject, base->offset);
	entry[0] = space;
	entry[1] = (uint8_t)len; /* a varint of one byte */
	to->n += 2 + len;
	return true;
}

/* One entry. */
static bool entry_expand(struct snag_words_bases *bases, struct snag_span *column,
			 struct snag_bytes *to)
{
	uint8_t head = *column->at++, space = head & ~SNAG_NAME_SHARED;
	uint32_t shared = 0, len;
	if (head & SNAG_NAME_COUNTED)
		return counted_expand(column, head, to);
	if (head & SNAG_NAME_PLACED)
		return place_expand(bases, column, head, to);
	if (space >= SNAG_SPACES)
		return false;
	struct snag_words_space *names = &bases->space[space];
	const struct snag_words_place last = names->last;
	if ((head & SNAG_NAME_SHARED &&
	     (!snag_span_varint(column, &shared) || shared > last.len)) ||
	    !snag_span_varint(column, &len) || len > (size_t)(column->end - column->at) ||
	    len > SNAG_NAME_MAX_BYTES - shared)
		return false;
	snag_bytes_put(to, &space, 1);
	snag_bytes_put_varint(to, shared + len);
	uint8_t *name = snag_bytes_room(to, shared + len);
	memcpy(name, to->at + last.at, shared);
	memcpy(name + shared, column->at, len);
	names->last = (struct snag_words_place){to->n, shared + len};
	struct snag_words_base *base = &names->base[names->n++ % BASES];
	base->is_new = true;
	base->name = names->last;
	to->n += shared + len;
	column->at += len;
	return true;
}

bool snag_words_expand(struct snag_words_bases *bases, struct snag_span column,
		       struct snag_bytes *to)
{
	for (int space = 0; space < SNAG_SPACES; space++)
		bases->space[space].last.len = 0;
	while (column.at < column.end)
		if (!entry_expand(bases, &column, to) || to->n > SNAG_BLOCK_MAX_BYTES)
			return false;
	for (int space = 0; space < SNAG_SPACES; space++)
		for (unsigned i = 0; i < BASES; i++)
			if (bases->space[space].base[i].is_new)
				base_keep(&bases->space[space].base[i], to);
	return true;
}
