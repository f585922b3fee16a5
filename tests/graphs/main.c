/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - graph detectors on random traces of tasks
 *
 * Of every trace, each detector must report exactly the racy variables, only pairs that race,
 * and that the trace is race-free on every schedule exactly if no conflicting accesses
 * are unordered when isolated blocks order nothing.  The first failure is printed and ends
 * the run with status 1.
 */
#include "detect/analyze/analyze.h"
#include "truth.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const detectors[] = {"cg", "isograph", "zipper"};

enum { NDETECTORS = sizeof(detectors) / sizeof(detectors[0]) };

struct counts {
	unsigned long passed[NDETECTORS];
	unsigned long waits, spawns, promises, isolated;
	unsigned long racy, ordered; /* variables with a race; with none thanks to isolation */
};

/* The variables with a race if isolated blocks order nothing. */
static uint64_t unordered_variables(const struct snag_trace *trace)
{
	static struct truth truth;
	truth_init(&truth, trace, false);
	return truth_racy_variables(&truth);
}

/* NULL: right; otherwise what is wrong. */
static const char *findings_check(const struct snag_findings *f, const struct truth *truth,
				  bool race_free)
{
	uint64_t racy = 0;
	for (size_t i = 0; i < f->nraces; i++) {
		const struct snag_race *race = &f->race[i];
		if (!truth_is_race(truth, race->first.event, race->second.event))
			return "reports a pair that does not race";
		racy |= 1ULL << race->first.target;
	}
	if (racy != truth_racy_variables(truth))
		return "misses a racy variable";
	if (f->race_free != race_free)
		return race_free ? "does not prove race freedom" : "proves too much";
	return NULL;
}

static const char *detector_check(const char *name, const struct snag_trace *trace,
				  const struct truth *truth, bool race_free)
{
	struct snag_analyze_options options = {
		.ndetectors = 1, .pairs = true, .jobs = 1, .brief = true};
	struct snag_analysis analysis;
	struct snag_error err;
	options.detector[0] = snag_detector_find(name, strlen(name));
	struct snag_source *src = snag_trace_source(trace);
	int rc = snag_analyze(src, &options, &analysis, &err);
	snag_source_close(src);
	if (rc < 0)
		return "cannot judge it";
	const char *wrong = findings_check(&analysis.findings[0], truth, race_free);
	snag_analysis_done(&analysis);
	return wrong;
}

static void trace_print(const struct snag_trace *trace)
{
	for (size_t i = 0; i < trace->n; i++) {
		const struct snag_event *ev = &trace->ev[i];
		enum snag_space space = snag_op_info[ev->op].space;
		printf("%4zu  %s %s%s%s\n", i,
		       snag_name(&trace->names, SNAG_SPACE_THREAD, ev->thread),
		       snag_op_info[ev->op].text, space == SNAG_SPACE_NONE ? "" : " ",
		       space == SNAG_SPACE_NONE ? "" : snag_name(&trace->names, space, ev->target));
	}
}

static bool trace_check(const struct snag_trace *trace, struct counts *counts)
{
	static struct truth truth;
	truth_init(&truth, trace, true);
	uint64_t racy = truth_racy_variables(&truth), unordered = unordered_variables(trace);
	bool race_free = unordered == 0;
	counts->racy += (unsigned)__builtin_popcountll(racy);
	counts->ordered += (unsigned)__builtin_popcountll(unordered & ~racy);
	for (unsigned i = 0; i < NDETECTORS; i++) {
		const char *wrong = detector_check(detectors[i], trace, &truth, race_free);
		if (wrong) {
			printf("%s %s:\n", detectors[i], wrong);
			trace_print(trace);
			return false;
		}
		counts->passed[i]++;
	}
	return true;
}

static void counts_print(const struct counts *c)
{
	unsigned long passed = 0;
	printf("variables with a race %lu, with none thanks to isolation %lu; traces with spawns "
	       "%lu, "
	       "promises %lu, a task that waited for a promise %lu, isolated blocks %lu\n",
	       c->racy, c->ordered, c->spawns, c->promises, c->waits, c->isolated);
	for (unsigned i = 0; i < NDETECTORS; i++) {
		printf("%s: %lu passed, 0 did not apply\n", detectors[i], c->passed[i]);
		passed += c->passed[i];
	}
	printf("%lu passed, 0 failed\n", passed);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {{"traces", 1, NULL, 'n'},
					      {"first", 1, NULL, 'f'},
					      {"seed", 1, NULL, 's'},
					      {"events", 1, NULL, 'e'},
					      {0}};
	uint64_t traces = 20000, first = 0, seed = 1, events = 0;
	struct counts counts = {0};
	for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
		uint64_t *to = c == 'n' ? &traces : c == 'f' ? &first : c == 's' ? &seed : &events;
		if (c == '?') {
			fputs("usage: oracle-graphs [--traces N] [--first N] [--seed S] [--events "
			      "N]\n",
			      stderr);
			return 2;
		}
		*to = strtoull(optarg, NULL, 10);
	}
	for (uint64_t i = first; i < first + traces; i++) {
		struct prng random = {seed * 0x9e3779b97f4a7c15u + i * 0xff51afd7ed558ccdu};
		struct random_shape shape;
		struct snag_trace trace;
		random_tasks(&random, events ? (unsigned)events : prng_range(&random, 5, 80),
			     &trace, &shape);
		counts.waits += shape.has_waits;
		counts.spawns += shape.has_spawns;
		counts.promises += shape.has_promises;
		counts.isolated += shape.has_isolated;
		bool ok = trace_check(&trace, &counts);
		snag_trace_done(&trace);
		if (!ok) {
			printf("trace %" PRIu64 " of seed %" PRIu64 "\n", i, seed);
			return 1;
		}
	}
	counts_print(&counts);
	return 0;
}
