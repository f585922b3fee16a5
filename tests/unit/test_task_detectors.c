/* SPDX-License-Identifier: Apache-2.0
 *
 * test_task_detectors.c - what detectors of tasks refuse, and what surrounds them
 *
 * Which races they find is the business of the oracle (tests/oracle/task_main.c).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "detect/analyze/analyze.h"
#include "trace/sink.h"
#include "trace/trace.h"

/* "0:async(1) 1:w(x) ..."; locations are the numbers of the words. */
static void trace_make(struct snag_trace *trace, const char *words)
{
	char thread[32], op[32], operand[32], location[16];
	int n, number = 0;
	snag_trace_init(trace);
	for (; sscanf(words, " %31[^:]:%31[a-z]%n", thread, op, &n) == 2; words += n) {
		int m = 0;
		unsigned kind = 0;
		operand[0] = '\0';
		if (sscanf(words + n, "(%31[^)])%n", operand, &m) == 1)
			n += m;
		while (strcmp(snag_op_info[kind].text, op) != 0)
			assert_true(++kind < SNAG_OPS);
		snprintf(location, sizeof(location), "L%d", number++);
		snag_trace_add(trace, thread, (enum snag_op)kind, operand, location);
	}
}

/* Runs the detectors of a comma-separated list, or all. */
static int analyze(const char *words, const char *list, bool fitting, struct snag_analysis *ret,
		   struct snag_error *err)
{
	struct snag_analyze_options options = {.fitting = fitting, .jobs = 1};
	struct snag_source_options rules = {0};
	struct snag_trace trace;
	for (size_t i = 0; snag_detectors[i]; i++)
		if (!list)
			options.detector[options.ndetectors++] = snag_detectors[i];
	for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',') {
		const struct snag_detector *d = snag_detector_find(at, strcspn(at, ","));
		assert_non_null(d);
		options.detector[options.ndetectors++] = d;
	}
	trace_make(&trace, words);
	struct snag_source *src = snag_wellformed_source(snag_trace_source(&trace), &rules);
	int rc = snag_analyze(src, &options, ret, err);
	snag_source_close(src);
	snag_trace_done(&trace);
	return rc;
}

static bool has(const struct snag_analysis *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->detector[i]->name, name) == 0) {
			assert_string_equal(a->findings[i].name, name);
			return true;
		}
	return false;
}

static void test_refuse(void **state)
{
	static const struct {
		const char *detector, *words, *message;
	} table[] = {
		{"hb", "0:w(x) 0:async(1)",
		 "event 1: hb: cannot judge a trace with 'async'; can: drdp"},
		{"m2", "0:finish", "event 0: m2: cannot judge a trace with 'finish'; can: drdp"},
		{"drdp", "0:w(x) 0:fork(1)",
		 "event 1: drdp: cannot judge a trace with 'fork'; can: hb"},
		{"drdp", "0:w(x) 1:acq(l)", "event 1: drdp: no task created this one"},
		{"isograph", "0:async(1) 1:acq(l)",
		 "event 1: isograph: cannot judge a trace with 'acq'; can: drdp"},
		{"espbags", "0:set(p)",
		 "event 0: espbags: cannot judge a trace with 'set'; can: drdp"},
		{"spbags", "0:finish 0:spawn(1) 1:finish",
		 "event 2: spbags: cannot judge a finish inside a task; can: espbags"},
		{"spbags", "0:iso", "event 0: spbags: cannot judge a trace with 'iso'; can: drdp"},
		{"drdp", "0:w(x) 1:w(x)", "event 1: drdp: no task created this one"},
		{"espbags", "0:async(1) 0:w(x)",
		 "event 1: espbags: needs a serial run, but task 0 goes on before task 1 has "
		 "ended"},
		{"espbags", "0:async(1) 1:spawn(2) 2:taskend 1:taskend",
		 "event 3: espbags: a task ends without waiting for one that it spawned"},
		{"spbags", "0:frame 0:spawn(2) 2:taskend 0:frameend",
		 "event 3: spbags: a procedure ends without waiting for a task that it spawned"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct snag_analysis analysis;
		struct snag_error err = {0};
		char expected[256];
		int rc = analyze(table[i].words, table[i].detector, false, &analysis, &err);
		assert_int_equal(rc, SNAG_EINPUT);
		snprintf(expected, sizeof(expected), "<memory>: %s", table[i].message);
		assert_string_equal(err.msg, expected);
		/* Alone, it is an error as well if only fitting ones are wanted. */
		assert_int_equal(analyze(table[i].words, table[i].detector, true, &analysis, &err),
				 SNAG_EINPUT);
	}
}

static void test_fitting(void **state)
{
	struct snag_analysis a;
	struct snag_error err;
	assert_int_equal(analyze("0:w(x) 0:async(1) 1:w(x) 1:taskend", NULL, true, &a, &err), 0);
	assert_true(has(&a, "drdp") && has(&a, "espbags") && has(&a, "spbags"));
	assert_false(has(&a, "hb") || has(&a, "m2") || has(&a, "wcp"));
	snag_analysis_done(&a);
	assert_int_equal(analyze("0:async(1) 0:w(x) 1:w(x)", NULL, true, &a, &err), 0);
	assert_true(has(&a, "drdp"));
	assert_false(has(&a, "espbags") || has(&a, "spbags")); /* it is not serial */
	snag_analysis_done(&a);
	assert_int_equal(analyze("0:w(x) 1:w(x) 0:acq(l)", NULL, true, &a, &err), 0);
	assert_true(has(&a, "hb") && has(&a, "m2"));
	assert_false(has(&a, "drdp") || has(&a, "espbags"));
	snag_analysis_done(&a);
	assert_int_equal(analyze("0:w(x) 1:w(x)", NULL, true, &a, &err), 0); /* of threads */
	assert_true(has(&a, "hb"));
	assert_false(has(&a, "drdp"));
	assert_int_equal(a.findings[0].nraces, 1);
	snag_analysis_done(&a);
}

static void test_sites(void **state)
{
	static const char *const detectors[] = {"spbags", "espbags", "drdp"};
	for (size_t i = 0; i < 3; i++) {
		struct snag_analysis a;
		struct snag_error err;
		assert_int_equal(analyze("0:r(x) 0:async(1) 1:w(x) 1:w(y) 1:taskend 0:w(y) 0:r(x)",
					 detectors[i], false, &a, &err),
				 0);
		const struct snag_findings *f = &a.findings[0];
		assert_int_equal(f->nraces, 2);
		assert_int_equal(f->nracy, 2);
		assert_int_equal(f->race[0].first.event, 3);
		assert_int_equal(f->race[0].second.event, 5);
		assert_int_equal(f->race[1].first.event, 2);
		assert_int_equal(f->race[1].first.thread, 1);
		assert_int_equal(f->race[1].first.op, SNAG_OP_WRITE);
		assert_int_equal(f->race[1].first.loc, 2);
		assert_int_equal(f->race[1].second.event, 6);
		assert_int_equal(f->race[1].second.thread, 0);
		assert_int_equal(f->race[1].second.op, SNAG_OP_READ);
		assert_false(f->race_free);
		snag_analysis_done(&a);
	}
}

static void test_race_free(void **state)
{
	static const struct {
		const char *words;
		bool race_free;
	} table[] = {
		{"0:async(1) 1:w(x) 1:taskend 0:w(y)", true},
		{"0:async(1) 1:iso 1:w(x) 1:isoend 1:taskend 0:iso 0:w(y) 0:isoend", true},
		{"0:async(1) 1:iso 1:upd(a) 1:w(x) 1:updend(a) 1:isoend 1:taskend "
		 "0:iso 0:upd(a) 0:w(x) 0:updend(a) 0:isoend",
		 true},
		{"0:async(1) 1:iso 1:upd(a) 1:w(x) 1:updend(a) 1:isoend 1:taskend "
		 "0:iso 0:upd(b) 0:w(x) 0:updend(b) 0:isoend",
		 false},
		{"0:async(1) 1:iso 1:r(x) 1:isoend 1:taskend 0:iso 0:r(x) 0:isoend", true},
		{"0:async(1) 1:iso 1:w(x) 1:isoend 1:taskend 0:iso 0:r(x) 0:isoend", false},
		{"0:finish 0:async(1) 1:iso 1:w(x) 1:isoend 1:taskend 0:finishend 0:iso 0:w(x)",
		 true},
	};
	static const char *const detectors[] = {"espbags", "drdp"};
	for (size_t i = 0; i < 2 * sizeof(table) / sizeof(table[0]); i++) {
		struct snag_analysis a;
		struct snag_error err;
		assert_int_equal(analyze(table[i / 2].words, detectors[i % 2], false, &a, &err), 0);
		assert_int_equal(a.findings[0].nraces, 0);
		assert_int_equal(a.findings[0].race_free, table[i / 2].race_free);
		snag_analysis_done(&a);
	}
}

/* Through a file, where the first access of a race is looked up in a second reading. */
/* Runs as ours are not, in which a read must not be forgotten for an earlier one that a promise
 * puts before the write. */
static void test_readers(void **state)
{
	static const struct {
		const char *words;
		uint32_t first, second;
	} table[] = {
		/* Tasks go on when the first one has ended: 4 and 5 are side by side, though there
		 * are as many tasks as 4 has with its ancestors. */
		{"0:async(1) 0:async(2) 0:taskend 2:taskend 1:async(4) 1:async(5) 4:r(x) 5:r(x) "
		 "4:set(p) 1:async(6) 6:get(p) 6:w(x)",
		 7, 11},
		/* A step that began first is the last to set a promise. */
		{"0:spawn(1) 0:r(x) 1:r(x) 1:set(p) 0:set(q) 1:taskend 0:spawn(2) 2:r(x) "
		 "2:taskend 0:get(p) 0:w(x) 0:sync",
		 7, 10},
	};
	for (size_t k = 0; k < sizeof(table) / sizeof(table[0]); k++) {
		struct snag_analysis analysis;
		struct snag_error err;
		assert_int_equal(
			analyze(table[k].words, "drdp,cg,isograph", false, &analysis, &err), 0);
		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(analysis.findings[i].nraces, 1);
			const struct snag_race *race = &analysis.findings[i].race[0];
			assert_int_equal(race->first.event, table[k].first);
			assert_int_equal(race->second.event, table[k].second);
		}
		snag_analysis_done(&analysis);
	}
}

static void test_file(void **state)
{
	char path[] = "/tmp/snag-test-XXXXXX.snag";
	struct snag_analyze_options options = {.detector = {snag_detector_find("drdp", 4)},
					       .ndetectors = 1};
	struct snag_source_options rules = {0};
	struct snag_analysis a;
	struct snag_trace trace;
	struct snag_batch batch;
	struct snag_sink *sink;
	struct snag_error err;
	int fd = mkstemps(path, 5);
	assert_true(fd >= 0);
	close(fd);
	trace_make(&trace,
		   "0:async(1) 1:w(x) 0:set(p) 1:get(p) 1:taskend 0:frame 0:spawn(2) 2:r(x) "
		   "2:taskend 0:sync 0:frameend 0:finish 0:finishend 0:iso 0:isoend");
	struct snag_source *src = snag_trace_source(&trace);
	assert_int_equal(snag_sink_open(path, 0, &sink, &err), 0);
	while (snag_source_next(src, &batch, &err) > 0)
		assert_int_equal(snag_sink_write(sink, &batch, src->names, &err), 0);
	assert_int_equal(snag_sink_commit(sink, &err), 0);
	snag_source_close(src);
	assert_int_equal(snag_source_open(path, &rules, &src, &err), 0);
	assert_int_equal(snag_analyze(src, &options, &a, &err), 0);
	assert_int_equal(a.events, trace.n);
	assert_int_equal(a.findings[0].nraces, 1);
	assert_int_equal(a.findings[0].race[0].first.event, 1);
	assert_int_equal(a.findings[0].race[0].second.event, 7);
	assert_true(a.findings[0].nstats > 0);
	snag_analysis_done(&a);
	snag_source_close(src);
	snag_trace_done(&trace);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuse),	cmocka_unit_test(test_fitting),
		cmocka_unit_test(test_sites),	cmocka_unit_test(test_race_free),
		cmocka_unit_test(test_readers), cmocka_unit_test(test_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
