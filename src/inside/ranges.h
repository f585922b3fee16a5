/* SPDX-License-Identifier: Apache-2.0
 *
 * ranges.h - merges accesses before they are judged
 *
 * Idea.   The order of the accesses of a step makes no difference to a detector of tasks.  So
 *         accesses wait until the step ends, and one that begins where another ends is merged
 *         with it: elements become a row, rows a block, and the columns of a matrix, one after
 *         the other, rows.
 *
 * State.  stream[]   single accesses: an interval for each page, roughly, and kind
 *         waiting[]  a few ranges: `size` bytes at each of `count` places, `step` apart
 * Rules.  [join]   same places, and bytes that follow, precede, or are among those
 *         [two]    an access that does not extend its stream may extend the neighbouring stream,
 *                  which mostly belongs to another page; otherwise it replaces its stream
 *         [flush]  when there is no room, and before any event that is not an access; streams
 *                  first, because they may be part of a range
 *         [lasts]  a range that need not be judged at all (access.h) waits too, for accesses
 *                  that are part of it
 * Cost.   A few comparisons per access or range.
 */
#ifndef SNAG_INSIDE_RANGES_H
#define SNAG_INSIDE_RANGES_H

#include <stdbool.h>
#include <stdint.h>

void judge_ranges_add(uint64_t address, uint64_t size, int64_t step, uint64_t count, bool is_write);
void judge_ranges_flush(void);

enum { JUDGE_STREAMS_LOG = 4, JUDGE_STREAMS = 1 << JUDGE_STREAMS_LOG };

struct judge_stream {
	uint64_t low, high; /* as long as it has bytes */
};

struct judge_streams {
	struct judge_stream stream[2 * JUDGE_STREAMS]; /* reads, then writes */
	uint32_t used;				       /* bit i: stream[i] has bytes */
	uint32_t nranges;			       /* ranges that also wait */
};

extern struct judge_streams judge_streams;

/* [two] Handles an access that does not extend its stream. */
void judge_stream_begin(unsigned number, uint64_t address, unsigned size);

static inline unsigned judge_stream_of(uint64_t address, bool is_write)
{
	return (unsigned)((address >> 12) * UINT64_C(0x9e3779b97f4a7c15) >>
			  (64 - JUDGE_STREAMS_LOG)) +
	       is_write * JUDGE_STREAMS;
}

/* Merges an access of up to 8 bytes; returns false if it extends no stream. */
static inline bool judge_stream_join(unsigned number, uint64_t address, unsigned size)
{
	struct judge_stream *s = &judge_streams.stream[number];
	if (address == s->high) /* [join] */
		s->high += size;
	else if (address + size == s->low)
		s->low = address;
	else
		return address >= s->low && address + size <= s->high;
	return true;
}

#endif
