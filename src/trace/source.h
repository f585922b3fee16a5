/* SPDX-License-Identifier: Apache-2.0
 *
 * source.h - where events come from
 *
 * A source delivers a trace as batches of events in observed order.  The formats (std_reader.c,
 * csv_reader.c, snag_reader.c), the in-memory trace (trace.c) and the check of trace rules
 * (wellformed.c, which wraps another source) all implement this interface.  Analyses see nothing
 * else.
 *
 * Ownership.  A batch and its events belong to the source and live until the next call.  A
 *             wrapper may change the events of a batch in place.  Names belong to the source and
 *             only grow.
 *
 * Runs.   A batch has runs (runs.h) only if its consumer asked for them with
 *         snag_source_take_runs().  They stand between the events of ev[], or after them. walk.h
 *         goes through both in order.
 *         [run]     The events of a run, and the 2 * period events before it, are plain accesses
 *                   of one thread.
 *         [tail]    The events that a run follows from may lie in an earlier batch.
 *         [number]  The number of ev[i] is `first` + i + the events of the runs before it.
 *
 * Splits. A recorder splits variables (split.h), so in the recorded events a consumer that
 *         compares variables misses conflicts.  A file delivers refined events (refined.h)
 *         unless its consumer asked for recorded ones with snag_source_take_splits(). A running
 *         program (record/live.h) cannot be refined: it delivers recorded events, and the splits
 *         with them, to every consumer.
 */
#ifndef SNAG_TRACE_SOURCE_H
#define SNAG_TRACE_SOURCE_H

#include "base/error.h"
#include "trace/event.h"
#include "trace/names.h"
#include "trace/runs.h"
#include "trace/split.h"

#include <signal.h>
#include <stddef.h>

/* A trace has fewer events than this.  Event numbers fit 31 bits, so that clocks compare fast
 * and an index has a spare bit. */
#define SNAG_MAX_EVENTS INT32_MAX

enum { SNAG_BATCH_EVENTS = 4096 }; /* the most a batch holds */

struct snag_batch {
	struct snag_event *ev;
	size_t n;		   /* > 0, unless there are runs */
	uint64_t first;		   /* the number of the first event, of ev[] or of a run */
	struct snag_counts counts; /* every id in this batch is below these */
	const uint64_t *line;	   /* text: the line of each event; NULL: no lines */
	/* For consumers that take runs: see above. */
	const struct snag_repeat *run;
	size_t nruns;
	/* For recorded events: the splits since the previous batch, in their order.  The event
	 * of each has a number up to that of the end of this batch. */
	const struct snag_split *split;
	size_t nsplits;
};

struct snag_source {
	const struct snag_source_ops *ops;
	const char *name; /* of the file, for messages */
	const struct snag_names *names;
	uint64_t skipped; /* lenient: how many lines or events were left out */
	bool is_growing;  /* again() has something to read only after next() has returned 0 */
};

struct snag_source_ops {
	/* Returns 1 if *ret_batch is filled, 0 if the trace has ended, or a negative code. */
	int (*next)(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err);
	/* Returns the part delivered so far, 0 to 1; negative if unknown. */
	double (*progress)(const struct snag_source *src);
	void (*close)(struct snag_source *src);
	/* Opens the same trace once more, from its beginning.  NULL: this is not possible, or
	 * reading is so slow that a consumer should keep a copy. */
	int (*again)(const struct snag_source *src, struct snag_source **ret_src,
		     struct snag_error *err);
	/* As snag_source_take_runs().  NULL: the source has no runs. */
	bool (*take_runs)(struct snag_source *src);
	/* As snag_source_forget_variables().  NULL: the source keeps the names. */
	void (*forget_variables)(struct snag_source *src);
	/* As snag_source_take_splits().  NULL: the source has none. */
	bool (*take_splits)(struct snag_source *src);
	/* Returns the number of splits that matter (split.h), after next() returned 0; they
	 * belong to the source.  NULL: there are none. */
	size_t (*splits)(struct snag_source *src, const struct snag_split **ret_split);
};

static inline int snag_source_next(struct snag_source *src, struct snag_batch *ret_batch,
				   struct snag_error *err)
{
	return src->ops->next(src, ret_batch, err);
}

static inline double snag_source_progress(const struct snag_source *src)
{
	return src->ops->progress(src);
}

static inline void snag_source_close(struct snag_source *src) /* accepts NULL */
{
	if (src)
		src->ops->close(src);
}

/* Returns 1 if *ret_src delivers the same trace, 0 if this source cannot, or a negative code. */
static inline int snag_source_again(const struct snag_source *src, struct snag_source **ret_src,
				    struct snag_error *err)
{
	return src->ops->again ? src->ops->again(src, ret_src, err) : 0;
}

/* Allows batches with runs; call it before the first next().  Returns false if the source has
 * none: then every event arrives in ev[], as without this call.  A source opened again is
 * another source, and must be asked too. */
static inline bool snag_source_take_runs(struct snag_source *src)
{
	return src->ops->take_runs && src->ops->take_runs(src);
}

/* Says that the consumer needs the name of a variable only while it has the first batch in which
 * `names` has it; call it before the first next().  A .snag reader then does not check that
 * names differ.  A source may keep the names all the same. */
static inline void snag_source_forget_variables(struct snag_source *src)
{
	if (src->ops->forget_variables)
		src->ops->forget_variables(src);
}

/* Asks for the events as they were recorded, with the splits; before the first next().  Returns
 * false if the trace has no splits: then recorded and refined events are the same. */
static inline bool snag_source_take_splits(struct snag_source *src)
{
	return src->ops->take_splits && src->ops->take_splits(src);
}

static inline size_t snag_source_splits(struct snag_source *src,
					const struct snag_split **ret_split)
{
	return src->ops->splits ? src->ops->splits(src, ret_split) : 0;
}

struct snag_source_options {
	bool lenient; /* skip and count what breaks the rules, instead of an error */
	/* A signal handler sets it: then fail instead of waiting for bytes of a slow pipe; may
	 * be NULL. */
	const volatile sig_atomic_t *stop;
};

/* Opens a trace for analysis, and checks the rules of traces.  The extension before any .gz or
 * .zst chooses the format (formats.h), otherwise the first bytes do.  "-" is standard input. */
int snag_source_open(const char *path, const struct snag_source_options *options,
		     struct snag_source **ret_src, struct snag_error *err);

/* The formats themselves, unchecked.  Each takes over `in` and closes it, also on failure. */
struct snag_input;
int snag_std_source(struct snag_input *in, const struct snag_source_options *options,
		    struct snag_source **ret_src, struct snag_error *err);
int snag_csv_source(struct snag_input *in, const struct snag_source_options *options,
		    struct snag_source **ret_src, struct snag_error *err);
int snag_binary_source(struct snag_input *in, const struct snag_source_options *options,
		       struct snag_source **ret_src, struct snag_error *err);

/* Wraps `inner`, which it takes over: checks the rules of traces and marks nested acquires and
 * releases; see wellformed.c. */
struct snag_source *snag_wellformed_source(struct snag_source *inner,
					   const struct snag_source_options *options);

#endif
