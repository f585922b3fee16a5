/* SPDX-License-Identifier: Apache-2.0
 *
 * parallel.h - one function for many items, on several processors
 */
#ifndef SNAG_BASE_PARALLEL_H
#define SNAG_BASE_PARALLEL_H

#include <stddef.h>

/* Calls run(ctx, worker, i) once for every i below n, in any order, from up to `workers`
 * threads, numbered from 0.  One worker means the calling thread.  Returns when all calls have
 * returned. */
void snag_parallel(size_t n, unsigned workers, void (*run)(void *ctx, unsigned worker, size_t i),
		   void *ctx);

/* Returns the default number of workers: one per processor. */
unsigned snag_parallel_default(void);

#endif
