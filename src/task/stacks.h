/* SPDX-License-Identifier: Apache-2.0
 *
 * stacks.h - a pool of stacks for fibers
 *
 * A program can take millions of stacks.  Only those in use, and a bounded number of others,
 * hold memory.  The stack given back last is taken first, because it is still in the cache.
 */
#ifndef SNAG_TASK_STACKS_H
#define SNAG_TASK_STACKS_H

#include "task/fiber.h"

#include <stdbool.h>
#include <stdint.h>

enum { SNAG_STACK_NONE = UINT32_MAX };

struct snag_stacks {
	size_t nbytes;	      /* the bytes of a stack, without its guard */
	size_t stride;	      /* the distance from one stack to the next */
	uint32_t per_slab;    /* stacks in a slab */
	uint32_t nfresh;      /* stacks [0, nfresh) have been taken at least once */
	uint32_t nguarded;    /* the stacks [0, nguarded) have a guard page */
	bool may_mark;	      /* the system marks guard pages without cutting mappings */
	uint32_t may_protect; /* otherwise only stacks [0, may_protect) may have a guard page */
	uint32_t warm;	      /* stacks that are free and may hold memory */
	uint32_t keep;	      /* about how many free stacks keep their pages */
	uint32_t free;	      /* the newest of the list of free stacks; SNAG_STACK_NONE: empty */
	uint32_t *next;	      /* [stack]: the next in that list */
	struct stack_slab *slab;
	uint32_t oldest, newest; /* of the slabs that are idle and hold memory */
	size_t nslabs, next_cap, slab_cap;
};

void snag_stacks_init(struct snag_stacks *stacks, size_t nbytes);
void snag_stacks_done(struct snag_stacks *stacks); /* see snag_fiber_forget() */

/* Returns a stack's number; SNAG_STACK_NONE: no memory. */
uint32_t snag_stacks_take(struct snag_stacks *stacks);
/* Gives back a stack; not the one that the caller runs on. */
void snag_stacks_give(struct snag_stacks *stacks, uint32_t number);
struct snag_stack snag_stacks_at(const struct snag_stacks *stacks, uint32_t number);

#endif
