/* SPDX-License-Identifier: Apache-2.0
 *
 * counts.h - counts by thread, four at once
 *
 * A cut is a count per thread, and so is what must precede an event.  Joining and comparing such
 * counts is most of the work of propagation, so this file uses vectors that every processor has.
 * Counts are below 2^31.
 */
#ifndef SNAG_WITNESS_DECIDE_COUNTS_H
#define SNAG_WITNESS_DECIDE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum { SNAG_LANES = 4 };

typedef int32_t snag_counts __attribute__((vector_size(16), aligned(4), may_alias));

/* Returns whether the next SNAG_LANES counts are the same. */
static inline bool snag_counts_same(const uint32_t *a, const uint32_t *b)
{
	snag_counts differ = *(const snag_counts *)a ^ *(const snag_counts *)b;
	return !(differ[0] | differ[1] | differ[2] | differ[3]);
}

/* Replaces each of the n counts by the larger of the two.  Returns false if nothing changed. */
static inline bool snag_counts_join(uint32_t *restrict into, const uint32_t *restrict from,
				    uint32_t n)
{
	snag_counts grew = {0};
	bool has_grown = false;
	uint32_t i = 0;
	for (; i + SNAG_LANES <= n; i += SNAG_LANES) {
		snag_counts *to = (snag_counts *)(into + i);
		snag_counts a = *(const snag_counts *)(from + i), b = *to, is_more = a > b;
		*to = (a & is_more) | (b & ~is_more);
		grew |= is_more;
	}
	for (; i < n; i++)
		if (from[i] > into[i]) {
			into[i] = from[i];
			has_grown = true;
		}
	return has_grown || (grew[0] | grew[1] | grew[2] | grew[3]);
}

/* Returns whether some count of a is larger than that of b. */
static inline bool snag_counts_exceed(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	snag_counts any = {0};
	uint32_t i = 0;
	for (; i + SNAG_LANES <= n; i += SNAG_LANES)
		any |= *(const snag_counts *)(a + i) > *(const snag_counts *)(b + i);
	for (; i < n; i++)
		any[0] |= a[i] > b[i];
	return any[0] | any[1] | any[2] | any[3];
}

#endif
