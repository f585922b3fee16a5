/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze.c - run detectors over a trace and collect their findings
 *
 * Idea.   One reading feeds every detector.  The trace is read again only if there are races:
 *         once to name partners that lie far back, and once to look up the details that a report
 *         shows.  A source that cannot be read again is copied into a log during the first
 *         reading.  A trace that is too long for the memory is decided in windows, in another
 *         reading.
 */
#include "detect/analyze/analyze_run.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "detect/partners/details.h"
#include "detect/analyze/windows.h"

#include <string.h>

/* Returns how many events of the trace are kept for detectors that need all of it. */
size_t snag_run_events_to_keep(const struct snag_analyze_run *r)
{
	size_t keep = 0;
	for (size_t i = 0; i < r->analysis->n; i++) {
		const struct snag_detector *d = r->collector[i].detector;
		bool decides = d->decide && !r->options->undecided;
		if (r->is_out[i])
			continue;
		if (d->finish || (decides && !d->decide_if_short))
			return SIZE_MAX;
		if (decides)
			keep = SNAG_SHORT_TRACE;
	}
	return keep;
}

/* Returns whether a detector may look for partners in the window: it has clocks (detectors of
 * tasks do not), its pairs are not all decided, and held locks do not count. */
bool snag_run_needs_window(const struct snag_analyze_run *r)
{
	for (size_t i = 0; i < r->analysis->n; i++) {
		const struct snag_detector *d = r->options->detector[i];
		bool decides = d->decide && !d->decide_if_short && !r->options->undecided;
		if (!r->is_out[i] && d->events && d->ops & SNAG_OP_BIT(FORK) &&
		    !d->disjoint_locksets && !decides)
			return true;
	}
	return false;
}

/* Finds out whether the source can be read again.  If not, a log is kept, or the whole trace if
 * a detector needs it. */
static int second_reading_prepare(struct snag_analyze_run *r)
{
	struct snag_source *again;
	r->keep = r->contended ? 0 : snag_run_events_to_keep(r);
	if (r->is_lent)
		return 0;
	if (r->keep) {
		r->trace = snag_alloc(sizeof(*r->trace));
		snag_trace_init(r->trace);
	}
	if (r->keep == SIZE_MAX && r->most == SIZE_MAX)
		return 0;
	int rc = snag_source_again(r->src, &again, r->err);
	if (rc > 0)
		snag_source_close(again);
	if (rc > 0 && r->keep > r->most)
		r->keep = r->most;
	if (r->keep == SIZE_MAX) /* its copy is what is read again */
		return rc < 0 ? rc : 0;
	if (rc == 0) {
		r->log = snag_alloc(sizeof(*r->log));
		snag_log_init(r->log, r->src->names);
	}
	return rc < 0 ? rc : 0;
}

static void trace_drop(struct snag_analyze_run *r)
{
	if (!r->is_lent) {
		snag_trace_done(r->trace);
		free(r->trace);
	}
	r->trace = NULL;
}

/* Keeps the batch.  If the trace turns out too long, drops all of it. */
static void trace_keep(struct snag_analyze_run *r, const struct snag_batch *batch)
{
	size_t n = r->is_lent ? r->trace->n : r->trace ? r->trace->n + batch->n : 0;
	if (n > r->keep || n > r->most) {
		if (!r->is_lent && n > r->keep)
			trace_drop(r);
		for (size_t i = 0; i < r->analysis->n; i++)
			r->collector[i].decides = false;
	}
	if (r->trace && !r->is_lent)
		snag_trace_append(r->trace, batch);
}

static int batch_run(struct snag_analyze_run *r, const struct snag_batch *batch)
{
	bool should_answer = false;
	double begin = snag_seconds_now();
	for (size_t i = 0; i < r->analysis->n; i++) {
		struct snag_collector *c = &r->collector[i];
		if (r->is_out[i])
			continue;
		if (c->detector->events)
			c->detector->events(r->state[i], batch);
		should_answer |= !c->decides && snag_partners_should_answer(&c->partners);
		should_answer |= snag_pairs_should_answer(&c->incomplete, r->analysis->events);
		double end = snag_seconds_now();
		c->findings->seconds += end - begin;
		begin = end;
	}
	int rc = snag_fit_after(r, batch);
	should_answer &= r->trace || r->log || !r->src->is_growing;
	return rc == 0 && should_answer ? snag_run_answer_early(r) : rc;
}

/* Ignores the rest of the trace.  But a growing source can be read again only at its end. */
static int stopped_reading(struct snag_analyze_run *r)
{
	struct snag_batch batch;
	int rc = 1;
	r->analysis->interrupted = true;
	while (rc > 0 && r->src->is_growing)
		rc = snag_source_next(r->src, &batch, r->err);
	return rc < 0 ? rc : 0;
}

static int first_reading(struct snag_analyze_run *r)
{
	const struct snag_analyze_options *options = r->options;
	struct snag_analysis *a = r->analysis;
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(r->src, &batch, r->err)) > 0) {
		if (batch.counts.n[SNAG_SPACE_THREAD] > SNAG_LOG_MAX_THREADS)
			return snag_fail(r->err, SNAG_EINPUT, "%s: more than %d threads",
					 r->src->name, SNAG_LOG_MAX_THREADS);
		rc = snag_fit_before(r, &batch);
		if (rc < 0)
			return rc;
		if (r->log)
			snag_log_add(r->log, &batch);
		trace_keep(r, &batch);
		snag_recent_add(&r->recent, &batch);
		rc = batch_run(r, &batch);
		if (rc < 0)
			return rc;
		a->events += batch.n;
		a->counts = batch.counts;
		if (options->progress)
			options->progress(options->progress_ctx, a->events,
					  snag_source_progress(r->src));
		if (snag_run_is_stopped(options))
			return stopped_reading(r);
	}
	/* After a stop, an error comes from the interrupted read. */
	a->interrupted = rc != 0 && snag_run_is_stopped(options);
	return a->interrupted ? 0 : rc;
}

/* Detectors that decide nothing ignore the stages. */
static enum snag_stages stages_of(const struct snag_analyze_options *options,
				  const struct snag_detector *d)
{
	bool decides = d->decide && !options->undecided;
	return d->has_stages || decides ? options->stages : SNAG_STAGES_EXACT;
}

static uint64_t max_races(const struct snag_analyze_options *options)
{
	if (options->max_races)
		return options->max_races;
	return options->pairs ? SNAG_ALL_RACES : SNAG_MAX_RACES;
}

static void stat_add(void *ctx, const char *name, uint64_t value)
{
	struct snag_findings *f = ctx;
	f->stat = snag_grow(f->stat, &f->stat_cap, f->nstats + 1, sizeof(*f->stat));
	f->stat[f->nstats++] = (struct snag_stat){name, value};
}

/* Ends a detector that may have been left out. */
static void detector_end(struct snag_analyze_run *r, size_t i)
{
	struct snag_collector *c = &r->collector[i];
	struct snag_findings *f = c->findings;
	/* Skipped or unread events may have had races. */
	bool is_whole = !r->analysis->interrupted && r->src->skipped == 0;
	f->complete &= is_whole;
	f->race_free = c->detector->proves && is_whole && f->nraces == 0 &&
		       c->detector->proves(r->state[i]);
	if (c->detector->stats)
		c->detector->stats(r->state[i], stat_add, f);
	snag_collector_sort(c);
	snag_collector_done(c);
	c->detector->close(r->state[i]);
}

/* Closes the gaps of the detectors that were left out. */
static void findings_compact(struct snag_analyze_run *r)
{
	struct snag_analysis *a = r->analysis;
	size_t to = 0;
	for (size_t i = 0; i < a->n; i++) {
		if (r->is_out[i]) {
			snag_findings_done(&a->findings[i]);
			continue;
		}
		a->findings[to] = a->findings[i];
		a->detector[to++] = r->options->detector[i];
	}
	a->n = to;
}

int snag_analyze_whole(const struct snag_whole *whole, const struct snag_analyze_options *options,
		       struct snag_analysis *ret_analysis, struct snag_error *err)
{
	struct snag_analysis *a = ret_analysis;
	struct snag_analyze_run r = {.src = whole->src,
				     .options = options,
				     .analysis = a,
				     .err = err,
				     .trace = whole->trace,
				     .contended = whole->contended,
				     .most = whole->most ? whole->most
							 : snag_windows_events(options, 0),
				     .is_lent = whole->trace != NULL};
	memset(a, 0, sizeof(*a));
	a->details = snag_alloc(sizeof(*a->details));
	snag_details_init(a->details);
	a->n = options->ndetectors;
	snag_recent_init(&r.recent, snag_run_needs_window(&r));
	for (size_t i = 0; i < a->n; i++) {
		const struct snag_detector *d = options->detector[i];
		snag_collector_init(&r.collector[i], d, &r.recent, &a->findings[i], options->pairs);
		snag_collector_bound(&r.collector[i], max_races(options));
		r.collector[i].by_variable = options->by_variable;
		r.collector[i].decides &= !options->undecided;
		r.collector[i].env.jobs = options->jobs ? options->jobs : snag_parallel_default();
		r.collector[i].env.budget = options->budget;
		r.collector[i].env.shard = options->shard;
		r.collector[i].env.nshards = options->nshards;
		r.collector[i].env.stages = stages_of(options, d);
		r.collector[i].env.rules = options->rules;
		r.collector[i].env.order_races = options->order_races && d->orders_races;
		a->findings[i].orders_races = r.collector[i].env.order_races;
		a->findings[i].by_paper = r.collector[i].env.stages == SNAG_STAGES_PAPER;
		r.collector[i].env.stop = options->stop;
		r.collector[i].env.rows = options->rows;
		r.collector[i].env.ordered = options->ordered;
		r.collector[i].env.on_decided = options->decided;
		r.collector[i].env.decided_ctx = options->progress_ctx;
		r.state[i] = d->open(&r.collector[i].env);
	}
	int rc = second_reading_prepare(&r);
	if (rc == 0)
		rc = first_reading(&r);
	a->interrupted |= whole->is_cut;
	a->ops = r.ops;
	snag_fit_end(&r);
	if (rc == 0)
		rc = snag_run_second_part(&r);
	if (rc == 0)
		rc = snag_run_look_up_details(&r);
	for (size_t i = 0; i < a->n; i++)
		detector_end(&r, i);
	findings_compact(&r);
	snag_recent_done(&r.recent);
	snag_log_done(r.log);
	free(r.log);
	trace_drop(&r);
	if (rc < 0)
		snag_analysis_done(a);
	return rc;
}

void snag_analysis_leave_out(struct snag_analysis *a, size_t detector)
{
	snag_findings_done(&a->findings[detector]);
	a->n--;
	for (size_t i = detector; i < a->n; i++) {
		a->findings[i] = a->findings[i + 1];
		a->detector[i] = a->detector[i + 1];
	}
}

void snag_analysis_done(struct snag_analysis *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		snag_findings_done(&a->findings[i]);
	if (a->details)
		snag_details_done(a->details);
	free(a->details);
	snag_stretches_done(&a->stretches);
	if (a->names)
		snag_names_done(a->names);
	free(a->names);
	if (a->slice)
		snag_slice_done(a->slice);
	free(a->slice);
	memset(a, 0, sizeof(*a));
}
