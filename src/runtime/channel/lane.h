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
 *             HEAP ... HEAP + 31  memory that begins and ends, by 64 KB
 *             others              locks, tokens and atomic variables, by address
 *
 * Rules.  [common]  What all threads refer to (places in the code, modules) goes to the channel,
 *                   under a lock, before any thread refers to it.
 *         [begins]  Memory that begins (RT_ALLOC, a stack): its numbers come before the record.
 *         [ends]    Memory that ends (RT_FREE): its numbers come behind the record.
 *         [step]    All other records of synchronisation are one step with their number.
 *         [known]   An access that the thread made before, with no synchronisation of its own
 *                   since, has the same place in happens-before, and is not written.
 *         [count]   Fuel only falls, from 0: every event takes 1, as when threads take turns.
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
/* Frees what t has beside its ring. */
void rt_lane_forget(struct rt_thread *t);
/* Around an atomic operation at the address and its record: they are one step. */
void rt_lane_lock(const volatile void *at);
void rt_lane_unlock(const volatile void *at);
/* A record of the calling thread: rt_put() ends here. */
void rt_lane_put(const struct rt_record *record);

/* Plain accesses of the calling thread, which were counted. */
void rt_lane_access(uintptr_t addr, unsigned size, bool is_write, uintptr_t pc);
void rt_lane_range(uintptr_t addr, size_t n, unsigned element, bool is_write, uintptr_t pc);
/* Whether what the calling thread does counts. */
bool rt_lane_is_seen(void);

#endif
