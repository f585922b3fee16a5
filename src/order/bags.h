/* SPDX-License-Identifier: Apache-2.0
 *
 * bags.h - what is parallel to the current point of a depth-first run of tasks?
 *
 * Idea.   In a serial run each child runs to its end as soon as it is created.  In such a run
 *         the tasks that have begun are partitioned into bags.  Tasks in an S-bag come before
 *         the current point; tasks in a P-bag are parallel to it.  A bag is a set of a
 *         union-find forest over tasks.  Its kind is stored at its root.
 *
 *         The running tasks and their open scopes (frames, finishes) form one stack.  Each scope
 *         collects the tasks that ended while it was the innermost: spawned tasks, which the
 *         next sync of the frame waits for, and others, which the finish waits for.
 *
 * State.  up[t]      the parent in the forest, or at a root its rank and kind
 *         scope[]    the stack; scope[i].spawned and .others are P-bags (SP-bags' P_F, ESP-bags'
 *                    P of a finish)
 *         scope_of[]  at the root of a P-bag: its scope
 *
 * Rules.  [begin]   S = {t}; push a scope of kind TASK
 *         [end]     move S of t to .spawned or .others of the scope below, depending on how t
 *                   was created; move what its scope collected to .others
 *         [sync]    move .spawned of all scopes down to the frame's to S of the current task
 *         [finish]  at its end, move what its scope collected to S of the current task
 *         [frame]   at its end, move what its scope collected to the scope below
 *
 * Guarantee.  snag_bags_is_parallel() is exact for serial runs in which the frame, or a finish
 *             inside it, waits for every spawned task.  The functions refuse any other run: they
 *             return the reason as text.
 * Cost.   8 bytes per task.  Inverse Ackermann per operation; O(1) if it moves nothing.
 * Reference.  Feng and Leiserson, SP-bags, SPAA 1997; Raman et al., ESP-bags, FMSD 2012.
 */
#ifndef SNAG_ORDER_BAGS_H
#define SNAG_ORDER_BAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNAG_NO_BAG UINT32_MAX

enum snag_bag_scope { SNAG_SCOPE_ASYNC, SNAG_SCOPE_SPAWN, SNAG_SCOPE_FRAME, SNAG_SCOPE_FINISH };

struct snag_bags {
	uint32_t *up;
	uint32_t *scope_of;
	size_t up_cap, scope_of_cap;
	struct snag_bags_scope {
		enum snag_bag_scope kind;
		uint32_t task;		  /* the task that owns the scope */
		uint32_t spawned, others; /* roots, or SNAG_NO_BAG */
		uint32_t frame;		  /* the scope that is the innermost frame */
		uint32_t spawning; /* of a frame: its topmost scope with spawned tasks, or none */
		uint32_t below;	   /* of such a scope: the next one down, or none */
		uint32_t async; /* the topmost scope, from here down, of an async task; or none */
	} * scope;
	size_t depth, scope_cap;
};

void snag_bags_init(struct snag_bags *b);
void snag_bags_done(struct snag_bags *b);
void snag_bags_reserve(struct snag_bags *b, size_t ntasks);

/* Each returns NULL, or the reason why bags cannot order this run. */
void snag_bags_begin(struct snag_bags *b, uint32_t task, bool is_spawned);
const char *snag_bags_end(struct snag_bags *b);
const char *snag_bags_sync(struct snag_bags *b);
void snag_bags_open(struct snag_bags *b, enum snag_bag_scope kind); /* a frame or a finish */
const char *snag_bags_close(struct snag_bags *b, enum snag_bag_scope kind);

static inline bool snag_bags_is_running(const struct snag_bags *b, uint32_t task)
{
	return b->depth && b->scope[b->depth - 1].task == task;
}

/* The representation of a root: IS_ROOT | rank << 1 | is_parallel. */
enum { SNAG_BAGS_PARALLEL = 1 };
#define SNAG_BAGS_ROOT UINT32_C(0x80000000)

static inline uint32_t snag_bags_find(struct snag_bags *b, uint32_t task)
{
	uint32_t *up = b->up;
	while (!(up[task] & SNAG_BAGS_ROOT)) {
		uint32_t parent = up[task];
		if (!(up[parent] & SNAG_BAGS_ROOT))
			up[task] = up[parent];
		task = parent;
	}
	return task;
}

/* Returns whether a task that has begun is parallel to the current point. */
static inline bool snag_bags_is_parallel(struct snag_bags *b, uint32_t task)
{
	return b->up[snag_bags_find(b, task)] & SNAG_BAGS_PARALLEL;
}

/* For a parallel task: returns whether it stays parallel at least as long as anything that the
 * current task does. */
bool snag_bags_outlives(struct snag_bags *b, uint32_t task);

#endif
