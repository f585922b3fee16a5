/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.h - memory of the library, and maps from addresses (core.h)
 */
#ifndef SNAG_OMP_MEMORY_H
#define SNAG_OMP_MEMORY_H

#include "base/keyed.h"

#include <stddef.h>
#include <stdint.h>

void *mp_alloc(size_t nbytes);	    /* never NULL, zeroed */
void *mp_alloc_used(size_t nbytes); /* The same, but the memory is not zeroed. */
/* Returns the array with room for n elements of that size: the old ones, then zeroes. */
void *mp_grow(void *old, size_t *cap, size_t n, size_t each);
void mp_free(void *p);			       /* accepts NULL */
void mp_memory(const void *at, size_t nbytes); /* reports memory that the program gets */

void *mp_memset(void *to, int byte, size_t n);
void *mp_memcpy(void *to, const void *from, size_t n);

struct mp_map { /* a table from addresses to pointers */
	struct snag_keyed table;
};
struct mp_map_entry {
	uint64_t key; /* the address + 1 */
	void *value;
};
void **mp_map_at(struct mp_map *map, const void *key); /* NULL there: new */
void mp_map_free(struct mp_map *map);

#endif
