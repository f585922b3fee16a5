/* SPDX-License-Identifier: Apache-2.0
 *
 * sync.h - addresses as synchronisation: every release of an address happens before later acquires
 * of it
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
