/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h - tests neighbouring slots of the filter together
 *
 * Idea.   A loop over an array meets neighbouring slots (filter.h).  Mostly all of them are known,
 *         or none is; four comparisons at a time tell which.
 * Cost.   2 instructions a slot where the processor has AVX2, else 5.
 */
#ifndef SNAG_RUNTIME_ROWS_H
#define SNAG_RUNTIME_ROWS_H

#include <stdbool.h>
#include <stdint.h>

enum { RT_ROW = 64 }; /* slots, at most */

/* Makes an access known; returns whether it was new. */
static inline bool rt_slot_note(uint64_t *slot, uint64_t entry, bool is_write)
{
	const uint64_t differs = *slot ^ entry;
	const bool is_new = is_write ? differs != 0 : differs << 1 != 0;
	*slot = is_new ? entry : *slot;
	return is_new;
}

static inline uint64_t rt_row_all(unsigned n)
{
	return n == RT_ROW ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* The same for n accesses with the same entry; returns a bit for each. */
uint64_t rt_row_note(uint64_t *slot, uint64_t entry, unsigned n, bool is_write);

#endif
