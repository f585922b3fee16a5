/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_slice.c - run detectors over the slice of a trace that decides what races
 *
 * Idea.   The first reading finds the contended variables (contended.h), without expanding the
 *         runs of the trace.  If there are none, no detector can find a race, and nothing is
 *         read again.  Otherwise the second reading extracts the slice (slice.h), the detectors
 *         run over it as over any trace, and their findings are translated.
 *
 * Rules.  [fits]    All detectors accept a slice, except those of tasks, which are left out of a
 *                   trace of threads.
 *         [tasks]   A trace of tasks is analysed as a whole, in another reading.
 *         [keep]    A source that cannot be read again is kept in memory, if a detector would
 *                   have needed that anyway.
 *         [give up] If a trace shows early that many of its accesses are contended, and few of
 *                   them are in loops, it is analysed as a whole: a slice would save nothing.
 *         [locks]   A detector of deadlocks takes part only if the locks of the trace have a circle
 *                   (lock_graph.h).  Then the slice has all lock events.
 *         [long]    A slice that is too long for the memory is not kept.  The detectors read the
 *                   masked trace (masked.h); those that need a trace in memory get windows of
 *                   the slice (windows.h).  No detector looks for deadlocks then.
 */
#include "detect/analyze/analyze_run.h"

#include "base/clock.h"
#include "base/memory.h"
#include "detect/deadlock/lock_graph.h"
#include "detect/slice/masked.h"
#include "detect/analyze/windows.h"

#include <string.h>

struct sliced {
	struct snag_source *src;
	const struct snag_analyze_options *options;
	struct snag_error *err;
	struct snag_contended *contended;
	struct snag_lock_graph *locks; /* NULL: no detector asks for deadlocks */
	bool keeps_locks;	       /* [locks] */
	struct snag_trace *kept;       /* all events; NULL: the source can be read again */
	struct snag_counts counts;
	uint64_t events;
	size_t most; /* events of the slice */
	double begin;
	bool is_of_tasks, is_stopped, gave_up;
};

unsigned snag_analyze_slice(const struct snag_analyze_options *options) /* [fits] */
{
	unsigned wants = 0;
	if (options->whole || options->stages != SNAG_STAGES_EXACT)
		return 0;
	for (size_t i = 0; i < options->ndetectors; i++) {
		const struct snag_detector *d = options->detector[i];
		if (options->fitting && snag_detector_is_of_tasks(d))
			continue;
		unsigned slice = options->likely && d->likely_slice ? d->likely_slice : d->slice;
		if (!slice)
			return 0;
		wants |= slice;
	}
	return wants;
}

static bool asks_for_all(const struct snag_analyze_options *options)
{
	for (size_t i = 0; i < options->ndetectors; i++)
		if (options->detector[i]->finish)
			return true;
	return false;
}

/* Returns 1 if the source can be read twice, or is kept; 0 otherwise. */
static int second_reading_prepare(struct sliced *s)
{
	struct snag_source *again;
	int rc = snag_source_again(s->src, &again, s->err);
	if (rc > 0)
		snag_source_close(again);
	if (rc != 0)
		return rc;
	if (!asks_for_all(s->options))
		return 0;
	s->kept = snag_alloc(sizeof(*s->kept));
	snag_trace_init(s->kept);
	return 1;
}

static bool has_tasks(const struct snag_batch *batch)
{
	uint32_t ops = 0;
	for (size_t i = 0; i < batch->n; i++)
		ops |= UINT32_C(1) << batch->ev[i].op;
	return ops & SNAG_OPS_OF_TASKS;
}

/* [give up] */
static bool is_hopeless(const struct sliced *s)
{
	enum { LEAST = 50000, SHARE = 10 };
	struct snag_contended_counts counts = snag_contended_counts(s->contended);
	return !s->src->is_growing && counts.accesses > LEAST &&
	       counts.contended > counts.accesses / SHARE && counts.in_runs < counts.events / 2;
}

static int first_reading(struct sliced *s)
{
	const struct snag_analyze_options *options = s->options;
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(s->src, &batch, s->err)) > 0) {
		if (batch.counts.n[SNAG_SPACE_THREAD] > SNAG_CONTENDED_THREADS)
			return snag_fail(s->err, SNAG_EINPUT, "%s: more than %d threads",
					 s->src->name, SNAG_CONTENDED_THREADS);
		if (s->kept)
			snag_trace_append(s->kept, &batch);
		s->is_of_tasks |= has_tasks(&batch);
		if (!s->is_of_tasks && !s->is_stopped && !s->gave_up) {
			snag_contended_batch(s->contended, &batch);
			if (s->locks)
				snag_lock_graph_batch(s->locks, &batch);
			s->events = snag_contended_counts(s->contended).events;
			s->counts = batch.counts;
			s->gave_up = is_hopeless(s);
		}
		if (options->progress)
			options->progress(options->progress_ctx, s->events,
					  snag_source_progress(s->src));
		s->is_stopped |= options->stop && *options->stop;
		if ((s->is_of_tasks || s->gave_up) && !s->src->is_growing && !s->kept)
			return 0;
		if (s->is_stopped && !s->src->is_growing)
			return 0;
	}
	/* After a stop, an error comes from the interrupted read. */
	s->is_stopped |= rc != 0 && options->stop && *options->stop;
	return s->is_stopped ? 0 : rc;
}

/* The source from its beginning. */
static int read_again(struct sliced *s, struct snag_source **ret_src)
{
	if (!s->kept)
		return snag_source_again(s->src, ret_src, s->err);
	snag_trace_names(s->kept, s->src);
	*ret_src = snag_trace_source(s->kept);
	return 1;
}

/* [tasks] [give up] */
static int analyze_all(struct sliced *s, struct snag_analysis *ret_analysis)
{
	struct snag_source *again;
	int rc = read_again(s, &again);
	if (rc <= 0)
		return rc;
	again->skipped = s->src->skipped;
	rc = snag_analyze_whole(&(struct snag_whole){.src = again, .trace = s->kept}, s->options,
				ret_analysis, s->err);
	if (rc == 0 && !s->kept) { /* the source has forgotten the names of variables */
		ret_analysis->names = snag_alloc(sizeof(*ret_analysis->names));
		snag_names_copy(ret_analysis->names, again->names);
	}
	snag_source_close(again);
	return rc;
}

static int slice_fill(struct sliced *s, struct snag_slice *slice)
{
	struct snag_source *again;
	const struct snag_slice_options options = {.contended = s->contended,
						   .events = s->is_stopped ? s->events : 0,
						   .most = s->most == SIZE_MAX ? 0 : s->most,
						   .keeps_locks = s->keeps_locks,
						   .follow = s->options->follow,
						   .ctx = s->options->follow_ctx};
	int rc = read_again(s, &again);
	if (rc <= 0)
		return rc;
	snag_source_take_runs(again);
	snag_source_forget_variables(again);
	rc = snag_slice_read(slice, &options, again, s->err);
	snag_source_close(again);
	return rc;
}

/* Turns findings about the slice into findings about the source. */
static void findings_translate(struct sliced *s, struct snag_slice *slice, struct snag_analysis *a)
{
	for (size_t i = 0; i < a->n; i++)
		snag_slice_translate(slice, &a->findings[i]);
	snag_stretches_done(&a->stretches);
	a->stretches = slice->stretches;
	memset(&slice->stretches, 0, sizeof(slice->stretches));
	a->names = snag_alloc(sizeof(*a->names));
	snag_slice_names(slice, s->counts.n[SNAG_SPACE_VARIABLE], a->names);
	a->slice = snag_alloc(sizeof(*a->slice));
	*a->slice = *slice;
	snag_slice_init(slice);
	/* A running program delivers fewer events than its file, which is refined. */
	a->events = a->stretches.nevents ? a->stretches.nevents : s->events;
	a->counts = s->counts;
}

/* [locks] Without the detector of deadlocks; its number. */
static size_t deadlocks_leave_out(struct snag_analyze_options *options)
{
	size_t at = 0;
	while (!options->detector[at]->finds_deadlocks)
		at++;
	options->ndetectors--;
	for (size_t i = at; i < options->ndetectors; i++)
		options->detector[i] = options->detector[i + 1];
	return at;
}

/* It gets its place among the findings, and has found nothing. */
static void deadlocks_put_back(const struct sliced *s, struct snag_analysis *a, size_t at,
			       bool complete)
{
	at = at < a->n ? at : a->n;
	for (size_t i = a->n++; i > at; i--) {
		a->findings[i] = a->findings[i - 1];
		a->detector[i] = a->detector[i - 1];
	}
	const struct snag_detector **detector = &a->detector[at];
	for (size_t i = 0; i < s->options->ndetectors; i++)
		if (s->options->detector[i]->finds_deadlocks)
			*detector = s->options->detector[i];
	complete &= !a->interrupted && s->src->skipped == 0;
	a->findings[at] = (struct snag_findings){
		.name = (*detector)->name, .complete = complete, .finds_deadlocks = true};
}

/* Keeps the names of the variables in the slice, but drops its events. */
static bool events_drop(void *ctx, struct snag_slice *slice)
{
	slice->trace.n = 0;
	return true;
}

static int names_read(struct sliced *s, struct snag_analysis *a)
{
	const struct snag_slice_options options = {.contended = s->contended,
						   .events = s->is_stopped ? s->events : 0,
						   .most = SNAG_BATCH_EVENTS,
						   .on_full = events_drop};
	struct snag_source *again;
	struct snag_slice slice;
	int rc = read_again(s, &again);
	if (rc <= 0)
		return rc;
	snag_source_take_runs(again);
	snag_source_forget_variables(again);
	snag_slice_init(&slice);
	rc = snag_slice_read(&slice, &options, again, s->err);
	if (rc == 0) {
		a->names = snag_alloc(sizeof(*a->names));
		snag_slice_names(&slice, s->counts.n[SNAG_SPACE_VARIABLE], a->names);
	}
	snag_slice_done(&slice);
	snag_source_close(again);
	return rc;
}

/* [long] */
static int analyze_masked(struct sliced *s, const struct snag_analyze_options *options,
			  struct snag_analysis *ret_analysis)
{
	struct snag_source *again;
	int rc = read_again(s, &again);
	if (rc <= 0)
		return rc;
	struct snag_source *kept = s->kept ? snag_trace_source(s->kept) : NULL;
	struct snag_source *src = snag_masked_source(again, kept ? kept : s->src, s->contended,
						     s->is_stopped ? s->events : 0);
	snag_source_forget_variables(src);
	src->skipped = s->src->skipped;
	rc = snag_analyze_whole(&(struct snag_whole){.src = src,
						     .contended = s->contended,
						     .is_cut = s->is_stopped,
						     .most = s->most},
				options, ret_analysis, s->err);
	snag_source_close(src);
	snag_source_close(kept);
	if (rc < 0)
		return rc;
	ret_analysis->events = s->events;
	ret_analysis->counts = s->counts;
	rc = ret_analysis->names ? 0 : names_read(s, ret_analysis);
	if (rc < 0)
		snag_analysis_done(ret_analysis);
	return rc;
}

static int analyze_slice(struct sliced *s, struct snag_analysis *ret_analysis)
{
	struct snag_slice slice;
	struct snag_analyze_options options = *s->options;
	int rc = 0;
	s->keeps_locks = s->locks && snag_lock_graph_has_circle(s->locks);
	size_t left_out = s->locks && !s->keeps_locks ? deadlocks_leave_out(&options) : SIZE_MAX;
	options.progress = NULL;
	if (s->is_stopped)
		options.stop = NULL; /* what was read is still looked at */
	s->most = snag_windows_events(&options, s->counts.n[SNAG_SPACE_VARIABLE]);
	snag_slice_init(&slice);
	if (snag_contended_variables(s->contended) || s->keeps_locks)
		rc = slice_fill(s, &slice);
	if (rc == SNAG_SLICE_FULL) {
		snag_slice_done(&slice);
		if (s->keeps_locks)
			left_out = deadlocks_leave_out(&options);
		rc = analyze_masked(s, &options, ret_analysis);
		if (rc == 0 && s->locks)
			deadlocks_put_back(s, ret_analysis, left_out, !s->keeps_locks);
		return rc;
	}
	snag_contended_free(s->contended);
	s->contended = NULL;
	if (rc == 0) {
		double seconds = (snag_seconds_now() - s->begin) / (double)options.ndetectors;
		struct snag_source *src = snag_trace_source(&slice.trace);
		src->skipped = s->src->skipped;
		rc = snag_analyze_whole(&(struct snag_whole){.src = src,
							     .trace = &slice.trace,
							     .is_cut = s->is_stopped},
					&options, ret_analysis, s->err);
		for (size_t i = 0; rc == 0 && i < ret_analysis->n; i++)
			ret_analysis->findings[i].seconds += seconds;
		snag_source_close(src);
	}
	if (rc == 0)
		findings_translate(s, &slice, ret_analysis);
	if (rc == 0 && left_out != SIZE_MAX)
		deadlocks_put_back(s, ret_analysis, left_out, true);
	snag_slice_done(&slice);
	return rc;
}

int snag_analyze(struct snag_source *src, const struct snag_analyze_options *options,
		 struct snag_analysis *ret_analysis, struct snag_error *err)
{
	struct sliced s = {.src = src, .options = options, .err = err, .begin = snag_seconds_now()};
	unsigned wants = snag_analyze_slice(options);
	int rc = wants ? second_reading_prepare(&s) : 0;
	if (rc < 0)
		return rc;
	if (rc == 0)
		return snag_analyze_whole(&(struct snag_whole){.src = src}, options, ret_analysis,
					  err);
	if (!s.kept) {
		if (src->is_growing)
			snag_source_take_splits(src);
		snag_source_take_runs(src);
		snag_source_forget_variables(src);
	}
	s.contended = snag_contended_new(wants);
	for (size_t i = 0; i < options->ndetectors; i++)
		if (options->detector[i]->finds_deadlocks && !s.locks)
			s.locks = snag_lock_graph_new();
	rc = first_reading(&s);
	if (rc == 0 && (s.is_of_tasks || s.gave_up))
		rc = analyze_all(&s, ret_analysis);
	else if (rc == 0)
		rc = analyze_slice(&s, ret_analysis);
	snag_contended_free(s.contended);
	snag_lock_graph_free(s.locks);
	snag_trace_done(s.kept);
	free(s.kept);
	return rc;
}
