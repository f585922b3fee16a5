/* SPDX-License-Identifier: Apache-2.0
 *
 * pool.c - records of one size, taken and given back in any order
 */
#include "base/pool.h"

#include "base/pages.h"

enum { FIRST_CHUNK = 64 << 10, LAST_CHUNK = 2 << 20 };

struct pool_chunk { /* begins a chunk; 16 bytes aligned like its records */
	struct pool_chunk *next;
	size_t nbytes;
};

void snag_pool_init(struct snag_pool *pool, size_t elem)
{
	*pool = (struct snag_pool){.elem = (elem + 15) & ~(size_t)15};
}

void snag_pool_done(struct snag_pool *pool)
{
	while (pool->chunks) {
		struct pool_chunk *chunk = pool->chunks;
		pool->chunks = chunk->next;
		snag_pages_unmap(chunk, chunk->nbytes);
	}
	snag_pool_init(pool, pool->elem);
}

void *snag_pool_refill(struct snag_pool *pool)
{
	if ((size_t)(pool->end - pool->fresh) < pool->elem) {
		size_t nbytes = FIRST_CHUNK;
		if (pool->chunks)
			nbytes = pool->chunks->nbytes < LAST_CHUNK ? pool->chunks->nbytes * 2
								   : LAST_CHUNK;
		struct pool_chunk *chunk = snag_pages_map(nbytes);
		if (!chunk)
			return NULL;
		*chunk = (struct pool_chunk){.next = pool->chunks, .nbytes = nbytes};
		pool->chunks = chunk;
		pool->fresh = (char *)(chunk + 1);
		pool->end = (char *)chunk + nbytes;
	}
	void *record = pool->fresh;
	pool->fresh += pool->elem;
	return record;
}
