/* SPDX-License-Identifier: Apache-2.0
 *
 * misuse.h - mistakes that show in one call of the C library: trace/misuses.def
 *
 * Call these with the baton, and before the records of the call itself.
 */
#ifndef SNAG_RUNTIME_MISUSE_H
#define SNAG_RUNTIME_MISUSE_H

#include "runtime/interpose/object.h"

/* Reports a mistake of the running thread in a call that returns to pc. */
void rt_misuse(enum rt_misuse what, uint64_t object, uintptr_t pc);
/* Reports it with the place where the object was locked. */
void rt_misuse_of_lock(enum rt_misuse what, const struct rt_object *o, uintptr_t pc);
/* Reports it with the location of an earlier event of the running thread. */
void rt_misuse_behind(enum rt_misuse what, uint64_t object, uintptr_t pc, uint32_t before);
/* Reports that a thread, which was created at that node, was never joined. */
void rt_misuse_leak(const struct rt_thread *t);
/* Reports that a thread ends while it holds a lock. */
void rt_misuse_kept(const struct rt_thread *t, const struct rt_object *o);
/* Reports that a thread waits, and no thread can run. */
void rt_misuse_stuck(const struct rt_thread *t);
/* Reports that a thread ends while its accesses are ignored. */
void rt_misuse_ignores(const struct rt_thread *t);
/* Reports, in the handler of a signal, a call that handlers may not make. */
void rt_misuse_in_handler(struct rt_thread *self, uintptr_t pc);

/* A thread uses a lock.  Its first use since the lock was initialised reads the lock: so a use that
 * nothing orders after the initialisation is a race. */
void rt_lock_used(struct rt_thread *self, struct rt_object *o, uintptr_t pc);
/* Both report the use of a lock that a thread takes.  Call the first before the record of the
 * acquire, and the second after it; one of them does nothing.  If threads take turns, the use
 * follows the acquire: both belong to one event, so a schedule in which the use came first would
 * run the acquire too early.  If threads run in parallel, the use comes first and belongs to the
 * event before. */
static inline void rt_lock_used_before(struct rt_thread *self, struct rt_object *o, uintptr_t pc)
{
	if (rt.is_free)
		rt_lock_used(self, o, pc);
}
static inline void rt_lock_used_behind(struct rt_thread *self, struct rt_object *o, uintptr_t pc)
{
	if (!rt.is_free)
		rt_lock_used(self, o, pc);
}
/* The calling thread initialises or destroys the lock, which writes it. */
void rt_lock_written(uintptr_t addr, uintptr_t pc);

#endif
