/* SPDX-License-Identifier: Apache-2.0
 *
 * record.h - writing records to the channel
 *
 * Only the thread that has the baton writes; see channel.h for the protocol.  If threads run in
 * parallel, rt.limit is 0, so that rt_record_room() passes each record on to the lane of
 * its thread (lane.h).
 */
#ifndef SNAG_RUNTIME_RECORD_H
#define SNAG_RUNTIME_RECORD_H

#include "runtime/fail.h"
#include "runtime/rt.h"
#include "runtime/channel/run.h"

/* Maps the channel that the environment names, and claims it.  Returns false if there is none. */
bool rt_record_open(void);
/* Waits until there is room for record rt.written; if the recorder is gone, records are overwritten.
 * Returns false if a detector in this process (judge.h), or the lane of the thread, has got the
 * record. */
bool rt_record_room(struct rt_record record);
/* Waits until the tool has analysed all records, if the options end the program at the first report. */
void rt_record_drain(void);
/* Returns whether the recorder still reads. */
bool rt_record_reader_lives(void);
/* Prints once that the recorder was killed, if it was. */
void rt_record_gone(void);
/* Calls f before the next record is put, once; NULL: no longer. */
void rt_record_before(void (*f)(void));
void rt_record_settle_now(void);
static inline void rt_record_settle(void) /* calls f now, if there is one */
{
	if (rt_unlikely(rt.before != NULL))
		rt_record_settle_now();
}
void rt_record_text(enum rt_op op, uint64_t address, const char *text, size_t n);

/* Fetches the next cache line of the ring, which the recorder's processor has read before. */
static inline void rt_put_prepare(const struct rt_record *r)
{
	enum { AHEAD = 16 };
#ifdef __x86_64__
	__asm__ volatile("prefetchw %0" : : "m"(r[AHEAD]));
#else
	__builtin_prefetch(r + AHEAD, 1);
#endif
}

static inline uint64_t rt_what(enum rt_op op, unsigned size, uint64_t address)
{
	return (address & RT_ADDRESS_MASK) | (uint64_t)op << RT_OP_SHIFT |
	       (uint64_t)size << RT_SIZE_SHIFT;
}

/* Writes a record; there is room, and no run is open. */
static inline void rt_put_there(uint64_t what, uint32_t loc, uint32_t arg)
{
	struct rt_record *ring = (struct rt_record *)((char *)rt.channel + RT_CHANNEL_HEADER);
	uint64_t n = rt.written++;
	struct rt_record *r = &ring[n % RT_CHANNEL_RECORDS];
	uint64_t lap = (1 + n / RT_CHANNEL_RECORDS) & 1;
	rt_put_prepare(r);
	r->loc = loc;
	r->arg = arg;
	/* pairs with the acquire of the reader */
	__atomic_store_n(&r->what, what | lap << RT_LAP_SHIFT, __ATOMIC_RELEASE);
}

static inline void rt_put_what(uint64_t what, uint32_t loc, uint32_t arg)
{
	if (rt_unlikely(rt_run.is_open))
		rt_run_end();
	if (rt_unlikely(rt.written == rt.limit) &&
	    !rt_record_room((struct rt_record){what, loc, arg}))
		return;
	rt_put_there(what, loc, arg);
}

static inline void rt_put(enum rt_op op, unsigned size, uint64_t address, uint32_t loc,
			  uint32_t arg)
{
	rt_put_what(rt_what(op, size, address), loc, arg);
}

/* Makes a fresh token: a variable of synchronisation that orders the threads that use it as an atomic
 * variable does. */
static inline uint32_t rt_token(void)
{
	return rt.tokens++;
}

/* Makes the number of a new lock, for an object that was initialised or is used for the first time. */
static inline uint32_t rt_new_lock(void)
{
	return rt.locks++;
}

#endif
