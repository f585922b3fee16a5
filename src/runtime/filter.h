/* SPDX-License-Identifier: Apache-2.0
 *
 * filter.h - accesses that add nothing: the table of them, which code of the pass looks into
 *
 * Idea.   Within a step of a thread or task, saying twice that a cell is accessed adds nothing (access.h
 *         says for a trace why, inside.h for a detector in the process).  A table remembers which
 *         accesses, by address, size and kind, were made in this epoch; an epoch is one thread's, and
 *         ends with the step, and with every synchronisation.  Because only one thread runs, one
 *         table serves all.
 *
 * State.  slot[k][i], for accesses of 2^k bytes, a cache: what collides is told again,
 *         which costs space and nothing else
 *
 *   63        62      48 47             14 13       4  3     2             0
 *   +---------+---------+-----------------+---------+------+---------------+
 *   | written |  epoch, | address, but for|  epoch, | seen | address, but  |
 *   |         |  high   | bits of the slot|   low   |      | bits of the ..|
 *   +---------+---------+-----------------+---------+------+---------------+
 *
 *         i is the address, from bit k on, moved on by its bits above those of the slot, so that
 *         neighbours stay neighbours and arrays that lie powers of two apart do not meet; of
 *         that as many bits as the table has, at least 14.  The 14 bits of the slot are 0 in the
 *         entry: slot and entry give the address.  seen: read or written in this epoch.
 *         bytes: of a row, less 8: the bits of i.  A detector in the process is asked again for
 *         less than a look into a table costs that does not fit into a cache; traces want
 *         as few records as can be
 *         key[]: what entries of this epoch have beside the address, of reads and of writes
 *         lasting: likewise, of reads that add nothing in any epoch, as long as it stays
 *
 * Rules.  [known]  an access is, if its slot holds its address and key: of a read, seen is enough,
 *                  and lasting will do
 *         [event]  every access counts as an event, known or not: takes 1 from the fuel, the
 *                  first word of __snag_hot (rt.h); below 0 the runtime has to be asked.
 *                  Not those that a detector in this process does not look at, or that go on
 *                  at their site (sites.h): it needs no numbers
 *         Both together are about 15 instructions.  In small loops pass/inlined.cpp
 *         puts them before the access, elsewhere pass/checks.cpp calls a function that
 *         has them (check.c); only what is not known calls __snag_new_*, or rt_new_*.
 */
#ifndef SNAG_RUNTIME_FILTER_H
#define SNAG_RUNTIME_FILTER_H

#include <stdint.h>

enum {
	RT_FILTER_LOG = 14,
	RT_FILTER_SMALL_LOG = 15, /* 256 KB a size, for a detector in the process */
	RT_FILTER_MAX_LOG = 21,	  /* 16 MB; pages of it that are not needed are not there */
	RT_FILTER_STEP = 0x9b7,	  /* odd, and about 0.15 of 2^14 */
	RT_FILTER_SIZES = 4,	  /* 1, 2, 4 and 8 bytes */
	RT_FILTER_ENTRY = 8,	  /* bytes */
};

struct rt_filter {
	uint64_t key[2];
	uint64_t lasting;
	uint64_t is_idle; /* a detector judges, and nothing can race: not even counted */
	uint64_t bytes;
	uint64_t spare[3];
	uint64_t slot[RT_FILTER_SIZES][1 << RT_FILTER_MAX_LOG];
};

/* What `bytes` is for a table of 2^log entries. */
#define RT_FILTER_BYTES(log) (((UINT64_C(1) << (log)) - 1) * RT_FILTER_ENTRY)
/* The bits of an address that the slot stands for. */
#define RT_FILTER_BITS(k) (((UINT64_C(1) << RT_FILTER_LOG) - 1) << (k))

#endif
