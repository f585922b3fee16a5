/* SPDX-License-Identifier: Apache-2.0
 *
 * row_joins.c - the rows of all threads at all times, a few columns at once
 */
#include "witness/decide/row_joins.h"

#include "base/memory.h"

#include <stdbool.h>
#include <string.h>

uint32_t snag_row_joins_add(struct snag_row_joins *joins, uint32_t before, uint32_t from)
{
	uint32_t i = (uint32_t)joins->n++;
	joins->join = snag_huge_grow(joins->join, &joins->join_cap, joins->n, sizeof(*joins->join));
	joins->join[i] = (struct snag_row_join){.before = before, .from = from};
	return i + 1;
}

/* Slots that nothing is read from any more. */
struct unused {
	uint32_t *slot;
	size_t n, cap, nslots;
};

static void unused_add(struct unused *u, uint32_t slot)
{
	u->slot = snag_grow(u->slot, &u->cap, u->n + 1, sizeof(*u->slot));
	u->slot[u->n++] = slot;
}

static uint32_t unused_take(struct unused *u)
{
	return u->n ? u->slot[--u->n] : (uint32_t)u->nslots++;
}

/* Whether the row is in the set; from now on it is. */
static bool set_add(uint64_t *set, uint32_t row)
{
	uint64_t bit = (uint64_t)1 << row % 64;
	bool was_in = set[row / 64] & bit;
	set[row / 64] |= bit;
	return was_in;
}

/* Which joins are the last to read a row. */
static void find_last_uses(struct snag_row_joins *joins)
{
	uint64_t *is_read = snag_calloc(joins->n / 64 + 1, sizeof(*is_read));
	set_add(is_read, 0); /* the empty row is never given up */
	for (uint32_t i = (uint32_t)joins->n; i-- > 0;) {
		struct snag_row_join *join = &joins->join[i];
		join->is_unread = !set_add(is_read, i + 1);
		join->is_last_from = !set_add(is_read, join->from);
		join->is_last_before = !set_add(is_read, join->before);
	}
	free(is_read);
}

void snag_row_joins_place(struct snag_row_joins *joins)
{
	struct unused unused = {.nslots = 1}; /* slot 0 is the empty row */
	find_last_uses(joins);
	for (uint32_t i = 0; i < joins->n; i++) {
		struct snag_row_join *join = &joins->join[i];
		if (join->before)
			join->before = joins->join[join->before - 1].into;
		if (join->from)
			join->from = joins->join[join->from - 1].into;
		join->into = join->is_last_before ? join->before : unused_take(&unused);
		if (join->is_last_from)
			unused_add(&unused, join->from);
		if (join->is_unread)
			unused_add(&unused, join->into);
	}
	free(unused.slot);
	joins->nslots = unused.nslots;
	joins->slot = snag_calloc_lines(joins->nslots, sizeof(*joins->slot));
}

void snag_row_joins_clear(struct snag_row_joins *joins)
{
	memset(joins->slot, 0, joins->nslots * sizeof(*joins->slot));
}

void snag_row_joins_done(struct snag_row_joins *joins)
{
	snag_huge_free(joins->join, joins->join_cap, sizeof(*joins->join));
	free(joins->slot);
	memset(joins, 0, sizeof(*joins));
}
