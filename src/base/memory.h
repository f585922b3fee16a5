/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.h - allocation that cannot fail, and growable arrays
 *
 * A tool that runs out of memory has nothing better to do than to say so and
 * stop: these abort the process with one line and exit status 125, so that no
 * caller needs a path for it.  A handler may print what is known so far, and
 * choose the status.
 *
 * The detectors inside a user's program (src/inside/) use this file, too.  The
 * build renames its calls of malloc and write there: memory comes from
 * inside/heap.h.  The rest of the runtime has its own memory (runtime/memory.h).
 */
#ifndef SNAG_BASE_MEMORY_H
#define SNAG_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Called once when memory runs out, on the thread whose allocation failed, while other threads go
 * on.  Returns the exit status.  It may allocate a little: a reserve is given back before. */
typedef int snag_exhausted_handler(void *ctx);
/* Sets the handler and takes the reserve; NULL: none, and the reserve is given back. */
void snag_memory_on_exhausted(snag_exhausted_handler *handler, void *ctx);

void *snag_alloc(size_t nbytes);		/* uninitialised */
void *snag_calloc(size_t n, size_t elem);	/* zeroed */
void *snag_calloc_lines(size_t n, size_t elem); /* zeroed; begins with a cache line */
void *snag_realloc(void *p, size_t n, size_t elem);
uint32_t *snag_filled(size_t n, uint32_t value); /* all of that value */

/* Makes room for at least `need` elements of `elem` bytes in the array `p` of
 * capacity *cap, doubling; the new part is zeroed. Returns the array. */
void *snag_grow_more(void *p, size_t *cap, size_t need, size_t elem); /* where there is not */

static inline void *snag_grow(void *p, size_t *cap, size_t need, size_t elem)
{
	return need <= *cap ? p : snag_grow_more(p, cap, need, elem);
}

/* The same for arrays of many megabytes: taken from the system in huge pages where it has
 * them, moved without copying, and resident only as far as written.  They begin with a cache
 * line.  To be given back with snag_huge_free. */
void *snag_huge_grow_more(void *p, size_t *cap, size_t need, size_t elem);

static inline void *snag_huge_grow(void *p, size_t *cap, size_t need, size_t elem)
{
	return need <= *cap ? p : snag_huge_grow_more(p, cap, need, elem);
}

void snag_huge_free(void *p, size_t cap, size_t elem); /* accepts NULL */

#endif
