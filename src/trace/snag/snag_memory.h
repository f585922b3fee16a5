/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_memory.h - the last two locations of each (operation, target), for the .snag codec
 *
 * A slot holds the last location in its low half, and in its high half the last one that
 * differed from it; both are 0 at first.  The table has no tags: a collision overwrites a slot,
 * which costs space in the file and nothing else.  Targets are dense and not hashed: neighbours
 * share cache lines, and reads and writes do not collide while there are at most SLOTS / 2
 * variables.
 */
#ifndef SNAG_TRACE_SNAG_MEMORY_H
#define SNAG_TRACE_SNAG_MEMORY_H

#include "trace/event.h"

#include <stddef.h>

enum { SNAG_MEMORY_SLOTS = 1 << 19 };

/* The slot of an operation and a target is that of the operation and target 0,
 * plus twice the target: two operations, such as read and write, interleave. */
static inline uint32_t snag_memory_base(uint32_t op)
{
	return (op >> 1) * 74053 + (op & 1);
}

static inline uint32_t snag_memory_slot(uint32_t base, uint32_t target)
{
	return (base + 2 * target) & (SNAG_MEMORY_SLOTS - 1);
}

static inline void snag_memory_learn(uint64_t *memory, const struct snag_event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t *slot =
			&memory[snag_memory_slot(snag_memory_base(ev[i].op), ev[i].target)];
		if ((uint32_t)*slot != ev[i].loc)
			*slot = *slot << 32 | ev[i].loc;
	}
}

#endif
