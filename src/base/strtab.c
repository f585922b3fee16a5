/* SPDX-License-Identifier: Apache-2.0
 *
 * strtab.c - interned strings
 *
 * Idea.  Open addressing with linear probing over (head, hash, id).  A slot has the first 8
 *        bytes of its string.  So comparing a short string never leaves the slot, and a probe
 *        that misses touches one cache line.  The hash of a string of fewer than 8 bytes is one
 *        round over its word.
 *        While all strings come in ascending order through snag_strtab_intern_ascending(), there
 *        are no slots, and bisection finds strings.  Only then there may be ranges: strings that
 *        follow one in `bytes` and are not stored themselves.
 * Cost.  O(length) per look-up; 16 bytes per slot at a load of at most 5/8.  In ascending order
 *        no slots, and O(length log n) to find.  Counting: O(length) for any number of strings.
 */
#include "base/strtab.h"

#include "base/memory.h"
#include "base/numbered.h"

#include <assert.h>
#include <string.h>

void snag_strtab_init(struct snag_strtab *t)
{
	memset(t, 0, sizeof(*t));
}

void snag_strtab_done(struct snag_strtab *t)
{
	if (!t)
		return;
	snag_huge_free(t->bytes, t->bytes_cap, 1);
	snag_huge_free(t->offset, t->offset_cap, sizeof(*t->offset));
	free(t->slot);
	free(t->range);
	snag_strtab_init(t);
}

/* The first 8 bytes at s as a word, zero-padded. */
static inline uint64_t head_of(const char *s, size_t len)
{
	uint64_t word = 0;
	if (len >= 8)
		return snag_strtab_load(s);
	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)(unsigned char)s[i] << 8 * i;
	return word;
}

uint32_t snag_strtab_hash(const char *s, size_t len)
{
	uint64_t h = snag_strtab_mix(head_of(s, len));
	if (len <= 8)
		return (uint32_t)h;
	for (size_t i = 8; i + 8 < len; i += 8)
		h = snag_strtab_mix(h ^ snag_strtab_load(s + i));
	/* The last word overlaps the one before. */
	return (uint32_t)snag_strtab_mix(h ^ snag_strtab_load(s + len - 8));
}

/* Returns the number of strings in `bytes`. */
static uint32_t spelled(const struct snag_strtab *t)
{
	return t->n - t->first - t->ncounted;
}

/* Returns the length of the i-th string in `bytes`. */
static size_t spelled_len(const struct snag_strtab *t, uint32_t i)
{
	size_t end = i + 1 < spelled(t) ? t->offset[i + 1] : t->nbytes;
	return end - t->offset[i] - 1;
}

size_t snag_strtab_len(const struct snag_strtab *t, uint32_t id)
{
	if (t->nranges)
		snag_strtab_spell(t);
	if (t->has_places) /* the next one need not be in `bytes` */
		return strlen(snag_strtab_get(t, id));
	return spelled_len(t, id - t->first);
}

/* Returns whether the slot, which is in use, holds the string. */
static inline int slot_holds(const struct snag_strtab *t, const struct snag_strtab_slot *slot,
			     const char *s, size_t len, uint64_t head, uint32_t hash)
{
	if (slot->head != head || slot->hash != hash)
		return 0;
	if (len < 8)
		return 1;
	uint32_t id = slot->id_plus_1 - 1;
	if (snag_strtab_len(t, id) != len)
		return 0;
	const char *held = snag_strtab_get(t, id);
	for (size_t i = 8; i + 8 < len; i += 8)
		if (snag_strtab_load(held + i) != snag_strtab_load(s + i))
			return 0;
	return snag_strtab_load(held + len - 8) == snag_strtab_load(s + len - 8);
}

static void table_rehash(struct snag_strtab *t)
{
	uint32_t nslots = t->nslots * 2;
	assert(nslots > t->nslots);
	struct snag_strtab_slot *slot = snag_calloc(nslots, sizeof(*slot));
	for (uint32_t i = 0; i < t->nslots; i++) {
		if (!t->slot[i].id_plus_1)
			continue;
		uint32_t j = t->slot[i].hash & (nslots - 1);
		while (slot[j].id_plus_1)
			j = (j + 1) & (nslots - 1);
		slot[j] = t->slot[i];
	}
	free(t->slot);
	t->slot = slot;
	t->nslots = nslots;
}

static inline uint32_t offset_append(struct snag_strtab *t, uint64_t offset)
{
	uint32_t at = spelled(t);
	if (at >= t->offset_cap)
		t->offset = snag_huge_grow(t->offset, &t->offset_cap, (size_t)at + 1,
					   sizeof(*t->offset));
	t->offset[at] = offset;
	return t->n++;
}

uint32_t snag_strtab_append(struct snag_strtab *t, const char *s, size_t len)
{
	if (t->nbytes + len >= t->bytes_cap)
		t->bytes = snag_huge_grow(t->bytes, &t->bytes_cap, t->nbytes + len + 1, 1);
	size_t at = t->nbytes;
	memcpy(t->bytes + t->nbytes, s, len);
	t->bytes[t->nbytes + len] = '\0';
	t->nbytes += len + 1;
	t->nspelled++;
	return offset_append(t, at);
}

void snag_strtab_sparse(struct snag_strtab *t, uint32_t n)
{
	assert(t->n == 0);
	snag_strtab_append(t, "", 0); /* the target of every offset that was not set */
	t->offset = snag_huge_grow(t->offset, &t->offset_cap, (size_t)n + 1, sizeof(*t->offset));
	t->n = n;
}

void snag_strtab_set(struct snag_strtab *t, uint32_t id, const char *s, size_t len)
{
	uint32_t n = t->n;
	t->n = id;
	snag_strtab_append(t, s, len);
	t->n = n;
}

void snag_strtab_have_places(struct snag_strtab *t)
{
	assert(t->n == 0);
	t->has_places = true;
}

uint32_t snag_strtab_append_place(struct snag_strtab *t, struct snag_strtab_place place)
{
	assert(t->has_places && place.offset >> SNAG_STRTAB_BASE_BIT == 0);
	return offset_append(t, UINT64_C(1) << SNAG_STRTAB_PLACE_BIT |
					(uint64_t)(place.base % SNAG_STRTAB_BASES)
						<< SNAG_STRTAB_BASE_BIT |
					place.offset);
}

uint32_t snag_strtab_append_places(struct snag_strtab *t, struct snag_strtab_place place,
				   unsigned step, uint32_t n)
{
	const uint32_t first = t->n;
	for (uint32_t i = 0; i < n; i++, place.offset += step)
		snag_strtab_append_place(t, place);
	return first;
}

static inline bool is_place(uint64_t offset)
{
	return offset >> SNAG_STRTAB_PLACE_BIT;
}

void snag_strtab_forget(struct snag_strtab *t, uint32_t below)
{
	assert(!t->nslots && !t->nranges && below <= t->n);
	if (below <= t->first)
		return;
	uint32_t gone = below - t->first, left = t->n - below, next = gone;
	while (next < gone + left && is_place(t->offset[next]))
		next++;
	size_t nbytes = next < gone + left ? t->offset[next] : t->nbytes;
	memmove(t->bytes, t->bytes + nbytes, t->nbytes - nbytes);
	for (uint32_t i = 0; i < left; i++) {
		uint64_t offset = t->offset[gone + i];
		t->offset[i] = is_place(offset) ? offset : offset - nbytes;
	}
	t->nbytes -= nbytes;
	t->first = below;
}

/* Puts all strings, which came in ascending order, into slots. */
static void table_fill(struct snag_strtab *t)
{
	uint32_t nslots = 64;
	if (t->nranges)
		snag_strtab_spell(t);
	while (t->n >= nslots / 8 * 5)
		nslots *= 2;
	t->slot = snag_calloc(nslots, sizeof(*t->slot));
	t->nslots = nslots;
	for (uint32_t id = 0; id < t->n; id++) {
		const char *s = snag_strtab_get(t, id);
		size_t len = snag_strtab_len(t, id);
		uint32_t hash = snag_strtab_hash(s, len), i = hash & (nslots - 1);
		while (t->slot[i].id_plus_1)
			i = (i + 1) & (nslots - 1);
		t->slot[i] = (struct snag_strtab_slot){head_of(s, len), hash, id + 1};
	}
}

static uint32_t table_add(struct snag_strtab *t, struct snag_strtab_slot *slot, const char *s,
			  size_t len, uint64_t head, uint32_t hash)
{
	uint32_t id = snag_strtab_append(t, s, len);
	*slot = (struct snag_strtab_slot){.head = head, .hash = hash, .id_plus_1 = id + 1};
	return id;
}

uint32_t snag_strtab_intern_hashed(struct snag_strtab *t, const char *s, size_t len, uint32_t hash)
{
	if (!t->nslots)
		table_fill(t);
	else if (t->n >= t->nslots / 8 * 5)
		table_rehash(t);
	uint64_t head = head_of(s, len);
	for (uint32_t i = hash & (t->nslots - 1);; i = (i + 1) & (t->nslots - 1)) {
		if (!t->slot[i].id_plus_1)
			return table_add(t, &t->slot[i], s, len, head, hash);
		if (slot_holds(t, &t->slot[i], s, len, head, hash))
			return t->slot[i].id_plus_1 - 1;
	}
}

uint32_t snag_strtab_intern(struct snag_strtab *t, const char *s, size_t len)
{
	return snag_strtab_intern_hashed(t, s, len, snag_strtab_hash(s, len));
}

/* The last string: the string in `bytes` that it is or follows, and its distance from it. */
struct last {
	const char *s;
	size_t len;
	uint32_t ahead;
};

static struct last last_of(const struct snag_strtab *t)
{
	uint32_t i = spelled(t) - 1;
	struct snag_strtab_range *range = t->nranges ? &t->range[t->nranges - 1] : NULL;
	return (struct last){t->bytes + t->offset[i], spelled_len(t, i),
			     range && range->spelled == i + 1 ? range->n : 0};
}

/* Appends the n successors of a string whose bytes belong to the caller. */
static void strings_append(struct snag_strtab *t, const char *s, size_t len, uint32_t n)
{
	struct snag_numbered at;
	bool is_numbered = snag_numbered_parse(s, len, &at);
	assert(is_numbered);
	char text[SNAG_NUMBERED_BYTES + SNAG_NUMBER_DIGITS];
	memcpy(text, s, at.prefix);
	for (uint32_t i = 1; i <= n; i++)
		snag_strtab_append(t, text, snag_numbered_put(&at, i, text + at.prefix));
}

void snag_strtab_spell(const struct snag_strtab *t)
{
	struct snag_strtab all = {.first = t->first, .n = t->first};
	uint32_t at = 0;
	for (size_t r = 0; r <= t->nranges; r++) {
		uint32_t end = r < t->nranges ? t->range[r].spelled : spelled(t);
		for (; at < end; at++)
			snag_strtab_append(&all, t->bytes + t->offset[at], spelled_len(t, at));
		if (r < t->nranges)
			strings_append(&all, t->bytes + t->offset[at - 1], spelled_len(t, at - 1),
				       t->range[r].n);
	}
	/* The contents stay the same, so the cast breaks no promise to a const caller. */
	struct snag_strtab *own = (struct snag_strtab *)t;
	snag_strtab_done(own);
	*own = all;
}

static bool count_interned(struct snag_strtab *t, const char *s, size_t len, uint32_t n)
{
	struct snag_strtab more;
	bool are_new = true;
	snag_strtab_init(&more);
	strings_append(&more, s, len, n);
	for (uint32_t i = 0; i < n && are_new; i++) {
		uint32_t id = t->n;
		are_new = snag_strtab_intern(t, snag_strtab_get(&more, i),
					     snag_strtab_len(&more, i)) == id;
	}
	snag_strtab_done(&more);
	return are_new;
}

bool snag_strtab_count(struct snag_strtab *t, uint32_t n)
{
	struct snag_numbered at;
	char digits[SNAG_NUMBER_DIGITS];
	if (t->n == t->first || n > UINT32_MAX - t->n)
		return false;
	struct last last = last_of(t);
	if (!snag_numbered_parse(last.s, last.len, &at) || n > UINT32_MAX - last.ahead ||
	    !snag_numbered_put(&at, last.ahead + n, digits))
		return false;
	if (t->nslots)
		return count_interned(t, last.s, last.len, n);
	if (n == 0)
		return true;
	if (last.ahead == 0) {
		t->range = snag_grow(t->range, &t->range_cap, t->nranges + 1, sizeof(*t->range));
		t->range[t->nranges++] = (struct snag_strtab_range){.spelled = spelled(t)};
	}
	t->range[t->nranges - 1].n += n;
	t->ncounted += n;
	t->n += n;
	return true;
}

/* Returns a negative number, 0 or a positive number if the string is before, equal to or after
 * the other; shorter strings come first. */
static int compare(const char *s, size_t len, const char *other, size_t other_len)
{
	if (len != other_len)
		return len < other_len ? -1 : 1;
	return memcmp(s, other, len);
}

static int compare_last(const struct snag_strtab *t, const char *s, size_t len)
{
	struct last last = last_of(t);
	struct snag_numbered at;
	char digits[SNAG_NUMBER_DIGITS];
	if (last.ahead == 0 || !snag_numbered_parse(last.s, last.len, &at))
		return compare(s, len, last.s, last.len);
	size_t last_len = snag_numbered_put(&at, last.ahead, digits);
	if (len != last_len)
		return len < last_len ? -1 : 1;
	int order = memcmp(s, last.s, at.prefix);
	return order ? order : memcmp(s + at.prefix, digits, len - at.prefix);
}

uint32_t snag_strtab_intern_ascending(struct snag_strtab *t, const char *s, size_t len)
{
	if (!t->nslots && (t->n == t->first || compare_last(t, s, len) > 0))
		return snag_strtab_append(t, s, len);
	return snag_strtab_intern(t, s, len);
}

static uint32_t find_ascending(const struct snag_strtab *t, const char *s, size_t len)
{
	uint32_t low = 0, high = t->n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (compare(s, len, snag_strtab_get(t, mid), snag_strtab_len(t, mid)) > 0)
			low = mid + 1;
		else
			high = mid;
	}
	bool is_there = low < t->n &&
			compare(s, len, snag_strtab_get(t, low), snag_strtab_len(t, low)) == 0;
	return is_there ? low : SNAG_NO_ID;
}

uint32_t snag_strtab_find(const struct snag_strtab *t, const char *s, size_t len)
{
	if (!t->nslots)
		return find_ascending(t, s, len);
	uint32_t hash = snag_strtab_hash(s, len);
	uint64_t head = head_of(s, len);
	for (uint32_t i = hash & (t->nslots - 1); t->slot[i].id_plus_1;
	     i = (i + 1) & (t->nslots - 1))
		if (slot_holds(t, &t->slot[i], s, len, head, hash))
			return t->slot[i].id_plus_1 - 1;
	return SNAG_NO_ID;
}
