/* SPDX-License-Identifier: Apache-2.0
 *
 * stack.h - where in the code, and how it got there
 *
 * Idea.   Function entry and exit keep a shadow call stack of return addresses.  A
 *         location is a node (parent node, pc), numbered from 1 in order of first use:
 *         the pc of the event, whose parent is the call that led there, and so on.
 *         Frames are interned only when an event needs them, so that a call costs two
 *         stores.  Recursion is folded: a call that is already among its own callers is
 *         the same node again, so that there are few nodes however deep it goes.
 */
#ifndef SNAG_RUNTIME_STACK_H
#define SNAG_RUNTIME_STACK_H

#include "runtime/rt.h"

enum { RT_FRAMES = 1 << 15 }; /* what is deeper is not shown in stacks */

/* The node of `pc` in the running thread. */
uint32_t rt_location(uintptr_t pc);

#endif
