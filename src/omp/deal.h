/* SPDX-License-Identifier: Apache-2.0
 *
 * deal.h - which thread of a team executes a block for one thread
 *
 * Idea.   One thread executes a block of single, master or masked, and the block comes before what
 *         this thread does next.  But an iteration behind the block, a section or the next
 *         such block may go to another thread in another run.  So snag deals them to different
 *         threads: in one run, every two of them are on different threads and seen in parallel.
 *
 * Rules.  [mark]    A thread that has executed such a block is marked until the barrier.
 *         [single]  A single block goes to a thread that is not marked, in turn; to thread 0 last,
 *                   because it has the master blocks.
 *         [loop]    Chunks and sections go to threads that are not marked, in turn.  A loop
 *                   that one thread has as a whole (ordered) goes to the first of these that comes.
 *         [zero]    But chunk 0 of schedule(static, n) goes to thread 0, as the specification says:
 *                   master blocks come before it.
 *         [block]   Static loops that the compiler runs by itself, or with more chunks than
 *                   are kept (loop.c), all go to the same threads up to the barrier: the parts
 *                   of one thread in two of them are ordered.
 *         [known]   The first thread that comes to a construct decides, by the blocks that it
 *                   has met since the barrier.  All other threads have met the same ones,
 *                   unless they went around a master block.
 *         [none]    If all threads are marked, snag deals as if none were, and reports an
 *                   obstacle; also if a marked thread comes to another block that could not
 *                   be foreseen.
 *         [number]  A thread without segments ([number], core.h) does not decide for one thread
 *                   only, because all iterations would be ordered then.
 */
#ifndef SNAG_OMP_DEAL_H
#define SNAG_OMP_DEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mp_task;
struct mp_team;

/* How the iterations of a loop were dealt. */
struct mp_dealt {
	bool is_decided;
	int n;
	uint16_t *thread; /* these; NULL: all */
};

/* How the blocks of a team were dealt. */
struct mp_deals {
	uint16_t *single; /* by single block since the barrier: the thread that executes it */
	size_t nsingles, cap;
	int turn;	 /* the thread that got the last one */
	uint64_t *alike; /* by loop or single block since the barrier (alike.c) */
	size_t nalike, alike_cap;
	struct mp_dealt blocks;
};

/* The constructs that a thread has met since the barrier. */
struct mp_met {
	size_t singles, constructs; /* single blocks; these and loops */
	/* Threads that had blocks of master and masked: a bit for each of the first 64. */
	uint64_t masked;
	bool has_single, has_masked; /* [mark] */
	bool is_reported;	     /* [none] */
	bool is_apart;		     /* alike.c */
	bool is_filtered; /* the next call of gcc tests whether this thread executes the block */
};

void mp_alike_look(struct mp_task *t);	/* comes to a loop or a single block: alike.c */
void mp_alike_apart(struct mp_task *t); /* code of gcc reads the number of its thread */
bool mp_single(void);			/* Returns whether the calling thread executes the block. */
/* The same for masked: the thread with this number executes the block. */
bool mp_masked(int number);
void mp_deal_barrier(struct mp_task *t);
void mp_deals_end(struct mp_team *team);
void mp_deals_free(struct mp_team *team);

/* Returns the place of the thread among the *ret_n threads that execute a loop; negative: it does
 * not execute it. */
int mp_deal_place(struct mp_task *t, struct mp_dealt *d, int *ret_n);
void mp_dealt_free(struct mp_dealt *d);
/* The thread gets a part of a loop. */
void mp_deal_part(struct mp_task *t, bool is_zero);

#endif
