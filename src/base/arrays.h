/* SPDX-License-Identifier: Apache-2.0
 *
 * arrays.h - many small arrays of one kind of element, in one large one
 *
 * An array is the index of its first element.  Its capacity is a power of two, which its owner
 * remembers.  The arrays lie in huge pages (base/memory.h), so that random access seldom misses
 * the TLB.  An array that is given back is reused for the next array of its capacity.  The
 * elements move when another array is taken: keep indices, not pointers.
 */
#ifndef SNAG_BASE_ARRAYS_H
#define SNAG_BASE_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

struct snag_arrays { /* all 0: empty */
	void *at;    /* all elements */
	size_t n, cap;
	uint32_t unused[32]; /* by log2 of the capacity: 1 + the first element of a list of
			      * arrays given back, linked through their first four bytes */
};

/* Returns a new array of `cap` elements of `elem` bytes, at least four; not initialised. */
uint32_t snag_arrays_take(struct snag_arrays *a, uint32_t cap, size_t elem);
void snag_arrays_give(struct snag_arrays *a, uint32_t first, uint32_t cap, size_t elem);
void snag_arrays_done(struct snag_arrays *a, size_t elem);

/* Replaces *first by an array of twice the capacity (or `least`, if *cap is 0) with the same
 * first elements. */
void snag_arrays_double(struct snag_arrays *a, uint32_t *first, uint32_t *cap, uint32_t least,
			size_t elem);

#endif
