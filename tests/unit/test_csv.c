/* SPDX-License-Identifier: Apache-2.0
 *
 * test_csv.c - CSV text in and out
 */
#include "unit.h"

#include "base/memory.h"
#include "render.h"
#include "trace/output.h"
#include "trace/sink.h"
#include "trace/trace.h"

#include <sys/mman.h>
#include <unistd.h>

static void expect(const char *input, bool lenient, const char *expected)
{
	char *text = render_bytes(snag_csv_source, "run.csv", input, strlen(input), lenient, false);
	assert_string_equal(text, expected);
	free(text);
}

static void test_read(void **state)
{
	static const struct {
		const char *input, *expected;
	} table[] = {
		{"", ""},
		{"w(x)", "1 T0|w(x)|1\n"},
		/* The example of RAPID's manual (its fifth line corrected). */
		{"r(V123),,\n,w(V234.23[0]),\nfork(T2),,\n,,acq(L34)\n,,rel(L34)\njoin(T2),,\n",
		 "1 T0|r(V123)|1\n2 T1|w(V234.23[0])|2\n3 T0|fork(T2)|3\n4 T2|acq(L34)|4\n"
		 "5 T2|rel(L34)|5\n6 T0|join(T2)|6\n"},
		{"start(T1),\r\n,br\r\n,begin(f)\r\n,end\r\n",
		 "1 T0|fork(T1)|1\n2 T1|br|2\n3 T1|begin|3\n4 T1|end|4\n"},
		{",,,,,,,,,,,w(x)\nfork(T11),,,,,,,,,,,\n", "1 T11|w(x)|1\n2 T0|fork(T11)|2\n"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		expect(table[i].input, false, table[i].expected);
}

static void test_refuse(void **state)
{
	static const struct {
		const char *line, *message;
	} table[] = {
		{"", "expected one cell OP(OPERAND), got none"},
		{",,", "expected one cell OP(OPERAND), got none"},
		{"w(x),w(y),", "both T0 and T1 have an event"},
		{"w(x),,w(y)", "both T0 and T2 have an event"},
		{"w(x), ,", "both T0 and T1 have an event"},
		{"w(x),", "2 columns, but line 1 has 3"},
		{"w(x),,,", "4 columns, but line 1 has 3"},
		{"T0|w(x)|1", "unknown operation 'T0|w', expected one of r w acq rel fork join br "
			      "begin end racq rrel ar aw au fence dep"},
		{"w,,", "an operand is missing in 'w'"},
		{"w(x,,", "expected OP(OPERAND), got 'w(x'"},
		{"w( x),,", "white space or a NUL byte in 'w( x)'"},
		{"fork(T3),,", "thread 'T3' has no column, expected T0 to T2"},
		{"start(T3),,", "thread 'T3' has no column, expected T0 to T2"},
		{"join(x),,", "thread 'x' has no column, expected T0 to T2"},
		{"join(T),,", "thread 'T' has no column, expected T0 to T2"},
		{"join(T01),,", "thread 'T01' has no column, expected T0 to T2"},
		{"join(T18446744073709551617),,",
		 "thread 'T18446744073709551617' has no column, expected T0 to T2"},
		{"\"w(a,b)", "a quoted cell does not end in '\"w(a,b)'"},
		{"\"w(x)\"r(y),,", "a quoted cell does not end in '\"w(x)\"r(y),,'"},
		{"\"\",,", "expected one cell OP(OPERAND), got an empty one"},
		{"start(),,", "unknown operation 'start', expected one of r w acq rel fork join br "
			      "begin end racq rrel ar aw au fence dep"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char input[512], expected[512];
		snprintf(input, sizeof(input), "r(x),,\n%s\n,r(x),\n", table[i].line);
		snprintf(expected, sizeof(expected), "1 T0|r(x)|1\n! run.csv:2: %s\n",
			 table[i].message);
		expect(input, false, expected);
		expect(input, true, "1 T0|r(x)|1\n3 T1|r(x)|3\nskipped 1\n");
	}
}

/* Lenient: the first good line says how many columns there are. */
static void test_lenient_width(void **state)
{
	expect(",,\nw(x),\nw(x),,\n,w(x)\n", true, "2 T0|w(x)|2\n4 T1|w(x)|4\nskipped 2\n");
}

/* What the sink writes for the trace, or "! MESSAGE". */
static char *written(const struct snag_trace *trace, uint32_t threads)
{
	struct snag_error err = {0};
	struct snag_batch batch;
	struct snag_output *out;
	char path[64], *text = snag_calloc(1, 4096);
	int fd = memfd_create("out", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(snag_output_open(path, &out, &err), 0);
	struct snag_sink *sink = snag_csv_sink(out, threads);
	struct snag_source *src = snag_trace_source(trace);
	assert_int_equal(snag_source_next(src, &batch, &err), 1);
	if (snag_sink_write(sink, &batch, src->names, &err) < 0) {
		snag_sink_abort(sink);
		snprintf(text, 4096, "! %s\n", strchr(err.msg, ' ') + 1);
	} else {
		assert_int_equal(snag_sink_commit(sink, &err), 0);
		assert_true(pread(fd, text, 4095, 0) >= 0);
	}
	close(fd);
	snag_source_close(src);
	return text;
}

static void test_write(void **state)
{
	struct snag_trace trace;
	snag_trace_init(&trace);
	snag_trace_add(&trace, "main", SNAG_OP_FORK, "worker 1", "a.c 1");
	snag_trace_add(&trace, "worker 1", SNAG_OP_WRITE, "x(1)", "a.c,2");
	snag_trace_add(&trace, "worker 1", SNAG_OP_ACQUIRE, "l", "3");
	snag_trace_add(&trace, "other", SNAG_OP_BRANCH, NULL, "4");
	snag_trace_add(&trace, "main", SNAG_OP_JOIN, "worker 1", "5");
	char *text = written(&trace, 3);
	assert_string_equal(text, "fork(T1),,\n,w(x(1)),\n,acq(l),\n,,br\njoin(T1),,\n");
	expect(text, false,
	       "1 T0|fork(T1)|1\n2 T1|w(x(1))|2\n3 T1|acq(l)|3\n4 T2|br|4\n5 T0|join(T1)|5\n");
	free(text);

	text = written(&trace, 2); /* fewer than there are */
	assert_string_equal(text, "! event 3: the thread has no column\n");
	free(text);
	snag_trace_done(&trace);
}

/* Names with commas and quotes, and all operations but those of tasks. */
static void test_round_trip(void **state)
{
	static const char expected[] = "\"w(a,b)\",\n"
				       ",\"r(a\"\"b)\"\n"
				       "racq(l),\n"
				       "rrel(l),\n"
				       ",au4.relaxed(n)\n"
				       ",ar.acquire.wait(n)\n"
				       ",fence\n"
				       "dep(x),\n"
				       "br,\n";
	struct snag_source *src;
	struct snag_trace trace;
	struct snag_error err;
	struct snag_input *in = snag_input_from_memory("run.csv", expected, sizeof(expected) - 1);
	snag_trace_init(&trace);
	assert_int_equal(snag_csv_source(in, NULL, &src, &err), 0);
	if (snag_trace_load(&trace, src, &err) < 0)
		fail_msg("%s", err.msg);
	snag_source_close(src);
	assert_string_equal(snag_name(&trace.names, SNAG_SPACE_VARIABLE, trace.ev[0].target),
			    "a,b");
	assert_string_equal(snag_name(&trace.names, SNAG_SPACE_VARIABLE, trace.ev[1].target),
			    "a\"b");
	assert_int_equal(trace.ev[4].size, 4);
	assert_int_equal(trace.ev[4].flags, SNAG_RELAXED);
	assert_false(snag_event_is_wait(&trace.ev[4]));
	assert_int_equal(trace.ev[5].flags, SNAG_ACQUIRE);
	assert_true(snag_event_is_wait(&trace.ev[5]));
	assert_int_equal(trace.ev[6].flags, SNAG_SEQ_CST);
	char *text = written(&trace, 2);
	assert_string_equal(text, expected);
	free(text);
	snag_trace_done(&trace);
}

static void test_write_refuse(void **state)
{
	static const struct {
		enum snag_op op;
		const char *operand, *message;
	} table[] = {
		{SNAG_OP_RELEASE, "a b", "event 1: CSV cannot hold the name 'a b'"},
		{SNAG_OP_TASK_END, "", "event 1: CSV cannot express 'taskend' (the task ends)"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct snag_trace trace;
		char expected[256];
		snag_trace_init(&trace);
		snag_trace_add(&trace, "T0", SNAG_OP_WRITE, "x", "1");
		snag_trace_add(&trace, "T0", table[i].op, table[i].operand, "1");
		char *text = written(&trace, 1);
		snprintf(expected, sizeof(expected), "! %s\n", table[i].message);
		assert_string_equal(text, expected);
		free(text);
		snag_trace_done(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),	      cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_lenient_width), cmocka_unit_test(test_write),
		cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_write_refuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
