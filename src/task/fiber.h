/* SPDX-License-Identifier: Apache-2.0
 *
 * fiber.h - stacks one can switch between, in a few instructions
 *
 * A fiber is a stack with something suspended on it.  Switching saves the registers a
 * called function must keep, and changes the stack: no system call, no signal mask.
 */
#ifndef SNAG_TASK_FIBER_H
#define SNAG_TASK_FIBER_H

#include <stddef.h>

/* A suspended context: its stack pointer.  Filled by snag_fiber_switch(). */
struct snag_fiber {
	void *sp;
};

/* A stack with a guard page below it.  NULL: no memory. */
struct snag_stack {
	void *base;    /* lowest usable byte */
	size_t nbytes; /* a multiple of the page size */
};

int snag_stack_map(struct snag_stack *ret_stack, size_t nbytes); /* negative: no memory */
void snag_stack_unmap(struct snag_stack *stack);		  /* accepts an empty one */

/* Prepares `fiber` so that the first switch to it calls entry(arg) on `stack`.  The entry
 * must not return: it switches away for good. */
void snag_fiber_prepare(struct snag_fiber *fiber, const struct snag_stack *stack,
			void (*entry)(void *arg), void *arg);

/* Suspends the caller in *from and continues *to. */
void snag_fiber_switch(struct snag_fiber *from, const struct snag_fiber *to);

#endif
