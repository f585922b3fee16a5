/* SPDX-License-Identifier: Apache-2.0
 *
 * wellformed_state.h - what wellformed.c and wellformed_rules.c share
 */
#ifndef SNAG_TRACE_WELLFORMED_STATE_H
#define SNAG_TRACE_WELLFORMED_STATE_H

#include "trace/lock_rules.h"
#include "trace/source.h"
#include "trace/task_rules.h"

enum { RAN = 1, FORKED = 2, JOINED = 4 };

struct snag_thread_places {
	uint64_t begun; /* where it was forked or created, or else its first event */
	uint64_t joined;
};

struct snag_wellformed {
	struct snag_source base;
	struct snag_source *inner;
	bool lenient;
	bool has_lines;
	uint64_t removed;	  /* events taken out */
	bool any;		  /* an event was let pass */
	bool is_last_kept;	  /* the last one was */
	bool has_ended;		  /* the inner source was read to its end */
	bool changed;		  /* an event was taken out or its nested flag corrected */
	struct snag_error failed; /* the first error, which is repeated */

	uint8_t *flags;
	size_t flags_cap;
	struct snag_thread_places *thread;
	size_t thread_cap;
	struct snag_lock_rules locks;
	uint32_t nran; /* threads that ran */
	bool has_forks;
	bool is_tasks;		      /* then: */
	struct snag_task_rules rules; /* .isolated is 0 otherwise */

	uint64_t line[SNAG_BATCH_EVENTS]; /* the lines of a batch that lost events */
	struct snag_repeat *run;	  /* the runs of a batch that pass */
	size_t run_cap;
	struct snag_split *split; /* its splits, by the numbers of events that pass; */
	size_t split_cap, nsplits;
	size_t split_at;      /* so many of them have these */
	bool is_nothing_left; /* of the batch before */
};

/* The ops of threads that change more than flags[thread]. */
#define SNAG_OPS_SPECIAL (SNAG_OPS_OF_LOCKS | SNAG_OPS_OF_THREADS)

/* One event, and where it stands. */
struct snag_wellformed_step {
	struct snag_event *ev;
	uint64_t place;
	struct snag_error *err; /* NULL: no message is wanted */
};

/* Checks an event that is not right at a glance, and follows what it changes.  Returns 0, or a
 * negative code if it breaks a rule; then `step->err` says why, unless it is NULL.  The counts are
 * those of the batch. */
int snag_wellformed_check(struct snag_wellformed *w, const struct snag_wellformed_step *step,
			  const struct snag_counts *n);

#endif
