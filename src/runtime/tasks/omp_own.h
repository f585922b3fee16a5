/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_own.h - private memory of OpenMP threads: the model (own/own.h) in the runtime
 *
 * The OpenMP library reports facts through its hooks (omp_own.c); accesses and
 * allocations of the program are facts, too.  Each fact that changes an answer
 * ends the epoch of the filter (access.h), which remembers answers.
 */
#ifndef SNAG_RUNTIME_OMP_OWN_H
#define SNAG_RUNTIME_OMP_OWN_H

#include "omp/hooks.h"
#include "runtime/tasks/omp_done.h"
#include "runtime/rt.h"

void rt_own_begin(void); /* the program uses OpenMP */

/* Reports the obstacle PRIVATE_MEMORY: the run proves nothing about memory of this kind. */
RT_COLD void rt_own_doubt(void);

/* Returns whether to leave out an access of the running context. */
static inline bool rt_is_own(uintptr_t addr)
{
	enum own_answer answer = own_of(&rt_own, &rt_hot.self->omp.own, addr);
	if (rt_unlikely(answer == OWN_DOUBT))
		rt_own_doubt();
	return answer != OWN_TELL;
}

/* Call this if the running context makes an access that is not left out. */
static inline void rt_own_accessed(uintptr_t addr, bool is_write)
{
	struct rt_thread *self = rt_hot.self;
	if (rt_unlikely(own_in_hull(&rt_own.lent, addr)))
		own_touch(&rt_own, &self->omp.own, addr);
	if (rt_unlikely(self->omp.done.is_noted) && !self->section.depth)
		rt_done_note(addr, is_write);
	if (addr < self->omp.low_water && addr >= self->omp.stack_low)
		self->omp.low_water = addr;
}

/* Call this if that access is a store of n bytes, or of a word. */
static inline void rt_own_stored(uintptr_t addr, size_t n)
{
	struct own_context *c = &rt_hot.self->omp.own;
	if (own_store_counts(&rt_own, c))
		own_stores_add(&rt_own, c, addr, n);
}

static inline void rt_own_stored_word(uintptr_t addr)
{
	struct own_context *c = &rt_hot.self->omp.own;
	if (own_store_counts(&rt_own, c))
		own_stores_add_word(&rt_own, c, addr);
}

void rt_own_stored_now(uintptr_t at); /* an atomic store of a word that has happened */

/* The program allocates or frees a block. */
void rt_own_alloc(uintptr_t at, size_t nbytes);
static inline void rt_own_free(uintptr_t at)
{
	if (rt_own.nranges)
		own_free(&rt_own, &rt_hot.self->omp.own, at);
}

/* The running context begins a segment, or ends it.  The latter returns whether the context lent
 * its memory in the segment.  Then the next segment uses the memory again, and accesses of the two
 * must not conflict: the function makes the blocks new memory, and the caller the stack. */
void rt_own_segment(struct rt_thread *self, bool has_loans);
bool rt_own_segment_over(struct rt_thread *self);

/* The hooks of these names: see struct snag_omp_hooks. */
void rt_omp_phase(const struct snag_omp_implicit *who);
bool rt_omp_lends(const void *at, size_t nbytes);
void rt_omp_copy(const void *at, size_t nbytes, enum snag_omp_copy what);

#endif
