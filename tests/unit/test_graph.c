/* SPDX-License-Identifier: Apache-2.0
 *
 * test_graph.c - graph detectors on the counterexamples of the literature, and on nonsense
 *
 * Random programs are compared with the definition in tests/graphs/ and tests/oracle/.
 */
#include "detect/analyze/analyze.h"
#include "trace/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const detectors[] = {"cg", "zipper", "isograph"};

enum { NDETECTORS = 3 };

static const struct {
	const char *text;
	enum snag_op op;
} words[] = {
	{"w", SNAG_OP_WRITE},
	{"r", SNAG_OP_READ},
	{"async", SNAG_OP_TASK_CREATE},
	{"end", SNAG_OP_TASK_END},
	{"iso", SNAG_OP_ISOLATED_BEGIN},
	{"isoend", SNAG_OP_ISOLATED_END},
	{"spawn", SNAG_OP_TASK_SPAWN},
	{"sync", SNAG_OP_SYNC},
	{"set", SNAG_OP_PROMISE_SET},
	{"get", SNAG_OP_PROMISE_GET},
};

/* Events as "TASK word [operand]; ..." */
static void trace_parse(struct snag_trace *trace, const char *text)
{
	char task[8], word[16], operand[8];
	int n;
	snag_trace_init(trace);
	while (sscanf(text, " %7s %15[a-z] %7[^; ]%n", task, word, operand, &n) == 3 ||
	       (strcpy(operand, ""), sscanf(text, " %7s %15[a-z]%n", task, word, &n) == 2)) {
		unsigned i = 0;
		while (strcmp(words[i].text, word) != 0)
			i++;
		snag_trace_add(trace, task, words[i].op, operand, "1");
		text += n;
		text += *text == ';';
	}
}

/* "race", "race-free" or "no-race-found" */
static const char *verdict(const struct snag_trace *trace, const char *name)
{
	struct snag_analyze_options options = {.ndetectors = 1, .jobs = 1, .brief = true};
	struct snag_analysis analysis;
	options.detector[0] = snag_detector_find(name, strlen(name));
	struct snag_source *src = snag_trace_source(trace);
	assert_int_equal(snag_analyze(src, &options, &analysis, NULL), 0);
	snag_source_close(src);
	const struct snag_findings *f = &analysis.findings[0];
	const char *answer = f->nraces ? "race" : f->race_free ? "race-free" : "no-race-found";
	snag_analysis_done(&analysis);
	return answer;
}

static void test_cases(void **state)
{
	static const char *const cases[][2] = {
		/* Where the published zipper errs. */
		{"0 async 1; 0 iso; 0 w x; 0 isoend; 1 iso; 1 w x; 1 isoend; 1 end",
		 "no-race-found"},
		{"0 async 1; 1 async 2; 2 end; 1 r x; 1 end; 0 w x", "race"},
		{"0 async 1; 1 w x; 1 async 2; 2 end; 1 iso; 1 isoend; 1 end; 0 iso; 0 w x; 0 "
		 "isoend",
		 "no-race-found"},
		/* An escaping task; what the sync waits for. */
		{"0 spawn 1; 1 async 2; 2 w x; 2 end; 1 end; 0 sync; 0 w x", "race"},
		{"0 spawn 1; 1 w x; 1 end; 0 sync; 0 w x", "race-free"},
		{"0 async 1; 1 w x; 1 set p; 1 end; 0 get p; 0 w x", "race-free"},
		{"0 async 1; 1 set p; 1 w x; 1 end; 0 get p; 0 w x", "race"},
	};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (unsigned d = 0; d < NDETECTORS; d++) {
			struct snag_trace trace;
			trace_parse(&trace, cases[i][0]);
			assert_string_equal(verdict(&trace, detectors[d]), cases[i][1]);
			snag_trace_done(&trace);
		}
}

/* Whatever the events, nothing breaks. */
static void test_nonsense(void **state)
{
	srand(1);
	for (unsigned round = 0; round < 2000; round++) {
		struct snag_trace trace;
		snag_trace_init(&trace);
		for (unsigned i = 0; i < 60; i++) {
			static const char *const operand[] = {"0", "1", "2", "3", "4", "5"};
			int op = rand() % SNAG_OPS;
			if (!((SNAG_OPS_COMMON | SNAG_OPS_OF_TASKS) >> op & 1))
				op = SNAG_OP_WRITE;
			snag_trace_add(&trace, operand[rand() % 6], (enum snag_op)op,
				       operand[rand() % 6], "1");
		}
		for (unsigned d = 0; d < NDETECTORS; d++)
			verdict(&trace, detectors[d]);
		snag_trace_done(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
