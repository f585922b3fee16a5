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
 *         The length of the open run is in the channel, so that it survives the process.
 *         rest      accesses that are not examined, because those before were no run
 * Rules.  [begin]   A run begins if each of the last k accesses is as the accesses k and 2 k before
 *                   it say: same place, kind, size and call stack; address and fuel moved by the
 *                   same distance.
 *         [end]     It ends with an access that is not as expected, and with any other record.
 *         [rest]    After many accesses without a run, as many are not examined, and twice as many
 *                   each time.  A run ends that.
 * Guarantee.  The order of events is exact; RT_AGAIN counts exactly those that were left out.
 */
#ifndef SNAG_RUNTIME_RUN_H
#define SNAG_RUNTIME_RUN_H

#include "runtime/rt.h"

struct rt_step {
	uint64_t what; /* as in a record, without the lap */
	uintptr_t pc;
	uint64_t fuel;	 /* of which a record has the lower half */
	uint32_t caller; /* the node of the call stack */
};

struct rt_run_step {
	struct rt_step next;
	uint64_t stride, fuel_step;
};

struct rt_run {
	bool is_open;
	uint32_t period, at; /* of step[], and which comes next */
	uint32_t rest;
	struct rt_run_step step[RT_RUN_MAX];
};

extern struct rt_run rt_run;

/* Whether an access is as the open run expects; then it is counted. */
static inline bool rt_run_takes(struct rt_step access)
{
	struct rt_run_step *s = &rt_run.step[rt_run.at];
	if (s->next.what != access.what || s->next.pc != access.pc ||
	    s->next.caller != access.caller || s->next.fuel != access.fuel)
		return false;
	s->next.what += s->stride;
	s->next.fuel += s->fuel_step;
	rt_run.at = rt_run.at + 1 == rt_run.period ? 0 : rt_run.at + 1;
	rt.channel->run_events++;
	return true;
}

/* Ends the open run; rt_put() calls it. */
void rt_run_end(void);
void rt_run_forget(void); /* in the child of a fork: what was counted is the parent's */
/* That the last two rounds of records go on so, `events` of them (loop.c). */
void rt_run_put(unsigned period, uint32_t events);
/* An access was recorded: a run may begin behind it. */
void rt_run_note(uint64_t what, uintptr_t pc, uint64_t fuel, uint32_t caller);

#endif
