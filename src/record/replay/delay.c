/* SPDX-License-Identifier: Apache-2.0
 *
 * delay.c - the same run, with one access held back until another thread reaches its own
 *
 * Idea.   The trace does not show what the program does if reads see other values, but that can
 *         be tried.  Everything stays as it was, except that the thread of the first access
 *         stops before it, and so does every thread that then waits for a stopped one.
 *
 * State.  stands[t]   the event from which on thread t is stopped
 *         lock[l]     how many stopped threads hold it alone, and shared
 *         missing[v]  a write to v was left out
 *
 * Rules.  Events of a stopped thread are left out.  A fork among them leaves its thread stopped,
 *         and a write leaves something missing.  A thread stops
 *         [acquire]  at a lock that a stopped thread holds, not both shared
 *         [join]     at the join of a stopped thread
 *         [wait]     at a read or update of an object that threads wait for (trace/event.h,
 *                    snag_event_is_wait), of which something is missing
 *
 * Guarantee.  Locks, forks, joins and waits are as a run may have them.  The run that follows
 *             this schedule decides what reads see.
 * Cost.   O(second) time for each thread that stops, and 4 bytes per event from the first access
 *         on.
 * Reference.  Holding accesses back to see them race: Sen, PLDI 2008.
 */
#include "record/replay/delay.h"

#include "base/memory.h"

#include <stdlib.h>

struct hold { /* of a lock, by threads that stand still, or by one thread */
	uint32_t alone, shared;
};

struct delay {
	const struct snag_trace *trace;
	bool *stands;
	bool *missing;
	struct hold *lock;
};

static bool is_lock_event(const struct snag_event *ev)
{
	return (SNAG_OPS_OF_LOCKS >> ev->op & 1) && !(ev->flags & SNAG_NESTED);
}

/* Stops the thread before event `at`, with the locks it holds there. */
static void thread_stop(struct delay *d, snag_tid thread, uint32_t at)
{
	d->stands[thread] = true;
	for (uint32_t e = 0; e < at; e++) {
		const struct snag_event *ev = &d->trace->ev[e];
		if (ev->thread != thread || !is_lock_event(ev))
			continue;
		struct hold *l = &d->lock[ev->target];
		l->alone += ev->op == SNAG_OP_ACQUIRE;
		l->alone -= ev->op == SNAG_OP_RELEASE;
		l->shared += ev->op == SNAG_OP_ACQUIRE_SHARED;
		l->shared -= ev->op == SNAG_OP_RELEASE_SHARED;
	}
}

static bool must_wait(const struct delay *d, const struct snag_event *ev)
{
	if (is_lock_event(ev) && ev->op == SNAG_OP_ACQUIRE) /* [acquire] */
		return d->lock[ev->target].alone || d->lock[ev->target].shared;
	if (is_lock_event(ev) && ev->op == SNAG_OP_ACQUIRE_SHARED)
		return d->lock[ev->target].alone;
	if (ev->op == SNAG_OP_JOIN) /* [join] */
		return d->stands[ev->target];
	return snag_event_is_wait(ev) && ev->op != SNAG_OP_ATOMIC_WRITE && /* [wait] */
	       d->missing[ev->target];
}

static void leave_out(struct delay *d, const struct snag_event *ev)
{
	if (ev->op == SNAG_OP_FORK)
		d->stands[ev->target] = true;
	if (snag_op_writes(ev->op))
		d->missing[ev->target] = true;
}

bool snag_delay(const struct snag_trace *trace, struct snag_race *race)
{
	struct snag_counts counts = snag_names_counts(&trace->names);
	uint32_t first = race->first.event, second = race->second.event;
	struct delay d = {.trace = trace,
			  .stands = snag_calloc(counts.n[SNAG_SPACE_THREAD], sizeof(*d.stands)),
			  .missing = snag_calloc(counts.n[SNAG_SPACE_VARIABLE], sizeof(*d.missing)),
			  .lock = snag_calloc(counts.n[SNAG_SPACE_LOCK], sizeof(*d.lock))};
	uint32_t *prefix = snag_calloc(counts.n[SNAG_SPACE_THREAD], sizeof(*prefix));
	race->witness = snag_realloc(NULL, second - first + 1, sizeof(*race->witness));
	for (uint32_t e = 0; e < first; e++)
		prefix[trace->ev[e].thread]++;
	snag_race_prefix_set(race, prefix, counts.n[SNAG_SPACE_THREAD]);
	free(prefix);
	thread_stop(&d, race->first.thread, first);
	for (uint32_t e = first; e < second; e++) {
		const struct snag_event *ev = &trace->ev[e];
		if (!d.stands[ev->thread] && must_wait(&d, ev))
			thread_stop(&d, ev->thread, e);
		if (d.stands[ev->thread])
			leave_out(&d, ev);
		else
			race->witness[race->nwitness++] = e;
	}
	race->witness[race->nwitness++] = first;
	race->witness[race->nwitness++] = second;
	bool comes = !d.stands[race->second.thread];
	free(d.stands);
	free(d.missing);
	free(d.lock);
	return comes;
}
