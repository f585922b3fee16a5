/* SPDX-License-Identifier: Apache-2.0
 *
 * merge.h - one order of the records of threads that run in parallel
 *
 * Idea.   Each thread has a ring of records (runtime/channel/ring.h).  A record RT_ORDER says
 *         "number n of shard s".  The merge takes the records of a thread until it meets a
 *         number whose predecessor has not been taken, and then continues with another thread.
 *         The result is one sequence, as if the threads had taken turns: RT_SWITCH where the
 *         thread changes, RT_COUNT in place of RT_ORDER.
 *
 * State.  next[s]    the number of shard s that comes next
 *         waiting[s] lanes whose next record is a later number of shard s
 *         ready      lanes that may have a record to take
 *         idle       lanes whose ring was empty when the merge looked
 *
 * Rules.  [own]     Records of one thread keep their order.
 *         [number]  RT_ORDER is taken when its number is next[s]; with size 1, only together with
 *                   the record behind it, and without a record of another thread in between.
 *         [common]  Records of the channel come first: before the merge takes a record, it takes
 *                   all records of the channel that were there when that record was written.
 *         [run]     RT_AGAIN follows from the records right before it in its ring.  If records of
 *                   another thread came between, the first two rounds of the run are written out,
 *                   and the rest follows from those.
 *         [end]     A run that was open when the program ended is RT_AGAIN, too.
 *         [fair]    A lane gives at most one ring of records, then other lanes have their turn.
 * Guarantee.  The order contains happens-before (docs/algorithms/parallel.md).  If threads keep
 *         the rules of ring.h, the merge never waits for a thread that waits for room: some lane
 *         has a record that can be taken.
 * Cost.   A copy per access.  Per RT_ORDER one look at next[s].  Nothing per idle thread but one
 *         load each time all lanes have been emptied.
 */
#ifndef SNAG_RECORD_MERGE_H
#define SNAG_RECORD_MERGE_H

#include "runtime/channel/ring.h"

/* Copies records of the channel, up to `room`; returns how many. */
typedef int snag_merge_common(void *ctx, struct rt_record *ret, int room);

enum { SNAG_MERGE_ROOM = 48 }; /* the least `room` of snag_merge_next */

struct snag_merge *snag_merge_new(struct rt_ring *rings, snag_merge_common *common, void *ctx);
void snag_merge_free(struct snag_merge *m);

/* Takes RT_RING records out of n records of the channel; returns how many are left. */
int snag_merge_rings(struct snag_merge *m, struct rt_record *record, int n);
/* The next records, at most `room`; returns how many, 0 if none can be taken now. */
int snag_merge_next(struct snag_merge *m, struct rt_record *ret, int room);
/* The same once the program has ended and there are no more: [end]. */
int snag_merge_rest(struct snag_merge *m, struct rt_record *ret, int room);

#endif
