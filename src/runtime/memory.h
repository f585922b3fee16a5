/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.h - the runtime's own memory, apart from the program's
 */
#ifndef SNAG_RUNTIME_MEMORY_H
#define SNAG_RUNTIME_MEMORY_H

#include <stddef.h>

/* Zeroed, aligned to 16 bytes; does not return if the system has none.  The caller has
 * the baton or the scheduler's lock, or is alone. */
void *rt_alloc(size_t nbytes);
void rt_free(void *p, size_t nbytes); /* nbytes as allocated; accepts NULL */
/* Keeps the first `old` bytes (0 if p is NULL), and zeroes the rest. */
void *rt_grow(void *p, size_t old, size_t nbytes);
/* Around fork: no other thread is in the middle of an allocation. */
void rt_memory_hold(void);
void rt_memory_release(void);

#endif
