/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.h - a thread writes to its own ring: threads that run in parallel
 *
 * Idea.   ring.h has the layout.  A lane is a thread's end of its ring.  An access is written
 *         there and nowhere else.  A record of synchronisation takes the next number of its shard
 *         first; an atomic operation and its number are one step, under the lock of the shard.
 *
 * State.  shard[]  the next number of each, and a lock for atomic operations.  Many objects share
 *                  a shard: that orders more than the program does, but only in the list of
 *                  records, not in happens-before.
 *
 *             LIFE                threads that begin and end, forks and joins
 *             32 of the heap      memory that begins and ends, by 64 KB
 *             others              locks, tokens and atomic variables, by address
 *
 * Rules.  [common]  Records that all threads refer to (places in the code, modules) go to the channel,
 *                   under a lock, before any thread refers to it.
 *         [begins]  Memory that begins (RT_ALLOC, a stack): its numbers come before the record.
 *         [ends]    Memory that ends (RT_FREE): its numbers come behind the record.
 *         [step]    All other records of synchronisation are one step with their number.
 *         [own]     Each lane has a filter (access/filter.h), a search for runs (run.h) and a cache
 *                   of places (access/stack.h) of its own: threads that take turns
 *                   share one of each.
 *         [count]   Every event takes 1 of the fuel, as when threads take turns; it is never used
 *                   up.  Without fuel, the caller is no thread of the program, or not yet.
 */
#ifndef SNAG_RUNTIME_LANE_H
#define SNAG_RUNTIME_LANE_H

#include "runtime/rt.h"

/* Maps the rings.  Returns false if there is no memory.  Call it while the channel has its
 * descriptor. */
bool rt_lanes_map(int fd);
/* From here on rt_put() writes to lanes.  The calling thread is the only one. */
void rt_lanes_begin(struct rt_thread *main);
/* In the child of a fork: gives its thread a private ring that no tool reads.  Returns false if there
 * is no memory. */
bool rt_lanes_forked(struct rt_thread *self);
/* Gives t a ring.  Returns false if too many threads live. */
bool rt_lane_take(struct rt_thread *t);
/* The calling thread has begun, after all earlier events of its creator. */
void rt_lane_begins(void);
/* Writes the last records of t: the calling thread, or a fiber that never runs again. */
void rt_lane_end(struct rt_thread *t);
/* Call these before and after an atomic operation at the address and its record, which are one step. */
void rt_lane_lock(const volatile void *at);
void rt_lane_unlock(const volatile void *at);
/* The calling thread has acquired the lock at the address, or is about to release it; the lock has no
 * number.  gives_up: the wait had a deadline. */
void rt_lane_mutex(bool is_taken, bool gives_up, uintptr_t at, uint32_t loc);
/* Writes a record of the calling thread, for rt_put(). */
void rt_lane_put(const struct rt_record *record);

/* Plain accesses of the calling thread, which were counted: of 2^k bytes, not in the filter. */
void rt_lane_access(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write);
void rt_lane_range(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc);
/* A record of an access, or RT_AGAIN, as it is (loop.c). */
void rt_lane_plain(uint64_t what, uint32_t loc, uint32_t arg);
/* Returns whether events of the calling thread are recorded. */
static inline bool rt_lane_is_seen(void)
{
	const struct rt_thread *self = rt_self();
	return self && !self->is_open && !self->ignoring.accesses && !rt.is_alone;
}

#endif
