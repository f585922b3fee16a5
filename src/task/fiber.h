/* SPDX-License-Identifier: Apache-2.0
 *
 * fiber.h - stacks that code can switch between, in a few instructions
 *
 * A fiber is a stack with a suspended computation on it.  Switching saves the registers that a
 * called function must preserve and the floating-point modes, and changes the stack: no system
 * call, no signal mask.  Stacks for fibers come from task/stacks.h, or from anywhere else.
 */
#ifndef SNAG_TASK_FIBER_H
#define SNAG_TASK_FIBER_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define SNAG_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SNAG_ASAN 1
#endif
#endif

/* A suspended context: its stack pointer.  Filled by snag_fiber_switch(). */
struct snag_fiber {
	void *sp;
#ifdef SNAG_ASAN /* AddressSanitizer needs the bounds of stacks */
	const void *base;
	size_t nbytes;
	void *fake; /* AddressSanitizer's own shadow of a suspended stack */
#endif
};

struct snag_stack {
	void *base;    /* lowest usable byte; below it lies a guard page */
	size_t nbytes; /* a multiple of the page size */
};

int snag_stack_map(struct snag_stack *ret_stack, size_t nbytes); /* negative: no memory */
void snag_stack_unmap(struct snag_stack *stack);		 /* accepts an empty one */

/* Prepares `fiber` so that the first switch to it calls entry(arg) on `stack`.  The entry must
 * not return: it leaves for good. */
void snag_fiber_prepare(struct snag_fiber *fiber, const struct snag_stack *stack,
			void (*entry)(void *arg), void *arg);

/* Suspends the caller in *from and continues *to. */
void snag_fiber_switch(struct snag_fiber *from, const struct snag_fiber *to);

/* Suspends the caller in *from and calls entry(arg) on `stack`.  If *from was not continued
 * meanwhile, the entry may return, and the caller continues; otherwise the entry leaves for
 * good. This is cheaper than two switches, because the processor predicts where calls return to. */
void snag_fiber_call(struct snag_fiber *from, const struct snag_stack *stack,
		     void (*entry)(void *arg), void *arg);

/* Continues *to; the stack of the caller will not be continued. */
_Noreturn void snag_fiber_leave(const struct snag_fiber *to);

/* Must be called before the stack of a suspended fiber is used for another one, or unmapped. */
void snag_fiber_forget(const struct snag_fiber *fiber);

#endif
