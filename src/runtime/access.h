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
 * State.  filter[word], a cache: what collides is recorded again, which costs space and
 *         nothing else
 *
 *   63 62             37 36           16 15      8 7        0
 *   +-------------------+---------------+---------+---------+
 *   | high bits of word |     epoch     |  seen   | written |
 *   +-------------------+---------------+---------+---------+
 *
 *         word = address / 8, of which the low bits, moved on by the higher ones, are the
 *         place in the table: neighbours stay neighbours, and arrays that lie powers of two
 *         apart do not meet; seen: its bytes read or written in this epoch.
 *
 * Rules.  [alone]  nothing is recorded while main is alone, every other thread joined: fork
 *                  and join order that with everything else, in every run
 *         [read]   recorded unless all its bytes were read or written in this epoch
 *         [write]  recorded unless all its bytes were written in this epoch
 * Guarantee.  A variable has a happens-before race with the accesses left out iff it has
 *         one without; the location reported is that of the first access.  Prediction can
 *         lose one: in `w(x) w(y) w(x)` another thread that reads this y comes behind the
 *         first write of x in every reordering, but not behind the second.
 * Cost.   About 2 ns an access that is left out.
 */
#ifndef SNAG_RUNTIME_ACCESS_H
#define SNAG_RUNTIME_ACCESS_H

#include "runtime/rt.h"

enum {
	RT_FILTER_LOG = 19,	  /* 4 MB; pages of it that are not needed are not there */
	RT_FILTER_STEP = 0x13c6f, /* odd, and about 0.15 of the table */
	RT_EPOCH_BITS = 21,
	RT_EPOCH_SHIFT = 16,
	RT_SEEN_SHIFT = 8,
};

extern uint64_t rt_filter[1 << RT_FILTER_LOG];

/* Ends an epoch. */
void rt_epoch_wrapped(void);
static inline void rt_epoch_end(void)
{
	if (rt_unlikely(++rt.epoch == 1u << RT_EPOCH_BITS))
		rt_epoch_wrapped();
}

/* Records an access of any size and place; counts as one event. */
void rt_access_range(uintptr_t addr, size_t n, bool is_write, uintptr_t pc);
/* For an event with several accesses: counts it, which may end the turn; false: nothing of it is
 * recorded / records one of them. */
bool rt_access_count(void);
void rt_access_more(uintptr_t addr, size_t n, bool is_write, uintptr_t pc);

#endif
