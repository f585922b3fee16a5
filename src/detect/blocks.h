/* SPDX-License-Identifier: Apache-2.0
 *
 * blocks.h - the isolated blocks of a run of tasks, and what must stay in their order
 *
 * Where locks are followed too (OpenMP), what a task does from taking one to having none is a block
 * as well.
 *
 * Two blocks are in order by structure if what orders tasks orders them (order/task_order.h), and by
 * conflict if they access one variable, one of them writing: then the one that came first came
 * before.  Everything else about a run without races follows from these two.
 */
#ifndef SNAG_DETECT_BLOCKS_H
#define SNAG_DETECT_BLOCKS_H

#include "trace/source.h"

enum { SNAG_MAX_BLOCKS = 4096 }; /* rows of bits of so many take 2 MiB */

struct snag_block {
	uint64_t id; /* the same in every schedule: trace/task_path.h */
	snag_tid task;
	snag_loc loc;
	/* What it accesses, by names that are the same in every schedule, or stand for all
	 * that have no such name; ascending.  The lowest bit: it writes. */
	uint64_t *use;
	size_t nuses, use_cap;
};

/* Adds a use: a name whose lowest bit does not count.  They are sorted by the last function. */
void snag_block_use(struct snag_block *b, uint64_t name, bool is_write);
void snag_block_uses_sort(struct snag_block *b);
bool snag_block_uses_conflict(const uint64_t *a, size_t na, const uint64_t *b, size_t nb);

/* Rows of bits, one for each section: those before it. */
struct snag_block_rows {
	uint64_t *bits;
	size_t nwords; /* of a row */
};

struct snag_blocks {
	struct snag_block *at; /* in the order they ran */
	size_t n;
	struct snag_block_rows structure, conflict; /* direct, and by structure all */
	bool is_nested; /* one was not one block: it took a lock inside */
	bool is_cut;	/* there are more than SNAG_MAX_BLOCKS, and these are the first */
};

struct snag_blocks_options {
	bool of_locks;	   /* locks make blocks, too */
	bool all_conflict; /* any two blocks conflict, whatever they access */
};

/* Of the trace of a run, from its beginning. */
int snag_blocks_read(struct snag_blocks *ret_sections, struct snag_source *src,
		     const struct snag_blocks_options *options, struct snag_error *err);
/* n sections without any order, to be filled. */
void snag_blocks_init(struct snag_blocks *s, size_t n);
void snag_blocks_done(struct snag_blocks *s);

static inline bool snag_block_row_has(const struct snag_block_rows *r, size_t b, size_t a)
{
	return r->bits[b * r->nwords + a / 64] >> a % 64 & 1;
}

static inline void snag_block_row_add(struct snag_block_rows *r, size_t b, size_t a)
{
	r->bits[b * r->nwords + a / 64] |= UINT64_C(1) << a % 64;
}

#endif
