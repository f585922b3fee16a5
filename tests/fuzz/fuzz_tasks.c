/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_tasks.c - any events as a trace of tasks
 *
 * Three bytes are an event: operation, task, operand.  The rules of traces take out what
 * cannot be; whatever detector of tasks then judges the rest must do so without harm, and all
 * that look for parallel accesses must name races of the same variables.
 */
#include "detect/analyze/analyze.h"
#include "fuzz.h"
#include "trace/trace.h"

#include <string.h>

enum { IDS = 8, MAX_EVENTS = 400 };

static void trace_make(struct snag_trace *trace, const uint8_t *bytes, size_t n)
{
	static const char *const names[IDS] = {"0", "1", "2", "3", "4", "5", "6", "7"};
	snag_trace_init(trace);
	for (size_t i = 0; i + 3 <= n && trace->n < MAX_EVENTS; i += 3) {
		enum snag_op op = (enum snag_op)(bytes[i] % SNAG_OPS);
		uint32_t ops = SNAG_OPS_COMMON | SNAG_OPS_OF_TASKS;
		if (ops >> op & 1)
			snag_trace_add(trace, names[bytes[i + 1] % IDS], op,
				       names[bytes[i + 2] % IDS], names[i % IDS]);
	}
}

static uint32_t racy_variables(const struct snag_findings *f)
{
	uint32_t racy = 0;
	for (size_t i = 0; i < f->nraces; i++)
		racy |= UINT32_C(1) << f->race[i].second.target;
	return racy;
}

static void analyze(const struct snag_trace *trace, bool lenient)
{
	static const char *const names[] = {"spbags", "espbags", "drdp"};
	struct snag_analyze_options options = {.fitting = true, .jobs = 1};
	struct snag_source_options rules = {.lenient = lenient};
	struct snag_source *src = snag_wellformed_source(snag_trace_source(trace), &rules);
	struct snag_analysis analysis;
	struct snag_error err = {0};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		options.detector[options.ndetectors++] =
			snag_detector_find(names[i], strlen(names[i]));
	int rc = snag_analyze(src, &options, &analysis, &err);
	if (rc < 0) {
		fuzz_require(rc == err.code && err.msg[0]);
	} else {
		for (size_t i = 1; i < analysis.n; i++)
			fuzz_require(racy_variables(&analysis.findings[i]) ==
				     racy_variables(&analysis.findings[0]));
		snag_analysis_done(&analysis);
	}
	snag_source_close(src);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct snag_trace trace;
	trace_make(&trace, bytes, n);
	analyze(&trace, false);
	analyze(&trace, true);
	snag_trace_done(&trace);
	return 0;
}
