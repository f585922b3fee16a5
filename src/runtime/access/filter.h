/* SPDX-License-Identifier: Apache-2.0
 *
 * filter.h - accesses that add nothing: the table of them, which code of the plugin reads
 *
 * Idea.   A second access to the same memory within a step of a thread or task adds nothing
 *         (docs/accesses.md).  A table remembers the accesses of this epoch by address, size and
 *         kind.  An epoch belongs to one thread; it ends with the step and with every
 *         synchronisation.  While one thread runs at a time, one table serves all.  Threads that
 *         run in parallel have a table each (channel/lane.h).  The second word of __snag_hot (rt.h)
 *         points to the table of the running thread.
 *
 * State.  slot[k][i], for accesses of 2^k bytes: a cache.  An access whose slot holds another one
 *         is reported again, which only costs time
 *
 *   63        62      48 47             14 13       4  3     2             0
 *   +---------+---------+-----------------+---------+------+---------------+
 *   | written |  epoch, | address, but for|  epoch, | seen | address, but  |
 *   |         |  high   | bits of the slot|   low   |      | bits of the ..|
 *   +---------+---------+-----------------+---------+------+---------------+
 *
 *         i comes from the address: the bits from k on, plus a multiple of the bits above those of
 *         the slot.  So neighbours stay neighbours, and arrays that lie powers of two apart do not
 *         meet.  i has as many bits as the table, at least 14.  The 14 bits of the slot are 0 in
 *         the entry: slot and entry together give the address.  seen: read or written in this epoch
 *         bytes: of a row, less 8: the bits of i.  For a detector in the process the table is
 *         small: a look into a table that does not fit into a cache costs more than another
 *         call of the detector.  For traces it is large, because a record costs most
 *         key[]: what entries of this epoch have beside the address, of reads and of writes
 *         lasting: likewise, of reads that add nothing in any epoch, until `lasting` changes
 *         epochs: the last that has begun, of the table
 *         stretch: of one epoch in one turn
 *         known_loop[]: accesses of whole loops (loop.c) in this stretch: a cache
 *
 * Rules.  [known]  An access is known if its slot holds its address and key.  For a read, seen is
 *                  enough, and so is lasting.
 *         [event]  Every access is an event, known or not: it takes 1 from the fuel, the first word
 *                  of __snag_hot (rt.h).  Below 0 the check calls the runtime.  Two kinds are no
 *                  events: accesses that a detector in this process skips as a whole, and those
 *                  that continue their site (sites.h).  Such a detector needs no numbers.
 *         Both rules together are about 15 instructions.  In small loops pass/inlined.cpp puts them
 *         before the access; elsewhere pass/checks.cpp calls a function that has them (check.c).
 *         Only an access that is not known calls __snag_new_*, or rt_new_*.
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
	RT_KNOWN_LOOPS_LOG = 11,
};

/* Accesses that a loop made, n of them. */
struct rt_known_loop {
	uint64_t addr;
	int64_t step;
	uint64_t n;
	uint64_t what; /* size, whether it is a write, and the stretch */
};

struct rt_filter {
	uint64_t key[2];
	uint64_t lasting;
	uint64_t is_idle; /* a detector judges, and nothing can race: not even counted */
	uint64_t bytes;
	uint64_t epochs;
	uint64_t stretch;
	uint64_t spare;
	uint64_t slot[RT_FILTER_SIZES][1 << RT_FILTER_MAX_LOG];
	struct rt_known_loop known_loop[1 << RT_KNOWN_LOOPS_LOG];
};

/* The value of `bytes` for a table of 2^log entries. */
#define RT_FILTER_BYTES(log) (((UINT64_C(1) << (log)) - 1) * RT_FILTER_ENTRY)
/* The bits of an address that the slot stands for. */
#define RT_FILTER_BITS(k) (((UINT64_C(1) << RT_FILTER_LOG) - 1) << (k))

#endif
