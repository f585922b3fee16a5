/* SPDX-License-Identifier: Apache-2.0
 *
 * walk.h - goes through batches with runs, in the order of events
 *
 * Use.    A consumer that takes runs (snag_source_take_runs) keeps one struct snag_walk, all zeros
 *         at first, and gives it every batch.  snag_walk_batch() calls on_event for each
 *         event of ev[] and on_run for each run.  It is inlined, so that handlers known
 *         at compile time cost no indirect call.
 *         Batches without runs are walked in the same way.
 */
#ifndef SNAG_TRACE_WALK_H
#define SNAG_TRACE_WALK_H

#include "trace/source.h"

#include <assert.h>

struct snag_walk {
	struct snag_tail tail; /* of the events so far, those of runs included */
};

typedef void snag_walk_event(void *ctx, const struct snag_event *ev, uint64_t number);
/* Handles a run of n events, the first of which has that number.  A handler that wants single
 * events copies the steps and calls snag_steps_next() n times. */
typedef void snag_walk_run(void *ctx, const struct snag_steps *steps, uint32_t n, uint64_t number);

static inline __attribute__((always_inline)) void snag_walk_batch(struct snag_walk *w,
								  const struct snag_batch *batch,
								  snag_walk_event *on_event,
								  snag_walk_run *on_run, void *ctx)
{
	uint64_t number = batch->first;
	size_t at = 0;
	for (size_t i = 0; i <= batch->nruns; i++) {
		const struct snag_repeat *run = i < batch->nruns ? &batch->run[i] : NULL;
		const size_t begin = at, end = run ? run->at : batch->n;
		for (; at < end; at++)
			on_event(ctx, &batch->ev[at], number++);
		snag_tail_add(&w->tail, batch->ev + begin, end - begin);
		if (!run)
			break;
		struct snag_steps steps;
		bool is_run = snag_steps_begin(&steps, &w->tail, run->period);
		assert(is_run);
		(void)is_run;
		on_run(ctx, &steps, run->n, number);
		snag_tail_run(&w->tail, &steps, run->n);
		number += run->n;
	}
}

#endif
