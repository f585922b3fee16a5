/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_sent.h - values that gcc copies back by itself
 *
 * Idea.   gcc passes what a construct shares in a block on the stack of the thread that meets the
 *         construct.  An argument that a procedure gets by reference, as all of Fortran do, is in
 *         there as an address.  Behind the construct gcc copies the address back to where it got
 *         it from.  Inside another construct this is the block of that one, which all its threads
 *         read.  The program does not ask for this write, and it changes nothing.
 * Rule.   After the construct, a context reads in the block, and writes as often.  A write of an
 *         address that it has read there, to a place that has it already, is no access.  The first
 *         other access that the filter does not know ends this.
 */
#ifndef SNAG_RUNTIME_OMP_SENT_H
#define SNAG_RUNTIME_OMP_SENT_H

#include "runtime/rt.h"

/* The hook of this name: see struct snag_omp_hooks. */
void rt_omp_sent(const void *at);

RT_COLD bool rt_sent_look(uintptr_t addr, unsigned k, bool is_write);

/* The running context is about to make an access of 2^k bytes. Returns whether it is a write that
 * copies back. */
static inline bool rt_sent_is_back(uintptr_t addr, unsigned k, bool is_write)
{
	return rt_unlikely(rt_hot.self->omp.sent.at) && rt_sent_look(addr, k, is_write);
}

#endif
