/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.h - records of one size, taken and given back in any order
 *
 * Records come from chunks of pages (base/pages.h) and never move.  The record given back last
 * is taken first, because it is still in the cache.  A free record holds a link in its first
 * bytes, and otherwise what its last owner left there.
 */
#ifndef SNAG_BASE_POOL_H
#define SNAG_BASE_POOL_H

#include <stddef.h>

struct snag_pool {
	size_t elem;		   /* bytes of a record, a multiple of 16 */
	void *free;		   /* list of records given back */
	char *fresh, *end;	   /* the part of the newest chunk that was never used */
	struct pool_chunk *chunks; /* all, newest first */
};

void snag_pool_init(struct snag_pool *pool, size_t elem);
void snag_pool_done(struct snag_pool *pool); /* frees all records */

/* For snag_pool_take() only: returns a zeroed record of a new chunk, or NULL if there is no
 * memory. */
void *snag_pool_refill(struct snag_pool *pool);

static inline void *snag_pool_take(struct snag_pool *pool) /* NULL: no memory */
{
	void *record = pool->free;
	if (!record)
		return snag_pool_refill(pool);
	pool->free = *(void **)record;
	return record;
}

static inline void snag_pool_give(struct snag_pool *pool, void *record)
{
	*(void **)record = pool->free;
	pool->free = record;
}

#endif
