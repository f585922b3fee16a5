/* SPDX-License-Identifier: Apache-2.0
 *
 * test_report.c - the JSON writer, merging, and the reports of races with a witness
 */
#include "unit.h"

#include "base/memory.h"
#include "report/json_writer.h"
#include "report/report.h"
#include "report/utf8.h"
#include "trace/trace.h"
#include "witness/witness.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static char path[128];

static int folder_make(void **state)
{
	strcpy(folder, "/tmp/snag-report-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/out", folder);
	return 0;
}

static int folder_remove(void **state)
{
	char file[160];
	for (int i = 0; i < 9; i++) {
		snprintf(file, sizeof(file), "%s/race-%d.json", folder, i);
		unlink(file);
	}
	unlink(path);
	return rmdir(folder);
}

static char *file_text(void)
{
	char *text = snag_calloc(1, 1 << 16);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, (1 << 16) - 1, f) < (1 << 16) - 1);
	fclose(f);
	return text;
}

static void test_utf8(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
	} cases[] = {
		{"a", 1},
		{"", 1},
		{"\x7f", 1},
		{"\xc2\x80", 2},
		{"\xdf\xbf", 2},
		{"\xe0\xa0\x80", 3},
		{"\xed\x9f\xbf", 3},
		{"\xee\x80\x80", 3},
		{"\xf0\x90\x80\x80", 4},
		{"\xf4\x8f\xbf\xbf", 4},
		{"\x80", 0},		 /* a tail alone */
		{"\xc1\xbf", 0},	 /* overlong */
		{"\xe0\x9f\xbf", 0},	 /* overlong */
		{"\xf0\x8f\xbf\xbf", 0}, /* overlong */
		{"\xed\xa0\x80", 0},	 /* a surrogate */
		{"\xf4\x90\x80\x80", 0}, /* beyond U+10FFFF */
		{"\xf5\x80\x80\x80", 0},
		{"\xc3", 0}, /* cut */
		{"\xe2\x82", 0},
		{"\xf0\x9f\x98", 0},
		{"\xe2\x28\xa1", 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(snag_utf8_char(cases[i].bytes), cases[i].length);
}

static void test_json_escapes(void **state)
{
	struct snag_printer to;
	struct snag_json j;
	assert_int_equal(snag_printer_open(&to, path, NULL), 0);
	snag_json_init(&j, &to);
	snag_json_array(&j, NULL);
	snag_json_string(&j, NULL, "a\"b\\c\n\t\x01\x7f");
	snag_json_string(&j, NULL, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\xc2\x85");
	snag_json_string(&j, NULL, "\xff\xe2\x82z\xed\xa0\x80");
	snag_json_string(&j, NULL, "");
	snag_json_end(&j);
	assert_int_equal(snag_printer_commit(&to, NULL), 0);
	char *text = file_text();
	assert_string_equal(text, "[\"a\\\"b\\\\c\\u000a\\u0009\\u0001\\u007f\","
				  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\\u0085\","
				  "\"\\ufffd\\ufffd\\ufffdz\\ufffd\\ufffd\\ufffd\",\"\"]\n");
	free(text);
	json_t *parsed = json_load_file(path, 0, NULL);
	assert_string_equal(json_string_value(json_array_get(parsed, 0)), "a\"b\\c\n\t\x01\x7f");
	json_decref(parsed);
}

static void test_json_nesting(void **state)
{
	struct snag_printer to;
	struct snag_json j;
	assert_int_equal(snag_printer_open(&to, path, NULL), 0);
	snag_json_init(&j, &to);
	snag_json_object(&j, NULL);
	snag_json_object(&j, "empty");
	snag_json_end(&j);
	snag_json_array(&j, "list");
	snag_json_newline(&j);
	snag_json_uint(&j, NULL, 0);
	snag_json_uint(&j, NULL, UINT64_MAX);
	snag_json_array(&j, NULL);
	snag_json_bool(&j, NULL, true);
	snag_json_end(&j);
	snag_json_end(&j);
	snag_json_newline(&j);
	snag_json_key(&j, "a \"key\"");
	snag_json_double(&j, NULL, 0.25);
	snag_json_end(&j);
	assert_int_equal(snag_printer_commit(&to, NULL), 0);
	char *text = file_text();
	assert_string_equal(text, "{\"empty\":{},\"list\":[\n0,18446744073709551615,[true]],\n"
				  "\"a \\\"key\\\"\":0.250000}\n");
	free(text);
}

/* Figure 1a of Pavlogiannis, POPL 2020, and what two made-up detectors say about it. */
struct example {
	struct snag_trace trace;
	struct snag_race strong[2], weak[2];
	struct snag_findings findings[2];
	struct snag_report_part part[2];
	struct snag_report report;
};

static uint32_t figure_witness[] = {3, 4, 5, 0, 1, 6};
static const struct snag_held_lock figure_locks[] = {{.lock = 0}};

static void example_init(struct example *e)
{
	static const struct {
		const char *thread;
		enum snag_op op;
		const char *operand, *loc;
	} events[] = {{"T0", SNAG_OP_ACQUIRE, "l", "11"}, {"T0", SNAG_OP_WRITE, "x", "12"},
		      {"T0", SNAG_OP_RELEASE, "l", "13"}, {"T1", SNAG_OP_ACQUIRE, "l", "14"},
		      {"T1", SNAG_OP_WRITE, "x", "14"},	  {"T1", SNAG_OP_RELEASE, "l", "14"},
		      {"T1", SNAG_OP_WRITE, "x", "15"}};
	memset(e, 0, sizeof(*e));
	snag_trace_init(&e->trace);
	for (size_t i = 0; i < 7; i++)
		snag_trace_add(&e->trace, events[i].thread, events[i].op, events[i].operand,
			       events[i].loc);
	struct snag_race race = {
		.first = {1, 0, 0, e->trace.ev[1].loc, SNAG_OP_WRITE, 0, figure_locks, 1},
		.second = {6, 1, 0, e->trace.ev[6].loc, SNAG_OP_WRITE, 0, NULL, 0},
		.count = 1,
		.verdict = SNAG_UNVERIFIED,
		.known = {.event = SNAG_NO_EVENT}};
	e->weak[0] = race; /* the same as strong[0], the locations swapped */
	e->weak[0].first.loc = race.second.loc;
	e->weak[0].second.loc = race.first.loc;
	e->weak[1] = race; /* one of its own */
	e->weak[1].first.loc = e->trace.ev[4].loc;
	e->strong[0] = race;
	e->strong[0].verdict = SNAG_PREDICTED;
	e->strong[0].witness = figure_witness;
	e->strong[0].nwitness = 6;
	e->findings[0] =
		(struct snag_findings){.name = "weak", .race = e->weak, .nraces = 2, .npairs = 2};
	e->findings[1] = (struct snag_findings){
		.name = "strong", .complete = true, .race = e->strong, .nraces = 1, .npairs = 1};
	for (int i = 0; i < 2; i++)
		e->part[i] = (struct snag_report_part){&e->findings[i], "relation", "none"};
	e->report = (struct snag_report){.trace = "figure.std",
					 .names = &e->trace.names,
					 .events = 7,
					 .counts = snag_names_counts(&e->trace.names),
					 .part = e->part,
					 .nparts = 2};
}

static void test_merge(void **state)
{
	struct example e;
	struct snag_merged m;
	example_init(&e);
	snag_report_merge(&e.report, &m);
	assert_int_equal(m.n, 2);
	assert_ptr_equal(m.race[0].race, &e.strong[0]);
	assert_int_equal(m.race[0].found_by, 3);
	assert_int_equal(m.race[0].part, 1);
	assert_int_equal(m.race[0].witness, 1);
	assert_ptr_equal(m.race[1].race, &e.weak[1]);
	assert_int_equal(m.race[1].found_by, 1);
	assert_int_equal(m.race[1].witness, 0);
	assert_int_equal(m.by_verdict[SNAG_OBSERVED], 0);
	assert_int_equal(m.by_verdict[SNAG_PREDICTED], 1);
	assert_int_equal(m.by_verdict[SNAG_UNVERIFIED], 1);
	snag_merged_done(&m);

	e.report.pairs = true; /* now all three are the pair (1, 6) */
	snag_report_merge(&e.report, &m);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.race[0].found_by, 3);
	snag_merged_done(&m);
	snag_trace_done(&e.trace);
}

static void test_witness_text(void **state)
{
	struct example e;
	struct snag_merged m;
	struct snag_printer to;
	example_init(&e);
	snag_report_merge(&e.report, &m);
	assert_int_equal(snag_printer_open(&to, path, NULL), 0);
	snag_report_text(&e.report, &m, &(struct snag_text_options){.limit = 1}, &to);
	assert_int_equal(snag_printer_commit(&to, NULL), 0);
	char *text = file_text();
	assert_non_null(strstr(text, "RACE predicted x: 12 / 15\n"));
	assert_non_null(strstr(text, "A valid reordering of 6 events ends with both: "
				     "3 4 5 0 1 6\n"));
	assert_non_null(strstr(text, "Found by weak and strong.\n"));
	assert_non_null(strstr(text, "1 more race not shown"));
	assert_non_null(strstr(text, "strong: 1 race (1 pair, 0 racy events) in 0.00 s, complete: "
				     "yes\n"));
	free(text);
	snag_merged_done(&m);
	snag_trace_done(&e.trace);
}

/* What is written must be what the checker reads and accepts. */
static void test_witness_file(void **state)
{
	struct example e;
	struct snag_merged m;
	struct snag_witness w;
	struct snag_error err;
	char file[160];
	example_init(&e);
	snag_report_merge(&e.report, &m);
	assert_int_equal(snag_report_witnesses(&e.report, &m, folder, &err), 0);
	snprintf(file, sizeof(file), "%s/race-2.json", folder);
	assert_int_not_equal(access(file, F_OK), 0);
	snprintf(file, sizeof(file), "%s/race-1.json", folder);
	assert_int_equal(snag_witness_read(file, &e.trace, &w, &err), 0);
	assert_int_equal(w.n, 6);
	assert_memory_equal(w.event, figure_witness, sizeof(figure_witness));
	assert_int_equal(snag_witness_check(&e.trace, &w, SNAG_RULES_READS, &err), 0);
	snag_witness_done(&w);

	json_t *parsed = json_load_file(file, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(parsed, "analysis")), "strong");
	assert_string_equal(json_string_value(json_object_get(parsed, "trace")), "figure.std");
	json_decref(parsed);

	assert_int_equal(snag_report_witnesses(&e.report, &m, "/nowhere", &err), SNAG_EIO);
	snag_merged_done(&m);
	snag_trace_done(&e.trace);
}

static void test_witness_json(void **state)
{
	struct example e;
	struct snag_printer to;
	example_init(&e);
	e.report.interrupted = true;
	assert_int_equal(snag_printer_open(&to, path, NULL), 0);
	snag_report_json(&e.report, &to);
	assert_int_equal(snag_printer_commit(&to, NULL), 0);
	json_t *parsed = json_load_file(path, 0, NULL);
	assert_non_null(parsed);
	assert_true(json_is_true(json_object_get(parsed, "interrupted")));
	json_t *analyses = json_object_get(parsed, "analyses");
	json_t *weak = json_array_get(analyses, 0), *strong = json_array_get(analyses, 1);
	assert_true(json_is_true(json_object_get(strong, "complete")));
	assert_int_equal(json_array_size(json_object_get(weak, "races")), 2);
	json_t *race = json_array_get(json_object_get(weak, "races"), 0);
	assert_null(json_object_get(race, "witness"));
	race = json_array_get(json_object_get(strong, "races"), 0);
	json_t *witness = json_object_get(race, "witness");
	assert_int_equal(json_array_size(witness), 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(json_integer_value(json_array_get(witness, i)), figure_witness[i]);
	assert_string_equal(json_string_value(json_object_get(race, "verdict")), "predicted");
	json_decref(parsed);
	snag_trace_done(&e.trace);
}

static void test_printer_keeps_the_first_failure(void **state)
{
	struct snag_printer to;
	struct snag_error err;
	assert_int_equal(snag_printer_open(&to, "/dev/full", NULL), 0);
	char *block = snag_calloc(1, 1 << 20);
	snag_print_bytes(&to, block, 1 << 20);
	snag_print(&to, "more");
	free(block);
	assert_int_equal(snag_printer_commit(&to, &err), SNAG_EIO);
	assert_string_equal(err.msg, "/dev/full: No space left on device");
}

static void test_names_are_shown_safely(void **state)
{
	struct snag_printer to;
	char name[SNAG_SHOWN_BYTES + 100];
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(snag_printer_open(&to, path, NULL), 0);
	snag_print_name(&to, "x\033[2J\xc2\x9b\xff\xc3\xa4");
	snag_print(&to, "|");
	snag_print_name(&to, name);
	assert_int_equal(snag_printer_commit(&to, NULL), 0);
	char *text = file_text();
	assert_int_equal(strncmp(text, "x?[2J??\xc3\xa4|aaa", 12), 0);
	assert_int_equal(strlen(text), strlen("x?[2J??\xc3\xa4|") + SNAG_SHOWN_BYTES + 3);
	assert_string_equal(text + strlen(text) - 4, "a...");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_json_escapes),
		cmocka_unit_test(test_json_nesting),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_witness_text),
		cmocka_unit_test(test_witness_file),
		cmocka_unit_test(test_witness_json),
		cmocka_unit_test(test_printer_keeps_the_first_failure),
		cmocka_unit_test(test_names_are_shown_safely),
	};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
