/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_task.c - any bytes as a program of the task language
 *
 * What must hold: an error names its place; a program that parses runs, within its steps, to an
 * end or to an error with a place; its events are in bounds and keep the rules of traces;
 * running it again gives the same events; without isolated blocks, detectors that share no
 * code agree on the variables that race.
 */
#include "fuzz.h"

#include "detect/analyze/analyze.h"
#include "lang/machine.h"
#include "lang/run.h"
#include "trace/trace.h"

#include <string.h>

enum { STEPS = 20000, MAX_SLOTS = 1 << 16 };

/* "fuzz:LINE:COLUMN: words" */
static void require_place(const struct snag_error *err)
{
	unsigned line = 0, column = 0;
	int n = 0;
	fuzz_require(sscanf(err->msg, "fuzz:%u:%u: %n", &line, &column, &n) == 2);
	fuzz_require(line > 0 && column > 0 && n > 0 && err->msg[n]);
}

static struct snag_source *source(const struct snag_program *program)
{
	const struct snag_run_options options = {.steps = STEPS};
	struct snag_source *src;
	struct snag_error err;
	fuzz_require(snag_run_source(program, &options, &src, &err) == 0);
	return src;
}

/* Reads a run to its end, which it returns: 0 or an error. */
static int load(struct snag_trace *trace, struct snag_source *src, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		for (size_t i = 0; i < batch.n; i++) {
			const struct snag_event *ev = &batch.ev[i];
			enum snag_space space = snag_op_info[ev->op].space;
			fuzz_require(ev->thread < batch.counts.n[SNAG_SPACE_THREAD]);
			fuzz_require(ev->loc < batch.counts.n[SNAG_SPACE_LOCATION]);
			fuzz_require(space == SNAG_SPACE_NONE ? ev->target == 0
							      : ev->target < batch.counts.n[space]);
		}
		snag_trace_append(trace, &batch);
	}
	if (rc == 0)
		snag_trace_names(trace, src);
	return rc;
}

static void require_rules(const struct snag_trace *trace)
{
	const struct snag_source_options options = {0};
	struct snag_source *src = snag_wellformed_source(snag_trace_source(trace), &options);
	struct snag_batch batch;
	struct snag_error err;
	int rc;
	while ((rc = snag_source_next(src, &batch, &err)) > 0)
		;
	if (rc < 0)
		fprintf(stderr, "%s\n", err.msg);
	fuzz_require(rc == 0);
	snag_source_close(src);
}

/* One flag for each variable. */
static bool *racy_variables(const struct snag_trace *trace, const char *detector)
{
	struct snag_analyze_options options = {.by_variable = true, .brief = true, .jobs = 1};
	struct snag_source *src = snag_trace_source(trace);
	struct snag_analysis a;
	struct snag_error err;
	bool *racy = calloc(trace->names.space[SNAG_SPACE_VARIABLE].n + 1, sizeof(*racy));
	options.detector[options.ndetectors++] = snag_detector_find(detector, strlen(detector));
	fuzz_require(snag_analyze(src, &options, &a, &err) == 0);
	for (size_t i = 0; i < a.findings[0].nraces; i++)
		racy[a.findings[0].race[i].second.target] = true;
	snag_analysis_done(&a);
	snag_source_close(src);
	return racy;
}

static void require_agreement(const struct snag_trace *trace)
{
	bool *drdp = racy_variables(trace, "drdp"), *cg = racy_variables(trace, "cg");
	size_t n = trace->names.space[SNAG_SPACE_VARIABLE].n;
	fuzz_require(memcmp(drdp, cg, n * sizeof(*cg)) == 0);
	free(drdp);
	free(cg);
}

static void run(const struct snag_program *program)
{
	struct snag_trace once, twice;
	struct snag_error err, again;
	struct snag_source *src = source(program), *other;
	snag_trace_init(&once);
	snag_trace_init(&twice);
	int rc = load(&once, src, &err);
	fuzz_require(snag_source_again(src, &other, &again) == 1);
	fuzz_require(load(&twice, other, &again) == rc);
	fuzz_require(once.n == twice.n);
	fuzz_require(once.n == 0 || memcmp(once.ev, twice.ev, once.n * sizeof(*once.ev)) == 0);
	if (rc < 0) {
		require_place(&err);
		fuzz_require(strcmp(err.msg, again.msg) == 0);
	} else {
		require_rules(&once);
		if (snag_program_first(program, SNAG_OP_ISOLATED_BEGIN).line == 0)
			require_agreement(&once);
	}
	snag_source_close(src);
	snag_source_close(other);
	snag_trace_done(&once);
	snag_trace_done(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct snag_program *program;
	struct snag_error err = {0};
	if (snag_program_parse("fuzz", (const char *)bytes, n, &program, &err) < 0) {
		fuzz_require(err.code == SNAG_EINPUT);
		require_place(&err);
		return 0;
	}
	if (snag_program_slots(program) <= MAX_SLOTS) /* clearing more takes its time */
		run(program);
	snag_program_free(program);
	return 0;
}
