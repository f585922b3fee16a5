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
 * Rules.  [common]  What all threads refer to (places in the code, modules) goes to the channel,
 *                   under a lock, before any thread refers to it.
 *         [begins]  Memory that begins (RT_ALLOC, a stack): its numbers come before the record.
 *         [ends]    Memory that ends (RT_FREE): its numbers come behind the record.
 *         [step]    All other records of synchronisation are one step with their number.
 *         [own]     Each lane has a filter (access/filter.h), a search for runs (run.h) and a cache
 *                   of places (access/stack.h) of its own: the same as threads have in common
 *                   when they take turns.
 *         [count]   Every event takes 1 of the fuel, as when threads take turns; it is never used
 *                   up.  What has no fuel is no thread, or not yet.
 */
#ifndef SNAG_RUNTIME_LANE_H
#define SNAG_RUNTIME_LANE_H

#include "runtime/rt.h"

/* Maps the rings; false: there is no memory.  Call it while the channel has its descriptor. */
bool rt_lanes_map(int fd);
/* From here on rt_put() writes to lanes.  The calling thread is the only one. */
/* In the child of a fork: its thread has a private ring that no tool reads; false: no memory. */
bool rt_lanes_forked(struct rt_thread *self);
void rt_lanes_begin(struct rt_thread *main);
/* Gives t a ring; false: too many threads live. */
bool rt_lane_take(struct rt_thread *t);
/* The calling thread has begun: what its creator did before comes before it. */
void rt_lane_begins(void);
/* The last records of t, which the calling thread is, or which is a fiber that never runs again. */
void rt_lane_end(struct rt_thread *t);
/* Around an atomic operation at the address and its record: they are one step. */
void rt_lane_lock(const volatile void *at);
void rt_lane_unlock(const volatile void *at);
/* The calling thread has taken the lock at the address, or is about to give it: one that has no
 * number; gives_up: it did not wait without end. */
void rt_lane_mutex(bool is_taken, bool gives_up, uintptr_t at, uint32_t loc);
/* A record of the calling thread: rt_put() ends here. */
void rt_lane_put(const struct rt_record *record);

/* Plain accesses of the calling thread, which were counted: of 2^k bytes, not in the filter. */
void rt_lane_access(uintptr_t addr, uintptr_t pc, unsigned k, bool is_write);
void rt_lane_range(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc);
/* A record of an access, or RT_AGAIN, as it is (loop.c). */
void rt_lane_plain(uint64_t what, uint32_t loc, uint32_t arg);
/* Whether what the calling thread does counts. */
bool rt_lane_is_seen(void);

#endif
