/* SPDX-License-Identifier: Apache-2.0
 *
 * convert.h - turns the records of the runtime into the events of a trace
 *
 * Names.  Variables and locks are named after their place (regions.h), with #number appended if
 *         that name was used before; threads and tasks T0, T1 ...; promises p0, p1 ...; the
 *         variables that stand for other synchronisation sync#0, sync#1 ...; locations are
 *         frames of call stacks (trace/callstack.h).
 * Use.    Put in records as long as the batch has room; then take the batch out.  A record of a
 *         large range fills several batches: put in no records until it is done.
 */
#ifndef SNAG_RECORD_CONVERT_H
#define SNAG_RECORD_CONVERT_H

#include "record/convert/splits.h"
#include "report/incident/crash.h"
#include "runtime/channel/channel.h"
#include "trace/source.h"

#include <stdio.h>

struct snag_convert;

/* The position of an event in its thread: it belongs to the thread's event number `count`, from
 * 1, as the runtime counts, recorded or not.  Several events of a trace can belong to one event of
 * the thread. */
struct snag_step {
	uint64_t count;
	uint32_t thread;
};

struct snag_convert_options {
	FILE *schedule;	 /* the file for the turns; NULL: none */
	bool keep_steps; /* keeps the steps of all events */
	/* Forget names of variables once the batch that first has them is gone; most names are
	 * places (base/strtab.h).  For a sink that takes_runs. */
	bool is_for_sink;
	bool is_nameless; /* nothing has a name: for detectors whose findings are not shown */
};
struct snag_convert *snag_convert_new(const struct snag_convert_options *options);
void snag_convert_free(struct snag_convert *c); /* accepts NULL */
const struct snag_names *snag_convert_names(const struct snag_convert *c);

/* Sets the option is_for_sink; call it before the first record. */
void snag_convert_forget_variables(struct snag_convert *c);
/* Allows runs in batches; call it before the first record. */
void snag_convert_take_runs(struct snag_convert *c);

/* Takes as many of the n records as there is room for; returns their number. */
int snag_convert_records(struct snag_convert *c, const struct rt_record *r, int n);
/* Returns whether no part of the taken records is left over for the next batch. */
bool snag_convert_is_done(const struct snag_convert *c);

/* Returns the events so far, which are valid until the next record; false if there are none. */
bool snag_convert_take(struct snag_convert *c, struct snag_batch *ret_batch);

/* The steps of the events so far; NULL: they were not to be kept. */
struct snag_step_log;
struct snag_step_log *snag_convert_steps(struct snag_convert *c);
/* The splits so far, and which of them matter. */
struct snag_splits *snag_convert_splits(struct snag_convert *c);

/* How often tasks of a program did something, and the first place. */
struct snag_convert_seen {
	uint64_t n;
	snag_loc loc;
};

/* A task that waits in a deadlock. */
struct snag_convert_wait {
	snag_tid task;
	enum rt_wait why;
	uint32_t target; /* the promise, or one of the tasks that it waits for */
	snag_loc loc;
};

enum { SNAG_CONVERT_WAITS = 100 };

/* What the runtime reported about the run as a whole. */
struct snag_convert_notes {
	enum rt_dialect dialect; /* of a program of tasks */
	uint32_t launched;	 /* how often the program launched tasks */
	uint32_t ended;		 /* how often all tasks of a launch have ended */
	/* By obstacle (trace/obstacles.def): how often tasks did something that keeps snag from a
	 * verdict for all schedules. */
	struct snag_convert_seen obstacle[RT_OBSTACLES];
	struct snag_convert_seen left_out;
	struct snag_convert_wait wait[SNAG_CONVERT_WAITS];
	size_t nwaits;	   /* not 0: its tasks ended in a deadlock */
	bool was_deadlock; /* it ended because no thread could run */
	/* Threads that waited for each other: each for the next, the last for the first. */
	struct snag_convert_link {
		snag_tid thread;
		enum snag_op op; /* SNAG_OP_ACQUIRE, _ACQUIRE_SHARED or _JOIN */
		uint32_t target;
		snag_loc loc;
	} circle[SNAG_CONVERT_WAITS];
	uint32_t ncircle;
	/* The values of the variable of a race, and its size in bytes; 0: the values are
	 * unknown. */
	uint64_t race_value[RT_RACE_VALUES];
	unsigned race_bytes;
	/* A signal that ended the program: the thread that it met, and where. */
	struct snag_crash crash;
	bool is_held;  /* it stands still at the end of a schedule */
	bool diverged; /* it could not follow the schedule */
	uint64_t turn; /* the turn that it could not follow, from 0 */
	enum rt_stuck stuck;
	bool has_stuck_loc; /* the place is known where the thread of that turn waits */
	snag_loc stuck_loc;
};
const struct snag_convert_notes *snag_convert_notes(const struct snag_convert *c);

/* The names of bytes on which races are not to be reported. */
const struct snag_strtab *snag_convert_benign(const struct snag_convert *c);

/* The mistakes noticed so far. */
struct snag_misuse_list;
struct snag_misuse_list *snag_convert_misuses(struct snag_convert *c);

/* Returns the text of a function that the program defines for ThreadSanitizer, such as
 * __tsan_default_options(); "": it defines none. */
const char *snag_convert_default(const struct snag_convert *c, enum rt_default which);

/* Returns the name that the program gave a thread, or "". */
const char *snag_convert_thread_name(const struct snag_convert *c, snag_tid thread);

/* The construct of the source that made a task. */
struct snag_label {
	enum rt_label kind; /* RT_LABEL_IN and on: it has depend clauses */
	uint64_t number;    /* with depend clauses: the first of its depends */
};
struct snag_label snag_convert_label(const struct snag_convert *c, snag_tid task);

/* An address in a depend clause of a task. */
struct snag_depend {
	snag_tid task;
	enum rt_label kind;
	uint32_t name;
};
/* Returns the `n`th one, and the name of its address; NULL if there are no more. */
const struct snag_depend *snag_convert_depend(const struct snag_convert *c, uint64_t n,
					      const char **ret_name);

#endif
