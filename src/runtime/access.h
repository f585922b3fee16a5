/* SPDX-License-Identifier: Apache-2.0
 *
 * access.h - plain memory accesses: the hot path
 *
 * Idea.   An access that this thread made before in this turn, with no synchronisation
 *         since, adds nothing: no other thread did anything in between.  A table
 *         remembers, for each word of 8 bytes, which of its bytes were read and written
 *         in this epoch; an epoch ends with the turn and with every synchronisation.
 *         Because only one thread runs, one table serves all.
 *
 * State.  filter[h(word)] = (word, epoch; bytes read or written, bytes written)
 *         The table is a cache: what collides is recorded again, which costs space and
 *         nothing else.
 *
 *   key   63                    20 19          0
 *         +-----------------------+-------------+
 *         |  address / 8 (44)     |    epoch    |
 *         +-----------------------+-------------+
 *
 * Rules.  [read]   recorded unless all its bytes were read or written in this epoch
 *         [write]  recorded unless all its bytes were written in this epoch
 * Guarantee.  A variable has a race with the accesses left out iff it has one without;
 *         the location reported is that of the first access.
 * Cost.   About 2 ns an access that is left out.
 */
#ifndef SNAG_RUNTIME_ACCESS_H
#define SNAG_RUNTIME_ACCESS_H

#include "runtime/rt.h"

enum { RT_FILTER_LOG = 15, RT_EPOCH_BITS = 20 };

struct rt_filter {
	uint64_t key;
	uint8_t seen, written;
	uint8_t spare[6];
};

extern struct rt_filter rt_filter[1 << RT_FILTER_LOG];

/* Ends an epoch. */
void rt_epoch_wrapped(void);
static inline void rt_epoch_end(void)
{
	if (rt_unlikely(++rt.epoch == 1u << RT_EPOCH_BITS))
		rt_epoch_wrapped();
}

/* Records an access of any size and place; counts as one event. */
void rt_access_range(uintptr_t addr, size_t n, bool is_write, uintptr_t pc);

#endif
