/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.h - the records of the runtime to the events of a trace
 *
 * Names.  Variables and locks are called after their place (regions.h), with #number
 *         behind it where that was used before; threads and tasks T0, T1 ...; promises p0,
 *         p1 ...; the variables that
 *         stand for other synchronisation sync#0, sync#1 ...; locations are frames of call stacks
 *         (trace/callstack.h).
 * Use.    Records go in as long as the batch has room; then it is taken out.  A record of a
 *         large range fills several batches: no records go in until it is done.
 */
#ifndef SNAG_RECORD_CONVERT_H
#define SNAG_RECORD_CONVERT_H

#include "record/splits.h"
#include "runtime/channel.h"
#include "trace/source.h"

#include <stdio.h>

struct snag_convert;

/* Where an event is in its thread: it belongs to the thread's event number `count`, from 1, as
 * the runtime counts, recorded or not.  Several events can belong to one. */
struct snag_step {
	uint64_t count;
	uint32_t thread;
};

struct snag_convert_options {
	FILE *schedule;	 /* where turns go; NULL: nowhere */
	bool keep_steps; /* of all events */
	/* Names of variables are forgotten once the batch that has them first goes away, and most
	 * are places (base/strtab.h): for a sink that takes_runs. */
	bool is_for_sink;
};
struct snag_convert *snag_convert_new(const struct snag_convert_options *options);
void snag_convert_free(struct snag_convert *c); /* accepts NULL */
const struct snag_names *snag_convert_names(const struct snag_convert *c);

/* Names are for a sink (is_for_sink); before the first record. */
void snag_convert_forget_variables(struct snag_convert *c);
/* From now on batches have runs; before the first record. */
void snag_convert_take_runs(struct snag_convert *c);

/* Takes as many of the n records as there is room for; returns how many. */
int snag_convert_records(struct snag_convert *c, const struct rt_record *r, int n);
/* Nothing of the records taken is left over for the next batch. */
bool snag_convert_is_done(const struct snag_convert *c);

/* The events so far, which go away with the next record; false: there are none. */
bool snag_convert_take(struct snag_convert *c, struct snag_batch *ret_batch);

/* The steps of the events so far; NULL: they were not to be kept. */
struct snag_step_log;
struct snag_step_log *snag_convert_steps(struct snag_convert *c);
/* The splits so far, and which of them matter. */
struct snag_splits *snag_convert_splits(struct snag_convert *c);

/* How often a program did something in its tasks, and where first. */
struct snag_convert_seen {
	uint64_t n;
	snag_loc loc;
};

/* What the runtime said about the run as a whole. */
enum { SNAG_CONVERT_WAITS = 64 };

struct snag_convert_notes {
	enum rt_dialect dialect; /* of a program of tasks */
	uint32_t launched;	 /* how often tasks were ... */
	uint32_t ended;		 /* ... and all of them have ended */
	/* In tasks: what other schedules answer otherwise, and what is not looked at, as
	 * semaphores, fences and threads. */
	struct snag_convert_seen asked[RT_ASKED_KINDS];
	struct snag_convert_seen left_out;
	bool was_deadlock; /* it ended because no thread could run */
	/* Threads that waited for each other: each for the next, the last for the first. */
	struct snag_convert_wait {
		snag_tid thread;
		enum snag_op op; /* SNAG_OP_ACQUIRE, _ACQUIRE_SHARED or _JOIN */
		uint32_t target;
		snag_loc loc;
	} wait[SNAG_CONVERT_WAITS];
	uint32_t nwaits;
	bool is_held;  /* it stands still at the end of a schedule */
	bool diverged; /* it could not follow the schedule ... */
	uint64_t turn; /* ... in this turn, from 0 */
};
const struct snag_convert_notes *snag_convert_notes(const struct snag_convert *c);

/* What a task is to the programmer. */
struct snag_label {
	enum rt_label kind; /* RT_LABEL_IN and on: it has depend clauses */
	uint64_t number;    /* of those: the first */
};
struct snag_label snag_convert_label(const struct snag_convert *c, snag_tid task);

/* An address in a depend clause of a task. */
struct snag_depend {
	snag_tid task;
	enum rt_label kind;
	uint32_t name;
};
/* The `n`th, and what lies there; NULL: there are no more. */
const struct snag_depend *snag_convert_depend(const struct snag_convert *c, uint64_t n,
					      const char **ret_name);

#endif
