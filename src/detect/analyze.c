/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze.c - run detectors over a trace and collect what they find
 */
#include "detect/analyze.h"

#include "base/memory.h"
#include "detect/collector.h"

#include <string.h>
#include <time.h>

struct run {
	struct snag_collector collector;
	void *state; /* of the detector */
};

static double seconds_now(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Calls `step` for each run and adds the time to its findings. */
static void each_timed(struct run *run, size_t n, const struct snag_batch *batch,
		       void (*step)(struct run *run, const struct snag_batch *batch))
{
	double begin = seconds_now();
	for (size_t i = 0; i < n; i++) {
		step(&run[i], batch);
		double end = seconds_now();
		run[i].collector.findings->seconds += end - begin;
		begin = end;
	}
}

static void run_batch(struct run *run, const struct snag_batch *batch)
{
	run->collector.detector->events(run->state, batch);
}

static void run_finish(struct run *run, const struct snag_batch *batch)
{
	snag_collector_finish(&run->collector);
}

static int source_run(struct snag_source *src, const struct snag_analyze_options *options,
		      struct run *run, struct snag_analysis *a, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		if (batch.counts.n[SNAG_SPACE_THREAD] > SNAG_LOG_MAX_THREADS)
			return snag_fail(err, SNAG_EINPUT, "%s: more than %d threads", src->name,
					 SNAG_LOG_MAX_THREADS);
		snag_log_add(a->log, &batch);
		each_timed(run, a->n, &batch, run_batch);
		a->events += batch.n;
		a->counts = batch.counts;
		if (options->progress)
			options->progress(options->progress_ctx, a->events,
					  snag_source_progress(src));
		if (options->stop && *options->stop) {
			a->interrupted = true;
			return 0;
		}
	}
	return rc;
}

int snag_analyze(struct snag_source *src, const struct snag_analyze_options *options,
		 struct snag_analysis *ret_analysis, struct snag_error *err)
{
	struct snag_analysis *a = ret_analysis;
	struct run run[SNAG_MAX_DETECTORS];
	memset(a, 0, sizeof(*a));
	a->log = snag_alloc(sizeof(*a->log));
	snag_log_init(a->log);
	a->n = options->ndetectors;
	for (size_t i = 0; i < a->n; i++) {
		const struct snag_detector *d = options->detector[i];
		snag_collector_init(&run[i].collector, d, a->log, &a->findings[i], options->pairs);
		run[i].state = d->open(&run[i].collector.env);
	}
	int rc = source_run(src, options, run, a, err);
	if (rc == 0)
		each_timed(run, a->n, NULL, run_finish);
	for (size_t i = 0; i < a->n; i++) {
		snag_collector_done(&run[i].collector);
		run[i].collector.detector->close(run[i].state);
	}
	if (rc < 0)
		snag_analysis_done(a);
	return rc;
}

void snag_analysis_done(struct snag_analysis *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n; i++)
		snag_findings_done(&a->findings[i]);
	if (a->log)
		snag_log_done(a->log);
	free(a->log);
	memset(a, 0, sizeof(*a));
}
