/* SPDX-License-Identifier: Apache-2.0
 *
 * access.h - accesses to memory, for the detector inside the program
 *
 * Idea.   While the step is the same, the effect of an access on a variable depends only on what
 *         the detector keeps of that variable.  Most accesses change nothing, and the detector's
 *         own cells show it (inside.h).  The effect on one variable is reused for the next
 *         variable with the same past.  Memory with one past is one variable (shadow.h), so the
 *         cost of a range depends on its differences, not on its bytes.
 *
 * State.  made[][]  for reads and writes, by what was kept of a variable before: what is kept
 *                   after. A cache
 *         late[]    [late] variables of writes that wait: a ring
 *         lasting[] [lasting] ranges that were read, by address: a cache
 * Rules.  [access]  one event for each variable it touches, unless it adds nothing
 *         [made]    no event, if one of this step found the same past and no race
 *         [single]  an access inside a line of parts is judged at once: it seldom becomes part
 *                   of a range, which would begin or end with the line; on a stack also one at
 *                   the edge of a line
 *         [late]    but writes are judged a few writes later, when the detector's cells have
 *                   come from memory.  None waits while the mapping of variables may change.
 *                   Not for memory that is used again and again, which is in the cache
 *         [first]   memory without a past needs no comparison (on stacks: first.c)
 *         [lasting] nor do reads that add nothing for any reader (inside.h), until further
 *                   notice or until the memory is reused: the caller may remember where.  A
 *                   range is examined for this the second, fourth, eighth time it is read
 *         [freed]   the end of a block is a write to what was accessed there
 */
#ifndef SNAG_INSIDE_ACCESS_H
#define SNAG_INSIDE_ACCESS_H

#include "detect/detector.h"
#include "shadow/shadow.h"

enum { JUDGE_MADE = 16, JUDGE_LATE = 16, JUDGE_LASTING_LOG = 4 };

struct judge_who { /* a copy of what the detector keeps of a variable: struct snag_past_cell */
	uint32_t writer, reader;
};

struct judge_made {
	struct judge_who before, after;
	uint64_t step; /* the step in which it was made */
};

struct judge {
	const struct snag_detector *detector;
	void *state;
	struct snag_express *express;
	struct shadow shadow;
	uint32_t thread, nevents; /* the running task; how many events the detector got so far */
	uint64_t races;
	bool is_over;  /* the detector judges nothing any more: [other] of judge.c */
	uint64_t step; /* counts from 1; changes with every event that is not an access */
	struct judge_made made[2][JUDGE_MADE];
	struct judge_late {
		uint32_t first, n;
	} late[JUDGE_LATE];
	uint32_t nlate, oldest; /* as long as it is full */
	bool may_last;		/* reads may be left out for longer than a step */
	struct judge_lasting {
		uint64_t address, nbytes;
		uint64_t ended; /* judge_ended() when it was read first */
		uint32_t times; /* how often the memory was read */
		bool lasts;
	} lasting[1 << JUDGE_LASTING_LOG];
};

extern struct judge judge; /* judge.c */

/* Returns a number that changes when something that lasted may no longer do so. */
static inline uint64_t judge_ended(void)
{
	return judge.express->ended + judge.shadow.nforgotten + judge.races;
}

/* Returns whether there is a step that accesses something now.  False when judging is over,
 * because then the running task is unknown. */
static inline bool judge_step_begin(void)
{
	const struct snag_inside *inside = judge.detector->inside;
	if (!judge.express->who && inside->begin && !judge.is_over)
		inside->begin(judge.state, judge.thread);
	return judge.express->who;
}

/* Prefetches the entries of bytes that will be accessed soon. */
void judge_expect(uint64_t address, uint64_t nbytes);
/* Judges an access to a range, to a few bytes, or to `size` bytes at each of `count` places,
 * `step` apart. */
void judge_range(uint64_t address, uint64_t nbytes, bool is_write);
void judge_access(uint64_t address, unsigned size, bool is_write);
void judge_places(uint64_t address, uint64_t size, int64_t step, uint64_t count, bool is_write);
void judge_freed(uint64_t address, uint64_t nbytes); /* [freed] */
/* Judges an access to a few bytes, now or later in the step.  Returns true for a read that the
 * caller may leave out from now on, whichever step does it. */
bool judge_one(uint64_t address, unsigned size, bool is_write);
/* [lasting] Returns whether reads of a range may be left out. */
bool judge_range_lasts(uint64_t address, uint64_t nbytes);
void judge_late_flush(void); /* [late] Judges the accesses that wait. */

#endif
