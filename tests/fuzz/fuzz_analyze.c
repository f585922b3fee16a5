/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_analyze.c - any bytes as an STD trace, analysed as `snag analyze --with all` does
 *
 * The checker, which shares no code with the detectors, must accept each witness they find.  The
 * report is printed as text and as JSON.
 */
#include "detect/analyze/analyze.h"
#include "fuzz.h"
#include "report/report.h"
#include "trace/format.h"
#include "trace/input.h"
#include "trace/trace.h"

#include <stdlib.h>

enum { MAX_EVENTS = 400, BUDGET = 20 };

static void witness_require(const struct snag_trace *trace, const struct snag_analysis *a,
			    const struct snag_race *race)
{
	struct snag_error err = {0};
	struct snag_witness w = {.event = race->witness, .n = race->nwitness};
	if (race->nprefix)
		w.prefix = snag_race_prefix_counts(race, a->stretches.nthreads);
	fuzz_require(snag_witness_check(trace, &w, SNAG_RULES_AUTO, &err) == 0);
	free(w.prefix);
}

static void report_print(const struct snag_analysis *a, const struct snag_source *src)
{
	struct snag_report_part part[SNAG_MAX_DETECTORS];
	struct snag_report report = {.trace = src->name,
				     .names = snag_analysis_names(a, src),
				     .events = a->events,
				     .counts = a->counts,
				     .stretches = &a->stretches,
				     .part = part,
				     .nparts = a->n};
	const struct snag_text_options options = {0};
	struct snag_merged merged = {0};
	struct snag_printer to;
	for (size_t i = 0; i < a->n; i++)
		part[i] = (struct snag_report_part){.findings = &a->findings[i],
						    .kind = a->detector[i]->kind,
						    .guarantee = a->detector[i]->guarantee};
	snag_report_merge(&report, &merged);
	fuzz_require(snag_printer_open(&to, "/dev/null", NULL) == 0);
	snag_report_text(&report, &merged, &options, &to);
	snag_report_json(&report, &to);
	snag_printer_commit(&to, NULL);
	snag_merged_done(&merged);
}

static void analyze(const struct snag_trace *trace)
{
	struct snag_analyze_options options = {.fitting = true, .jobs = 1, .budget = BUDGET};
	struct snag_analysis analysis;
	struct snag_error err = {0};
	for (size_t i = 0; snag_detectors[i]; i++)
		options.detector[options.ndetectors++] = snag_detectors[i];
	struct snag_source *src = snag_trace_source(trace);
	int rc = snag_analyze(src, &options, &analysis, &err);
	if (rc < 0) {
		fuzz_require(rc == err.code && err.msg[0]);
	} else {
		for (size_t i = 0; i < analysis.n; i++)
			for (size_t k = 0; k < analysis.findings[i].nraces; k++)
				if (analysis.findings[i].race[k].nwitness)
					witness_require(trace, &analysis,
							&analysis.findings[i].race[k]);
		report_print(&analysis, src);
		snag_analysis_done(&analysis);
	}
	snag_source_close(src);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct snag_source_options rules = {.lenient = true};
	struct snag_input *in = snag_input_from_memory("input", n ? (const void *)bytes : "", n);
	struct snag_source *src;
	struct snag_trace trace;
	struct snag_error err = {0};
	snag_trace_init(&trace);
	fuzz_require(snag_std_source(in, &rules, &src, &err) == 0);
	src = snag_wellformed_source(src, &rules);
	if (snag_trace_load(&trace, src, &err) == 0 && trace.n <= MAX_EVENTS)
		analyze(&trace);
	snag_source_close(src);
	snag_trace_done(&trace);
	return 0;
}
