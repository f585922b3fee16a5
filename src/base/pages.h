/* SPDX-License-Identifier: Apache-2.0
 *
 * pages.h - memory straight from the system, for code that runs inside other programs
 *
 * Nothing here calls malloc, prints or ends the process, and errno stays as it was.  A function
 * that fails returns NULL, and its caller decides what to do.  All memory is zeroed, and
 * resident only as far as it is touched.
 */
#ifndef SNAG_BASE_PAGES_H
#define SNAG_BASE_PAGES_H

#include <stddef.h>

size_t snag_pages_round(size_t nbytes); /* up to whole pages */

void *snag_pages_map(size_t nbytes);
void snag_pages_unmap(void *p, size_t nbytes); /* accepts NULL */

/* Returns the array with room for at least `need` elements of `elem` bytes; it may have moved.
 * The new part is zeroed.  NULL means no memory; then the old array is unchanged. */
void *snag_pages_grow(void *p, size_t *cap, size_t need, size_t elem);

/* Releases an array made by snag_pages_grow(). */
void snag_pages_free(void *p, size_t cap, size_t elem); /* accepts NULL */

#endif
