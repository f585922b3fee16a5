/* SPDX-License-Identifier: Apache-2.0
 *
 * live.c - a running program as a source of events
 */
#include "record/live.h"

#include "base/clock.h"
#include "base/memory.h"
#include "record/convert/convert.h"
#include "record/launch.h"
#include "record/convert/misuses.h"
#include "trace/input.h"
#include "trace/refined.h"

enum { RECORDS = 512 };

struct live {
	struct snag_source src;
	struct snag_launch *launch;
	struct snag_convert *convert;
	struct rt_record record[RECORDS]; /* from the program, of which some were converted */
	int at, n;
	bool has_events;
	bool has_ended;
	double begin, end; /* in seconds of the clock */
	double deadline;   /* likewise; 0: none */
	uint64_t events;   /* how many it may have; 0: any number */
	bool ends_at_split;
	bool was_cut, was_late;
	const struct snag_detour *detour;
	bool has_run; /* the detour has seen all records */
	const volatile sig_atomic_t *stop;
	void (*on_records)(void *ctx);
	void *ctx;
	bool ends_held;
};

static int live_end(struct live *l, struct snag_error *err)
{
	l->has_ended = true;
	if (!l->has_run)
		l->end = snag_seconds_now();
	if (!snag_launch_was_claimed(l->launch) && !l->was_late)
		return snag_fail(err, SNAG_EINPUT,
				 "%s: was not built with this 'snag cc', or did not start",
				 l->src.name);
	return 0;
}

/* Reads the next records to be converted, as snag_launch_next() does. */
static int records_next(struct live *l)
{
	const struct snag_detour *detour = l->detour;
	if (detour && l->has_run) {
		int n = detour->next(detour->ctx, l->record, RECORDS);
		return n > 0 ? n : -1;
	}
	int n = snag_launch_next(l->launch, l->record, RECORDS);
	if (!detour)
		return n;
	if (n > 0 && !detour->records(detour->ctx, l->record, n)) {
		snag_launch_abandon(l->launch);
		n = -1;
	}
	if (n > 0 && l->on_records)
		l->on_records(l->ctx);
	if (n < 0)
		snag_live_cut(&l->src);
	return 0;
}

/* Converts records until the batch is full or nothing can be read.  Returns as snag_launch_next()
 * does. */
static int records_convert(struct live *l)
{
	for (;;) {
		l->at += snag_convert_records(l->convert, l->record + l->at, l->n - l->at);
		if (l->at < l->n || !snag_convert_is_done(l->convert))
			return 0; /* it is full */
		int more = records_next(l);
		l->at = 0;
		l->n = more > 0 ? more : 0;
		if (more <= 0)
			return more;
	}
}

static bool is_stopped(const struct live *l)
{
	return l->stop && *l->stop;
}

/* Ends a program that exceeds its limits.  Called also if records never run out. */
static void limits_check(struct live *l)
{
	l->was_late |= l->deadline > 0 && snag_seconds_now() > l->deadline;
	if (is_stopped(l) || l->was_late)
		snag_launch_kill(l->launch);
}

static int live_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	struct live *l = (struct live *)src;
	for (;;) {
		limits_check(l);
		int more = records_convert(l);
		if (l->ends_at_split && snag_live_is_split(src)) {
			l->ends_at_split = false;
			return snag_fail(err, SNAG_ESPLIT, "%s: a variable was split", src->name);
		}
		/* The batch is full, or there is nothing to read at the moment: delivers the
		 * events. */
		if (snag_convert_take(l->convert, ret_batch)) {
			l->has_events = true;
			if (l->events && !l->was_cut && ret_batch->first > l->events) {
				l->was_cut = true;
				snag_launch_kill(l->launch);
			}
			return 1;
		}
		if (more < 0)
			return live_end(l, err);
		if (l->ends_held && snag_convert_notes(l->convert)->is_held) {
			l->ends_held = false;
			snag_launch_kill(l->launch);
		}
	}
}

static double live_progress(const struct snag_source *src)
{
	return -1;
}

static void live_close(struct snag_source *src)
{
	struct live *l = (struct live *)src;
	if (!l->has_ended && is_stopped(l))
		snag_launch_kill(l->launch);
	if (!l->has_ended)
		snag_launch_abandon(l->launch);
	snag_convert_free(l->convert);
	snag_launch_free(l->launch);
	free(l);
}

static bool live_take_runs(struct snag_source *src)
{
	snag_convert_take_runs(((struct live *)src)->convert);
	return true;
}

static void live_forget_variables(struct snag_source *src)
{
	snag_convert_forget_variables(((struct live *)src)->convert);
}

/* Every consumer gets the splits.  This one handles them, so they do not end the source. */
static bool live_take_splits(struct snag_source *src)
{
	((struct live *)src)->ends_at_split = false;
	return true;
}

static size_t live_splits(struct snag_source *src, const struct snag_split **ret_split)
{
	return snag_splits_reported(snag_convert_splits(((struct live *)src)->convert), ret_split);
}

static const struct snag_source_ops live_ops = {.next = live_next,
						.progress = live_progress,
						.close = live_close,
						.take_runs = live_take_runs,
						.forget_variables = live_forget_variables,
						.take_splits = live_take_splits,
						.splits = live_splits};

int snag_live_source(char *const *argv, const struct snag_live_options *options,
		     struct snag_source **ret_src, struct snag_error *err)
{
	struct snag_launch *launch;
	int rc = options->attached
			 ? snag_launch_attach(options->attached, options->options, &launch, err)
			 : snag_launch_start(argv, options->options, options->io, &launch, err);
	if (rc < 0)
		return rc;
	struct live *l = snag_calloc(1, sizeof(*l));
	l->launch = launch;
	l->convert = snag_convert_new(&options->convert);
	l->on_records = options->on_records;
	l->ends_held = options->ends_held;
	l->ctx = options->ctx;
	l->events = options->events;
	l->ends_at_split = options->ends_at_split;
	l->stop = options->stop;
	l->detour = options->detour;
	l->begin = snag_seconds_now();
	l->deadline = options->seconds > 0 ? l->begin + options->seconds : 0;
	l->src = (struct snag_source){
		.ops = &live_ops, .name = argv[0], .names = snag_convert_names(l->convert)};
	*ret_src = &l->src;
	return 0;
}

void snag_live_kill(struct snag_source *src)
{
	snag_launch_kill(((struct live *)src)->launch);
}

void snag_live_halt(struct snag_source *src, int status)
{
	enum { PATIENCE_S = 2 };
	struct live *l = (struct live *)src;
	snag_launch_halt(l->launch, status);
	l->deadline = snag_seconds_now() + PATIENCE_S;
}

void snag_live_cut(struct snag_source *src)
{
	struct live *l = (struct live *)src;
	l->detour->ended(l->detour->ctx);
	l->has_run = true;
	l->end = snag_seconds_now();
}

struct snag_live_end snag_live_end(const struct snag_source *src)
{
	const struct live *l = (const struct live *)src;
	struct snag_misuse_list *misuses = snag_convert_misuses(l->convert);
	if (snag_launch_has_unseen_heap(l->launch))
		snag_misuses_drop_heap(misuses);
	return (struct snag_live_end){
		.status = snag_launch_status(l->launch),
		.pid = snag_launch_pid(l->launch),
		.was_cut = l->was_cut,
		.was_late = l->was_late,
		.seconds = l->has_ended ? l->end - l->begin : 0,
		.executed = snag_launch_executed(l->launch),
		.opened = snag_launch_opened(l->launch),
		.is_empty = !l->has_events && snag_launch_was_claimed(l->launch),
		.verdict = *snag_launch_verdict(l->launch),
		.inputs = snag_launch_inputs(l->launch),
		.notes = *snag_convert_notes(l->convert),
		.misuse = misuses->at,
		.nmisuses = misuses->n,
		.benign = snag_convert_benign(l->convert),
		.defaults = {snag_convert_default(l->convert, RT_DEFAULT_OPTIONS),
			     snag_convert_default(l->convert, RT_DEFAULT_SUPPRESSIONS)}};
}

struct snag_step_log *snag_live_steps(const struct snag_source *src)
{
	return snag_convert_steps(((const struct live *)src)->convert);
}

bool snag_live_is_split(const struct snag_source *src)
{
	return snag_convert_splits(((const struct live *)src)->convert)->matter;
}

/* Finds the new numbers of two events, if they are in the batch. */
static void events_follow(const uint64_t old[2], uint64_t event[2], const struct snag_batch *batch,
			  const uint64_t *origin)
{
	for (size_t i = batch->n; i-- > 0;) /* backwards: of several matches the first remains */
		for (int k = 0; k < 2; k++)
			if (old[k] == origin[i])
				event[k] = batch->first + i;
}

int snag_live_renumber(struct snag_source *src, const char *path, uint64_t event[2],
		       struct snag_error *err)
{
	const uint64_t old[2] = {event[0], event[1]};
	struct snag_source *file;
	struct snag_batch batch;
	struct snag_input *in;
	if (!snag_live_is_split(src))
		return 0;
	int rc = snag_input_open(path, &in, err);
	if (rc == 0)
		rc = snag_binary_source(in, NULL, &file, err);
	if (rc < 0)
		return rc;
	bool is_refined = snag_refined_follow(file);
	while (is_refined && (rc = snag_source_next(file, &batch, err)) > 0)
		events_follow(old, event, &batch, snag_refined_origin(file));
	snag_source_close(file);
	return rc;
}

const char *snag_live_thread_name(const struct snag_source *src, snag_tid thread)
{
	return snag_convert_thread_name(((const struct live *)src)->convert, thread);
}

struct snag_label snag_live_label(const struct snag_source *src, snag_tid task)
{
	return snag_convert_label(((const struct live *)src)->convert, task);
}

const struct snag_depend *snag_live_depend(const struct snag_source *src, uint64_t n,
					   const char **ret_name)
{
	return snag_convert_depend(((const struct live *)src)->convert, n, ret_name);
}
