/* SPDX-License-Identifier: Apache-2.0
 *
 * test_incident.c - races of a program: grouped by lines, with ids, as text, JSON and SARIF
 *
 * A made-up program: two threads write `balance` in deposit(), called from two places, and
 * read a heap block.
 */
#include "unit.h"

#include "report/incident/incident.h"
#include "report/incident/schedule.h"
#include "trace/trace.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct example {
	struct snag_trace trace;
	struct snag_race race[4];
	struct snag_findings findings;
	struct snag_report_part part;
	struct snag_report report;
	struct snag_merged merged;
	struct snag_origins origins;
	struct snag_incidents incidents;
	struct snag_schedules schedules; /* n is 0: not looked up */
};

static struct snag_held_lock lock0[] = {{0, false}};
static uint32_t witness[] = {3, 4, 5};
static char *arguments[] = {"./bank", "x", NULL};

static void add(struct example *e, const char *thread, enum snag_op op, const char *operand,
		const char *loc)
{
	snag_trace_add(&e->trace, thread, op, operand, loc);
}

static struct snag_site site(const struct example *e, uint32_t event)
{
	const struct snag_event *ev = &e->trace.ev[event];
	return (struct snag_site){.event = event,
				  .thread = ev->thread,
				  .target = ev->target,
				  .loc = ev->loc,
				  .op = ev->op,
				  .size = 4};
}

static void example_init(struct example *e, struct snag_suppressions *suppressions)
{
	struct snag_source *src;
	struct snag_error err;
	memset(e, 0, sizeof(*e));
	snag_trace_init(&e->trace);
	add(e, "T0", SNAG_OP_FORK, "T1", "/s/bank.c:30:5~main~/bin/bank+0x10");	  /* loc 0 */
	add(e, "T0", SNAG_OP_FORK, "T2", "/s/bank.c:31:5~main~/bin/bank+0x20");	  /* loc 1 */
	add(e, "T0", SNAG_OP_BEGIN, NULL, "/s/pool.c:9:3~grab~/bin/bank+0x30~0"); /* loc 2 */
	add(e, "T1", SNAG_OP_WRITE, "balance", "/s/bank.c:12:3~deposit~/bin/bank+0x40~0");
	add(e, "T1", SNAG_OP_WRITE, "balance", "/s/bank.c:12:3~deposit~/bin/bank+0x40~1");
	add(e, "T2", SNAG_OP_WRITE, "balance", "/s/bank.c:14:3~deposit~/bin/bank+0x50~1");
	add(e, "T1", SNAG_OP_READ, "heap#7:64@2,T0+16", "/s/pool.c:20:1~look~/bin/bank+0x60");
	add(e, "T2", SNAG_OP_WRITE, "heap#7:64@2,T0+16", "/s/pool.c:25:1~put~/bin/bank+0x70");
	for (int i = 0; i < 4; i++)
		e->race[i].known.event = SNAG_NO_EVENT, e->race[i].count = 1;
	e->race[0].first = site(e, 3), e->race[0].second = site(e, 5);
	e->race[0].verdict = SNAG_PREDICTED;
	e->race[0].witness = witness;
	e->race[0].nwitness = 3;
	e->race[0].first.locks = lock0, e->race[0].first.nlocks = 1;
	e->race[1].first = site(e, 4), e->race[1].second = site(e, 5); /* the same lines */
	e->race[1].verdict = SNAG_OBSERVED;
	e->race[1].count = 5;
	e->race[2].first = site(e, 6), e->race[2].second = site(e, 7);
	e->race[2].verdict = SNAG_UNVERIFIED;
	e->race[3].first = site(e, 3), e->race[3].second = site(e, 4); /* the functions of [0] */
	e->race[3].second.thread = 2, e->race[3].verdict = SNAG_OBSERVED;
	snag_strtab_intern(&e->trace.names.space[SNAG_SPACE_LOCK], "m", 1);
	e->findings = (struct snag_findings){.name = "m2", .race = e->race, .nraces = 4};
	e->part = (struct snag_report_part){&e->findings, "prediction", "sound"};
	e->report = (struct snag_report){.trace = "run",
					 .names = &e->trace.names,
					 .events = e->trace.n,
					 .counts = snag_names_counts(&e->trace.names),
					 .part = &e->part,
					 .nparts = 1};
	snag_report_merge(&e->report, &e->merged);
	snag_incidents_build(&e->incidents, &e->report, &e->merged, suppressions);
	src = snag_trace_source(&e->trace);
	assert_int_equal(snag_origins_read(&e->origins, src, e->trace.n, &err), 0);
	snag_source_close(src);
}

static void example_done(struct example *e)
{
	snag_schedules_done(&e->schedules);
	snag_incidents_done(&e->incidents);
	snag_origins_done(&e->origins);
	snag_merged_done(&e->merged);
	snag_trace_done(&e->trace);
}

static struct snag_incident_report report_of(struct example *e)
{
	return (struct snag_incident_report){.report = &e->report,
					     .incidents = &e->incidents,
					     .origins = &e->origins,
					     .schedules = e->schedules.n ? &e->schedules : NULL,
					     .tool = "snag",
					     .arguments = arguments,
					     .status = 3,
					     .pid = 42,
					     .witness_dir = "w",
					     .strip_path_prefix = "/s/"};
}

static char *printed(void (*print)(const struct snag_incident_report *, struct snag_printer *),
		     struct example *e)
{
	char path[] = "/tmp/test_incident.XXXXXX", *text = calloc(1, 1 << 16);
	struct snag_incident_report r = report_of(e);
	struct snag_printer to;
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(snag_printer_open(&to, path, NULL), 0);
	print(&r, &to);
	assert_int_equal(snag_printer_commit(&to, NULL), 0);
	close(fd);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, (1 << 16) - 1, f) > 0);
	fclose(f);
	unlink(path);
	return text;
}

static void test_grouping(void **state)
{
	struct example e;
	(void)state;
	example_init(&e, NULL);
	const struct snag_incident *in = e.incidents.at;
	assert_int_equal(e.incidents.n, 3);
	assert_int_equal(e.incidents.shown, 3);
	assert_int_equal(e.incidents.by_verdict[SNAG_OBSERVED], 2);
	assert_ptr_equal(in[0].race, &e.race[3]); /* observed first, by second event */
	assert_ptr_equal(in[1].race, &e.race[1]);
	assert_int_equal(in[1].count, 6); /* with race[0], other stacks of the same lines */
	assert_int_equal(in[1].stacks, 2);
	assert_int_equal(in[1].stack[1].n, 2);
	assert_string_equal(in[1].stack[1].frame[1].function, "main");
	/* The same two functions: the same hash, told apart by a number. */
	size_t n = strlen(in[0].id);
	assert_int_equal(n, strlen("R-00000000"));
	assert_memory_equal(in[0].id, in[1].id, n);
	assert_string_equal(in[1].id + n, "-2");
	assert_memory_not_equal(in[0].id, in[2].id, n);
	example_done(&e);
}

static void test_suppressed(void **state)
{
	struct example e;
	struct snag_suppressions *s = snag_suppressions_new();
	(void)state;
	assert_int_equal(snag_suppressions_add(s, "s", "race:deposit", 12, NULL), 0);
	example_init(&e, s);
	assert_int_equal(e.incidents.n, 3);
	assert_int_equal(e.incidents.shown, 1);
	assert_true(e.incidents.at[0].is_suppressed);
	assert_false(e.incidents.at[2].is_suppressed);
	char *text = printed(snag_incidents_text, &e);
	assert_null(strstr(text, "deposit"));
	assert_non_null(strstr(text, "snag: reported 1 warning: 1 unverified (2 suppressed)\n"));
	free(text);
	example_done(&e);
	snag_suppressions_free(s);
}

static void test_text(void **state)
{
	struct example e;
	(void)state;
	example_init(&e, NULL);
	char *text = printed(snag_incidents_text, &e);
	assert_non_null(strstr(text, "==================\nWARNING: snag: data race (pid=42)\n"
				     "  Write of size 4 at heap#7+16 by thread T2:\n"
				     "    #0 put pool.c:25:1 (bank+0x70)\n\n"
				     "  Previous read of size 4 at heap#7+16 by thread T1:\n"
				     "    #0 look pool.c:20:1 (bank+0x60)\n\n"));
	assert_non_null(strstr(text,
			       "  Location is heap block of size 64 allocated by main thread:\n"
			       "    #0 grab pool.c:9:3 (bank+0x30)\n"
			       "    #1 main bank.c:30:5 (bank+0x10)\n\n"));
	assert_non_null(strstr(text, "  Thread T2 created by main thread at:\n"
				     "    #0 main bank.c:31:5 (bank+0x20)\n\n"));
	assert_non_null(strstr(text, "SUMMARY: snag: data race pool.c:25:1 in put\n"));
	assert_non_null(strstr(text, "  Location is global 'balance'\n"));
	assert_non_null(strstr(text, "snag: reported 3 warnings: 2 observed, 1 unverified\n"));
	free(text);
	example_done(&e);
}

static json_t *at(json_t *v, const char *key, size_t i)
{
	json_t *list = json_object_get(v, key);
	assert_non_null(list);
	return json_array_get(list, i);
}

static void test_json(void **state)
{
	struct example e;
	(void)state;
	example_init(&e, NULL);
	char *text = printed(snag_incidents_json, &e);
	json_t *root = json_loads(text, 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_array_size(json_object_get(root, "incidents")), 3);
	json_t *in = at(root, "incidents", 1), *second = at(in, "accesses", 1);
	assert_int_equal(json_integer_value(json_object_get(in, "count")), 6);
	json_t *caller = at(second, "stack", 1);
	assert_string_equal(json_string_value(json_object_get(caller, "function")), "main");
	assert_non_null(json_object_get(root, "analyses"));
	assert_string_equal(
		json_string_value(at(at(at(root, "analyses", 0), "races", 0), "locations", 0)),
		"/s/bank.c:12:3");
	json_decref(root);
	free(text);
	example_done(&e);
}

static void test_sarif(void **state)
{
	struct example e;
	(void)state;
	example_init(&e, NULL);
	static uint32_t steps[] = {0, 2, 4, 5}; /* 2 is no step */
	e.race[0].witness = steps;		/* of the same lines */
	e.race[0].nwitness = 4;
	snag_schedules_build(&e.schedules,
			     &(struct snag_analysed){.ev = e.trace.ev, .n = e.trace.n},
			     &e.incidents, 100);
	char *text = printed(snag_incidents_sarif, &e);
	json_t *root = json_loads(text, 0, NULL);
	assert_non_null(root);
	assert_string_equal(json_string_value(json_object_get(root, "version")), "2.1.0");
	json_t *run = at(root, "runs", 0), *result = at(run, "results", 1);
	assert_int_equal(json_array_size(json_object_get(run, "results")), 3);
	json_t *place = json_object_get(at(result, "locations", 0), "physicalLocation");
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(place, "artifactLocation"), "uri")),
			    "bank.c");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(place, "region"), "startLine")),
		14);
	json_t *flows = json_object_get(at(result, "codeFlows", 0), "threadFlows");
	assert_int_equal(json_array_size(flows), 3); /* T0, T1, T2 */
	json_t *step = at(json_array_get(flows, 2), "locations", 0);
	assert_int_equal(json_integer_value(json_object_get(step, "executionOrder")), 3);
	json_decref(root);
	free(text);
	example_done(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grouping), cmocka_unit_test(test_suppressed),
		cmocka_unit_test(test_text),	 cmocka_unit_test(test_json),
		cmocka_unit_test(test_sarif),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
