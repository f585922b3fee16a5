/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.h - allocation that cannot fail, and growable arrays
 *
 * If memory runs out, these functions end the process with one line and exit status 125.  So no
 * caller needs a path for this case.  A handler may first print what is known so far, and choose
 * the status.
 *
 * The detectors inside a user's program (src/inside/) use this file, too.  The build renames its
 * calls of malloc and write there: memory comes from inside/heap.h.  The rest of the runtime has
 * its own memory (runtime/memory.h).
 */
#ifndef SNAG_BASE_MEMORY_H
#define SNAG_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Called once when memory runs out, on the thread whose allocation failed, while other threads
 * continue.  Returns the exit status.  The handler may allocate a little: a reserve is released
 * before the call. */
typedef int snag_exhausted_handler(void *ctx);
/* Sets the handler and allocates the reserve.  NULL removes the handler and releases the
 * reserve. */
void snag_memory_on_exhausted(snag_exhausted_handler *handler, void *ctx);

/* `end` runs after the handler, just before the process ends because memory ran out. */
void snag_memory_at_end(void (*end)(void));

/* Ends the process as a failed allocation does.  For libraries that report a lack of memory as an
 * error where no caller expects one. */
__attribute__((noreturn)) void snag_out_of_memory(void);

void *snag_alloc(size_t nbytes); /* uninitialised */
char *snag_strdup(const char *text);
void *snag_calloc(size_t n, size_t elem);	/* zeroed */
void *snag_calloc_lines(size_t n, size_t elem); /* zeroed; aligned to a cache line */
void *snag_realloc(void *p, size_t n, size_t elem);
uint32_t *snag_filled(size_t n, uint32_t value); /* n times `value` */

/* Makes room for at least `need` elements of `elem` bytes in the array `p` of capacity *cap, by
 * doubling.  The new part is zeroed.  Returns the array. */
void *snag_grow_more(void *p, size_t *cap, size_t need, size_t elem); /* the slow path */

static inline void *snag_grow(void *p, size_t *cap, size_t need, size_t elem)
{
	return need <= *cap ? p : snag_grow_more(p, cap, need, elem);
}

/* As snag_grow(), for arrays of many megabytes.  The memory comes from the system, in huge pages
 * where it has them.  It grows without copying, is resident only as far as written, and begins
 * at a cache line.  Free it with snag_huge_free(). */
void *snag_huge_grow_more(void *p, size_t *cap, size_t need, size_t elem);

static inline void *snag_huge_grow(void *p, size_t *cap, size_t need, size_t elem)
{
	return need <= *cap ? p : snag_huge_grow_more(p, cap, need, elem);
}

void snag_huge_free(void *p, size_t cap, size_t elem); /* accepts NULL */

#endif
