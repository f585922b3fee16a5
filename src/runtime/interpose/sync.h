/* SPDX-License-Identifier: Apache-2.0
 *
 * sync.h - records of synchronisation: tokens and addresses that order
 *
 * Rules.  [once]    rt_sync_send() writes a token that one thread will read, rt_sync_receive() is
 *                   that thread.  The reader keeps the token, and its next send uses it again. 
 *                   That orders nothing new: the read comes before the later write in the order of
 *                   the program, and the earlier write before the read.  So a trace needs few such
 *                   variables.
 *         [address] An acquire comes after the releases of the same address before it.
 */
#ifndef SNAG_RUNTIME_SYNC_H
#define SNAG_RUNTIME_SYNC_H

#include "runtime/interpose/object.h"
#include "runtime/channel/record.h"
#include "runtime/access/stack.h"

/* Records synchronisation, unless the thread ignores it at present (annotate.c, [order]). */
static inline void rt_sync_put(enum rt_op op, unsigned size, uint64_t address, uint32_t loc,
			       uint32_t token)
{
	if (rt_likely(!rt_hot.self->ignoring.sync))
		rt_put(op, size, address, loc, token);
}

/* [once] Returns the token. */
static inline uint32_t rt_sync_send(uintptr_t addr, uint32_t loc)
{
	struct rt_wait_state *wait = &rt_hot.self->wait;
	uint32_t token = wait->spare - 1;
	if (wait->spare == 0 || rt_hot.self->ignoring.sync)
		token = rt_token();
	else
		wait->spare = 0;
	rt_sync_put(RT_SYNC_WRITE, 0, addr, loc, token);
	return token;
}

/* [once] */
static inline void rt_sync_receive(uintptr_t addr, uint32_t loc, uint32_t token)
{
	rt_sync_put(RT_SYNC_READ, 0, addr, loc, token);
	if (rt_likely(!rt_hot.self->ignoring.sync))
		rt_hot.self->wait.spare = token + 1;
}

static inline uint32_t rt_sync_token(uintptr_t addr)
{
	struct rt_object *o = rt_object_get(addr, RT_SYNC);
	if (o->token == UINT32_MAX)
		o->token = rt_token();
	return o->token;
}

/* The calling thread, which is in the runtime, releases or acquires the address. */
static inline void rt_sync_release(uintptr_t addr, uintptr_t pc)
{
	rt_sync_put(RT_SYNC_UPDATE, RT_ORDER_RELEASE, addr, rt_location(pc), rt_sync_token(addr));
}

static inline void rt_sync_acquire(uintptr_t addr, uintptr_t pc)
{
	rt_sync_put(RT_SYNC_READ, 0, addr, rt_location(pc), rt_sync_token(addr));
}

#endif
