/* SPDX-License-Identifier: Apache-2.0
 *
 * bound.h - binary search in a sorted array
 */
#ifndef SNAG_BASE_BOUND_H
#define SNAG_BASE_BOUND_H

#include <stddef.h>
#include <stdint.h>

/* Returns how many of the n elements have a key of at most `value`.  An element has `stride`
 * bytes; its key is the uint64_t at `offset`.  The elements are sorted by their keys. */
static inline size_t snag_bound(const void *array, size_t n, size_t stride, size_t offset,
				uint64_t value)
{
	const char *at = array;
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (*(const uint64_t *)(at + mid * stride + offset) <= value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

#endif
