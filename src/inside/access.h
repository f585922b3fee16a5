/* SPDX-License-Identifier: Apache-2.0
 *
 * access.h - accesses to memory, for the detector inside the program
 *
 * Idea.   What an access makes of a variable depends on what the detector keeps of it alone while
 *         the step is the same.  Most accesses change nothing, and the detector's own cells show
 *         it (inside.h).  What was made of one variable will do for the next that was as that
 *         was; and what has one past is one variable (shadow.h), so that a range costs by what
 *         differs in it, not by its bytes.
 *
 * State.  made[][]  of reads and of writes, by what was kept of a variable before: what is now.
 *                   A cache
 *         late[]    [late] variables of writes that wait: a ring
 *         lasting[] [lasting] ranges that were read, by address: a cache
 * Rules.  [access]  one event for each variable it touches, unless it adds nothing
 *         [made]    no event, if one of this step found the same and no race
 *         [single]  at once, what is inside a line of parts: it seldom becomes part of a range, which
 *                   would begin or end with the line; on a stack also what begins or ends it
 *         [late]    but writes a few writes later: by then the detector's cells have come from memory;
 *                   none waits while what variables stand for may change.  Not of memory that is
 *                   used again and again: these are near
 *         [first]   what has no past needs no look at the past (on stacks: first.c)
 *         [lasting] nor of reads that add nothing whoever does them (inside.h), until told
 *                   otherwise or the memory is new: who feeds this may remember where.
 *                   A range is looked at for that the second, fourth, eighth time it is read
 *         [freed]   the end of a block is a write of what was accessed there
 */
#ifndef SNAG_INSIDE_ACCESS_H
#define SNAG_INSIDE_ACCESS_H

#include "detect/detector.h"
#include "inside/shadow.h"

enum { JUDGE_MADE = 16, JUDGE_LATE = 16, JUDGE_LASTING_LOG = 4 };

struct judge_who { /* did what is kept of a variable */
	uint32_t writer, reader;
};

struct judge_made {
	struct judge_who before, after;
	uint64_t step; /* in which it was made */
};

struct judge {
	const struct snag_detector *detector;
	void *state;
	struct snag_express *express;
	struct shadow shadow;
	uint32_t thread, nevents; /* who runs; so far */
	uint64_t races;
	bool is_over;  /* nothing is looked at any more: [other] of judge.c */
	uint64_t step; /* from 1; another with whatever is not an access */
	struct judge_made made[2][JUDGE_MADE];
	struct judge_late {
		uint32_t first, n;
	} late[JUDGE_LATE];
	uint32_t nlate, oldest; /* as long as it is full */
	bool may_last;		/* reads may be left out for longer than a step */
	struct judge_lasting {
		uint64_t address, nbytes;
		uint64_t ended; /* judge_ended() when it was read first */
		uint32_t times; /* it was read */
		bool lasts;
	} lasting[1 << JUDGE_LASTING_LOG];
};

extern struct judge judge; /* judge.c */

/* Another number when something that lasted may do so no longer. */
static inline uint64_t judge_ended(void)
{
	return judge.express->ended + judge.shadow.nforgotten + judge.races;
}

/* Whether there is somebody who accesses something now; not once all is over, when nobody is told who runs. */
static inline bool judge_step_begin(void)
{
	const struct snag_inside *inside = judge.detector->inside;
	if (!judge.express->who && inside->begin && !judge.is_over)
		inside->begin(judge.state, judge.thread);
	return judge.express->who;
}

void judge_range(uint64_t address, uint64_t nbytes, bool is_write);
/* It will follow soon: what is kept of these bytes comes nearer. */
void judge_expect(uint64_t address, uint64_t nbytes);
/* The same for few bytes. */
void judge_access(uint64_t address, unsigned size, bool is_write);
/* `size` bytes at each of `count` places, `step` apart. */
void judge_places(uint64_t address, uint64_t size, int64_t step, uint64_t count, bool is_write);
void judge_freed(uint64_t address, uint64_t nbytes); /* [freed] */
/* The same, now or later in the step.  True: a read that may be left out, whoever does it. */
bool judge_one(uint64_t address, unsigned size, bool is_write);
/* [lasting] Whether a range that is read may be left out. */
bool judge_range_lasts(uint64_t address, uint64_t nbytes);
void judge_late_flush(void); /* [late] those that wait */

#endif
