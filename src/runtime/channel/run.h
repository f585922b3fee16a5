/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h - accesses of a loop that the recorder can derive from earlier ones
 *
 * Idea.   A loop makes the same k accesses each time round, each a fixed distance from where it was
 *         the time before.  After three such rounds the next accesses are known.  As long as they
 *         are as expected, the runtime counts them and records nothing.  One record, RT_AGAIN, then
 *         says how many there were.
 *
 *             a[i] = b[2 * i]     r b+0   w a+0      recorded
 *                                 r b+16  w a+8      recorded
 *                                 r b+32  w a+16     recorded; k = 2
 *                                 r b+48  w a+24 ... counted
 *
 * State.  seen[]    the last accesses recorded since the last run ended
 *         last[]    for each place in the code, roughly: when it was executed last
 *         step[]    of the open run: what each of its k accesses will be next
 *         open      the RT_AGAIN of the open run, in shared memory, so that it survives the process
 *         Threads that take turns share one such state; threads that run in parallel have one each.
 *         rest      accesses that are not examined, because earlier ones were no run
 * Rules.  [begin]   A run begins if each of the last k accesses is as the accesses k and 2 k before
 *                   it say: same place, kind, size and call stack; address and fuel moved by the
 *                   same distance.
 *         [end]     It ends with an access that is not as expected, and with any other record.
 *         [lane]    Of a thread that runs in parallel, the accesses from which a run follows lie
 *                   side by side in its ring: any other record lets the search begin again.
 *         [rest]    After many accesses without a run, as many are not examined, and twice as many
 *                   each time.  A run ends that.
 * Guarantee.  The order of events is exact; RT_AGAIN counts exactly the accesses that were left out.
 */
#ifndef SNAG_RUNTIME_RUN_H
#define SNAG_RUNTIME_RUN_H

#include "runtime/rt.h"

struct rt_step {
	uint64_t what; /* as in a record, without the lap bit */
	uintptr_t pc;
	uint64_t fuel;	 /* a record has the lower half of it */
	uint32_t caller; /* the node of the call stack */
};

struct rt_run_step {
	struct rt_step next;
	uint64_t stride, fuel_step;
};

enum { RT_RUN_SEEN = 2 * RT_RUN_MAX, RT_RUN_PLACES = 64 };

struct rt_run {
	bool is_open;
	uint32_t period, at; /* how many steps step[] has, and which one comes next */
	uint32_t rest;
	struct rt_open_run *open;
	struct rt_run_step step[RT_RUN_MAX];

	/* For finding a run: */
	struct rt_step seen[RT_RUN_SEEN];
	uint64_t last[RT_RUN_PLACES];
	uint64_t n, first;	   /* accesses, and the first behind the last run */
	uint64_t distance;	   /* between accesses that are alike ... */
	uint64_t matched;	   /* ... and how many in a row were so far apart */
	uint32_t vain, rest_after; /* accesses since the last run or rest; the next rest */
};

extern struct rt_run rt_run RT_HIDDEN; /* for threads that take turns */

/* Begins to look for runs; `open` is in shared memory. */
void rt_run_init(struct rt_run *run, struct rt_open_run *open);

/* If the access continues the open run, counts it and returns true. */
static inline bool rt_run_takes(struct rt_run *run, struct rt_step access)
{
	struct rt_run_step *s = &run->step[run->at];
	if (s->next.what != access.what || s->next.pc != access.pc ||
	    s->next.caller != access.caller || s->next.fuel != access.fuel)
		return false;
	s->next.what += s->stride;
	s->next.fuel += s->fuel_step;
	run->at = run->at + 1 == run->period ? 0 : run->at + 1;
	run->open->events++;
	return true;
}

/* Makes sure that no run follows from earlier accesses. */
static inline void rt_run_forget(struct rt_run *run)
{
	run->first = run->n;
	run->matched = 0;
}

/* Ends the open run of threads that take turns; rt_put() calls it. */
void rt_run_end(void);
/* An access was recorded, by record number `written` - 1: a run may begin behind it. */
void rt_run_look(struct rt_run *run, uint64_t what, uintptr_t pc, uint64_t fuel, uint32_t caller,
		 uint64_t written);
static inline void rt_run_note(struct rt_run *run, uint64_t what, uintptr_t pc, uint64_t fuel,
			       uint32_t caller, uint64_t written)
{
	if (run->rest)
		run->rest--;
	else
		rt_run_look(run, what, pc, fuel, caller, written);
}

#endif
