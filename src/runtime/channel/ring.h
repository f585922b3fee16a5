/* SPDX-License-Identifier: Apache-2.0
 *
 * ring.h - the records of one thread, when threads run in parallel
 *
 * Idea.   Each thread writes to a ring of its own, so it waits for no other thread and shares no
 *         cache line with one.  Only synchronisation is ordered while the program runs: such an
 *         event takes the next number of its *shard*, and a record RT_ORDER in the ring says
 *         which.  The recorder merges the rings by these numbers (record/merge.h).
 *         docs/algorithms/parallel.md proves what the merged order has.
 *
 * Layout. The rings lie behind the channel, in the same shared memory, RT_RINGS of them.  Pages
 *         that no thread has used are not there.  A ring is used again after its thread has
 *         ended and the recorder has read its last record.
 *
 * Rules.  [lap]     Record n lies in slot n mod RT_RING_RECORDS, with a lap bit, as in the
 *                   channel.  A thread that gets a used ring continues where the last thread ended.
 *         [first]   A record RT_RING in the channel says that a thread has a ring.  The runtime
 *                   writes it before the first record of that thread.
 *         [order]   RT_ORDER and the record behind it are one step if its size is 1.  Most steps are
 *                   one record, RT_STEP_*, which says how many events were since the last
 *                   record that has the fuel.
 *         [write]   Between taking a number and writing its record, a thread only
 *                   waits for room in its own ring.
 *         [last]    RT_END is the last record of a thread.
 *         [run]     RT_AGAIN follows from the records right before it.  The recorder lets the last
 *                   RT_RING_BACK records that it has read stay as they are.
 *         [wait]    A thread without room sets `needs` and then `waits`, looks at `taken` once more,
 *                   and sleeps.  The recorder stores `taken` after every RT_TAKEN_EVERY records, then
 *                   looks at `waits`, and wakes the thread.  A full ring has more records than the
 *                   thread needs to be taken, so the recorder comes to such a look.  The recorder
 *                   sleeps in the same way (`sleeps` of the channel) when all rings are empty; a
 *                   thread wakes it after every RT_RING_ROOM records.
 *         The recorder writes `taken` and `is_read`.
 */
#ifndef SNAG_RUNTIME_RING_H
#define SNAG_RUNTIME_RING_H

#include "runtime/channel/channel.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	RT_RINGS = 4096,	   /* threads that live at the same time */
	RT_RING_RECORDS = 1 << 13, /* 128 KB */
	RT_RING_BACK = 2 * RT_RUN_MAX,
	RT_RING_ROOM = RT_RING_RECORDS / 2, /* a thread waits until there is this much room */
	RT_TAKEN_EVERY = 1024,
	RT_SHARDS_LOG = 10,
	RT_SHARDS = 1 << RT_SHARDS_LOG,
};

_Static_assert((int)RT_RING_ROOM + (int)RT_TAKEN_EVERY + (int)RT_RING_BACK < (int)RT_RING_RECORDS,
	       "[wait]");

/* Shards: one for threads that begin and end, some for memory, the others for objects. */
enum {
	RT_SHARD_LIFE,
	RT_SHARD_HEAP,
	RT_HEAPS = 32,
	RT_SHARD_OBJECTS = RT_SHARD_HEAP + RT_HEAPS,
};

static inline uint32_t rt_shard_of(uint64_t object)
{
	return RT_SHARD_OBJECTS +
	       (uint32_t)((object * 0x9e3779b97f4a7c15u) >> 32) % (RT_SHARDS - RT_SHARD_OBJECTS);
}

static inline uint32_t rt_shard_at(uint64_t address) /* the address has 48 bits */
{
	return rt_shard_of(address >> 3);
}

/* The sizes of RT_STEP_*. */
enum rt_step_lock { RT_STEP_LOCK_EVENTS = 0x7f, RT_STEP_GIVES_UP = 0x80 };
enum rt_step_atomic {
	RT_STEP_SIZE = 0x3, /* log2 of the bytes */
	RT_STEP_ORDER_SHIFT = 2,
	RT_STEP_ORDER = 0x7,
	RT_STEP_ATOMIC_SHIFT = 5,
	RT_STEP_ATOMIC_EVENTS = 0x7,
};

struct rt_ring {
	uint64_t taken;	  /* records that may be overwritten */
	uint64_t written; /* records of the threads before, by the last of them */
	uint32_t is_read; /* the recorder has read RT_END: the ring is free */
	uint32_t waits;	  /* [wait] a futex: 1: the thread waits until `taken` is `needs` */
	uint64_t needs;
	char spare[32];
	struct rt_open_run run;
	char spare2[48];
	struct rt_record record[RT_RING_RECORDS];
};

_Static_assert(sizeof(struct rt_ring) == 128 + RT_RING_RECORDS * sizeof(struct rt_record),
	       "a ring has two cache lines in front, one for each side");

/* The size of the shared memory: the channel, and the rings behind it. */
static const size_t rt_channel_bytes =
	RT_CHANNEL_HEADER + (size_t)RT_CHANNEL_RECORDS * sizeof(struct rt_record);
static const size_t rt_rings_bytes = RT_RINGS * sizeof(struct rt_ring);

static inline uint64_t rt_ring_lap(uint64_t n)
{
	return (1 + n / RT_RING_RECORDS) & 1;
}

/* Writes record n, for which there is room. */
static inline void rt_ring_write(struct rt_ring *ring, uint64_t n, uint64_t what, uint32_t loc,
				 uint32_t arg)
{
	struct rt_record *r = &ring->record[n % RT_RING_RECORDS];
	r->loc = loc;
	r->arg = arg;
	/* pairs with the acquire in rt_ring_has */
	__atomic_store_n(&r->what, what | rt_ring_lap(n) << RT_LAP_SHIFT, __ATOMIC_RELEASE);
}

/* Returns whether record n is there. */
static inline bool rt_ring_has(const struct rt_ring *ring, uint64_t n)
{
	const struct rt_record *r = &ring->record[n % RT_RING_RECORDS];
	/* pairs with the release in rt_ring_write */
	uint64_t what = __atomic_load_n(&r->what, __ATOMIC_ACQUIRE);
	return (what >> RT_LAP_SHIFT & 1) == rt_ring_lap(n);
}

#endif
