/* SPDX-License-Identifier: Apache-2.0
 *
 * stack.h - locations: a place in the code, with the calls that led there
 *
 * Idea.   Function entry and exit keep a shadow call stack of return addresses.  A
 *         location is a node (parent node, pc), numbered from 1 in order of first use:
 *         the pc of the event, whose parent is the call that led there, and so on.
 *         Frames are interned only when an event needs them, so that a call costs two
 *         stores.  Recursion is folded: a call that is already among its own callers is
 *         the same node again, so a deep recursion has few nodes.
 *         For a call from the libraries of OpenMP and of tasks, the location is the place in the
 *         program that called the library.  A detector in this process needs no locations: then
 *         calls are not followed.
 */
#ifndef SNAG_RUNTIME_STACK_H
#define SNAG_RUNTIME_STACK_H

#include "runtime/rt.h"

enum { RT_FRAMES = 1 << 15 }; /* stacks do not show deeper calls */

/* The node of the call that the running thread is in; 0: none. */
uint32_t rt_caller_find(void);
/* Called in the child of a fork: a new recorder does not know the nodes. */
void rt_stack_forget(struct rt_thread *self);
static inline bool rt_caller_is_known(uint32_t *ret_node)
{
	const struct rt_frame *top = rt_hot.top;
	return rt_likely(top > rt_hot.self->frames) && (*ret_node = top[-1].node) != 0;
}

static inline uint32_t rt_caller(void)
{
	uint32_t node;
	return rt_likely(rt_caller_is_known(&node)) ? node : rt_caller_find();
}

/* A function was entered, by a call that returns to pc; and left. */
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

extern const void *rt_tasks_place; /* the place where the program called <snag/task.h> last */

/* The latest locations of events: a cache. */
struct rt_place {
	uintptr_t pc;
	uint32_t caller;
	uint32_t node;
};
enum { RT_PLACES = 1 << 15, RT_PLACES_STEP = 20251 /* odd, and about 0.62 of them */ };
extern struct rt_place rt_places[RT_PLACES]; /* for threads that take turns: rt_hot.places */

static inline struct rt_place *rt_place_slot(uintptr_t pc, uint32_t caller)
{
	/* Two events are 8 bytes of code apart, or nearly.  Callers with neighbouring numbers reach
	 * the same code. */
	return &rt_hot.places[(pc / 8 + caller * RT_PLACES_STEP) % RT_PLACES];
}

/* The node of `pc` in the running thread. */
uint32_t rt_location_find(uintptr_t pc);
static inline bool rt_location_is_known(uintptr_t pc, uint32_t caller, uint32_t *ret_node)
{
	const struct rt_place *p = rt_place_slot(pc, caller);
	*ret_node = p->node;
	return p->pc == pc && p->caller == caller;
}

static inline uint32_t rt_location(uintptr_t pc)
{
	uint32_t node;
	return rt_likely(rt_location_is_known(pc, rt_caller(), &node)) ? node
								       : rt_location_find(pc);
}

/* The same, and 0 at once if the listener needs no places. */
static inline uint32_t rt_event_location(uintptr_t pc)
{
	return rt.listener.needs_places ? rt_location(pc) : 0;
}

#endif
