/* SPDX-License-Identifier: Apache-2.0
 *
 * blocks.h - the isolated blocks of a run of tasks, and which of them must keep their order
 *
 * In programs of <snag/task.h> an atomic operation outside of isolated blocks can be a block, too.
 * If locks count too (OpenMP), what a task does from its first acquire until it holds no lock is
 * also a block.
 *
 * Two blocks are ordered by structure if the order of tasks orders them (order/task_order.h).
 * They are ordered by conflict if they access one variable and the accesses do not commute: then
 * the one that ran first comes before.  Two reads commute, and so do two updates of one kind
 * (trace/event.h).  Everything else about a run without races follows from these two.
 */
#ifndef SNAG_DETECT_BLOCKS_H
#define SNAG_DETECT_BLOCKS_H

#include "trace/source.h"

enum {
	SNAG_MAX_BLOCKS = 4096, /* rows of bits of so many take 2 MiB */
	/* The same if atomics are blocks.  Programs have many more of them, and their counters make
	 * promises, so that a question about the order of two blocks takes longer. */
	SNAG_MAX_ATOMIC_BLOCKS = 1000,
};

struct snag_block {
	uint64_t id; /* the same in every schedule: trace/task_path.h */
	snag_tid task;
	snag_loc loc;
	/* Its accesses, by names that are the same in every schedule, or by one name for all
	 * accesses without such a name; ascending.  The lowest bits: the kind of access. */
	uint64_t *use;
	size_t nuses, use_cap;
	uint32_t atomic; /* 1 + the variable of the atomic operation that it is; 0: it is none */
	bool is_weak;	 /* an atomic read or write with a weaker order than seq_cst */
};

enum { SNAG_USE_READS, SNAG_USE_WRITES, SNAG_USE_UPDATES, SNAG_USE_KINDS = 4096 };
bool snag_uses_commute(uint32_t kind, uint32_t other);

/* Adds a use: a name whose lowest bits do not count.  After the last one, sort them. */
void snag_block_use(struct snag_block *b, uint64_t name, uint32_t kind);
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
	bool is_nested; /* one was not one block: it took a lock inside, or has atomics that are blocks */
	/* Atomics of several variables, some of them weak: one order for all tasks does not show
	 * all values that they may read. */
	bool is_weak;
	bool is_cut; /* there are more than SNAG_MAX_BLOCKS, and these are the first */
};

struct snag_blocks_options {
	bool of_locks;	      /* locks make blocks, too */
	bool of_atomics;      /* atomic operations are blocks, too */
	bool all_conflict;    /* any two blocks conflict, whatever they access */
	bool ordered_updates; /* updates do not commute: they are plain accesses */
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
