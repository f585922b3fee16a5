/* SPDX-License-Identifier: Apache-2.0
 *
 * heap.h - replaces the C library's memory functions in the detectors inside a program
 */
#ifndef SNAG_INSIDE_HEAP_H
#define SNAG_INSIDE_HEAP_H

#include <stddef.h>

void *inside_malloc(size_t nbytes);
void *inside_calloc(size_t n, size_t each);
void *inside_realloc(void *p, size_t nbytes);
int inside_posix_memalign(void **ret, size_t align, size_t nbytes);
void inside_free(void *p);
void *inside_mmap(void *at, size_t nbytes, int protection, int flags, int fd, long offset);
void *inside_mremap(void *at, size_t old, size_t nbytes, int flags);
int inside_munmap(void *at, size_t nbytes);
int inside_madvise(void *at, size_t nbytes, int advice);
long inside_write(int fd, const void *text, size_t n);

#endif
