/* SPDX-License-Identifier: Apache-2.0
 *
 * test_wellformed.c - the rules of traces: each rule kept and broken, strict and lenient
 *
 * Traces are written as words, "T0:acq(l) T1:racq(l)", because some operations have no
 * place in STD; with lines the n-th word stands on line n.
 */
#include "unit.h"

#include "base/memory.h"
#include "render.h"
#include "trace/trace.h"

/* Delivers a trace in batches of two, with lines or without. */
struct words_source {
	struct snag_source base;
	struct snag_trace trace;
	size_t at;
	uint64_t line[2];
	bool has_lines;
};

static void words_add(struct snag_trace *trace, const char *words)
{
	char thread[32], op[32], operand[32];
	int n, number = 1;
	for (; sscanf(words, " %31[^:]:%31[a-z]%n", thread, op, &n) == 2; words += n) {
		char location[16];
		int m = 0;
		operand[0] = '\0';
		if (sscanf(words + n, "(%31[^)])%n", operand, &m) == 1)
			n += m;
		size_t kind = 0;
		while (strcmp(snag_op_info[kind].text, op) != 0)
			assert_true(++kind < SNAG_OPS);
		snprintf(location, sizeof(location), "%d", number++);
		snag_trace_add(trace, thread, (enum snag_op)kind, operand, location);
	}
}

static int words_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	struct words_source *s = (struct words_source *)src;
	size_t n = s->trace.n - s->at < 2 ? s->trace.n - s->at : 2;
	if (n == 0)
		return 0;
	for (size_t i = 0; i < 2; i++)
		s->line[i] = s->at + i + 1;
	*ret_batch = (struct snag_batch){.ev = s->trace.ev + s->at,
					 .n = n,
					 .first = s->at,
					 .counts = snag_names_counts(&s->trace.names),
					 .line = s->has_lines ? s->line : NULL};
	s->at += n;
	return 1;
}

static double words_progress(const struct snag_source *src)
{
	return 0.25;
}

static void words_close(struct snag_source *src)
{
	snag_trace_done(&((struct words_source *)src)->trace);
	free(src);
}

static struct words_source *words_open(const char *words, bool has_lines)
{
	static const struct snag_source_ops ops = {
		.next = words_next, .progress = words_progress, .close = words_close};
	struct words_source *s = snag_calloc(1, sizeof(*s));
	snag_trace_init(&s->trace);
	words_add(&s->trace, words);
	s->base = (struct snag_source){.ops = &ops, .name = "run", .names = &s->trace.names};
	s->has_lines = has_lines;
	return s;
}

/* What comes through, as words, nested ones with `*`; then "skipped N" and the error. */
static char *passed(const char *words, bool lenient, bool has_lines)
{
	struct snag_source_options options = {.lenient = lenient};
	return render(snag_wellformed_source(&words_open(words, has_lines)->base, &options));
}

static char *kept(const char *words) /* "1 T0|acq(l)|1*" ... of the events with these words */
{
	char *text;
	size_t n;
	FILE *to = open_memstream(&text, &n);
	struct words_source *s = words_open(words, true);
	for (size_t i = 0; i < s->trace.n; i++) {
		fprintf(to, "%zu ", i + 1);
		render_event(to, s->base.names, &s->trace.ev[i]);
	}
	fclose(to);
	words_close(&s->base);
	return text;
}

static void test_good(void **state)
{
	static const char *const table[] = {
		"T0:w(x)",
		"T0:w(x) T1:r(x) T0:br T1:begin T1:end",
		"T0:acq(l) T0:rel(l) T1:acq(l) T1:rel(l)",
		"T0:acq(l) T1:acq(m) T0:rel(l) T1:acq(l)",
		"T0:fork(T1) T1:w(x) T0:join(T1)",
		"T0:fork(T1) T0:join(T1)",
		"T0:w(x) T1:w(x) T0:join(T1)",		       /* T1 is a root thread */
		"T0:join(T1) T0:join(T1) T2:join(T1)",	       /* more than once */
		"T0:fork(T1) T1:acq(l) T0:join(T1) T0:w(x)",   /* it holds a lock */
		"T0:fork(T1) T1:fork(T2) T2:join(T1) T2:w(x)", /* the parent ends first */
		"T0:racq(l) T1:racq(l) T0:rrel(l) T1:rrel(l)", /* readers share */
		"T0:racq(l) T0:rrel(l) T1:acq(l) T1:rel(l)",   /* then a writer */
		"T0:racq(l) T1:racq(l) T2:racq(l) T1:rrel(l) T1:racq(l) T2:rrel(l) T0:rrel(l)",
		"T0:w(x) T0:async(a) a:w(x) a:taskend T0:w(x) T0:taskend",
		"T0:finish T0:async(a) a:async(b) a:taskend b:taskend T0:finishend", /* escapes */
		"T0:finish T0:async(a) a:finish a:async(b) b:taskend a:finishend a:taskend "
		"T0:finishend",
		"T0:spawn(a) T0:frame T0:spawn(b) b:taskend T0:sync T0:frameend a:taskend T0:sync",
		"T0:spawn(a) T0:finish a:taskend T0:sync T0:finishend", /* does not nest */
		"T0:frame T0:spawn(a) T0:frameend T0:sync a:w(x)",	/* not waited for */
		"T0:async(a) T0:set(p) a:get(p) a:get(p) T0:get(p) a:w(x)",
		"T0:iso T0:r(x) T0:br T0:w(x) T0:isoend T0:iso T0:isoend",
		"T0:async(a) T0:taskend a:async(b) b:w(x)", /* the first ends first */
		"T0:acq(l) T0:finish T0:async(a) a:racq(k) T0:racq(k) T0:finish T0:rel(l) a:acq(l)",
		"T0:iso T0:acq(l) T0:ar(x) T0:au(x) T0:rel(l) T0:fence T0:isoend T0:taskend",
		"T0:ar(x) T0:aw(x) T0:au(x) T0:fence T0:async(k) T0:set(p) T0:get(p) T0:iso",
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *expected = kept(table[i]);
		for (int lenient = 0; lenient < 2; lenient++) {
			char *text = passed(table[i], lenient, true);
			assert_string_equal(text, expected);
			free(text);
		}
		free(expected);
	}
}

static void test_nested(void **state)
{
	static const struct {
		const char *words, *expected;
	} table[] = {
		{"T0:acq(l) T0:acq(l) T0:rel(l) T0:rel(l)",
		 "1 T0|acq(l)|1\n2 T0|acq(l)|2*\n3 T0|rel(l)|3*\n4 T0|rel(l)|4\n"},
		{"T0:acq(l) T0:acq(l) T0:acq(l) T0:rel(l) T0:rel(l) T0:rel(l) T0:acq(l)",
		 "1 T0|acq(l)|1\n2 T0|acq(l)|2*\n3 T0|acq(l)|3*\n4 T0|rel(l)|4*\n5 T0|rel(l)|5*\n"
		 "6 T0|rel(l)|6\n7 T0|acq(l)|7\n"},
		{"T0:racq(l) T1:racq(l) T0:racq(l) T0:rrel(l) T0:rrel(l) T1:rrel(l)",
		 "1 T0|racq(l)|1\n2 T1|racq(l)|2\n3 T0|racq(l)|3*\n4 T0|rrel(l)|4*\n5 "
		 "T0|rrel(l)|5\n"
		 "6 T1|rrel(l)|6\n"},
		{"T0:acq(l) T0:racq(l) T0:acq(l) T0:rel(l) T0:rrel(l) T0:rel(l)",
		 "1 T0|acq(l)|1\n2 T0|racq(l)|2*\n3 T0|acq(l)|3*\n4 T0|rel(l)|4*\n5 T0|rrel(l)|5*\n"
		 "6 T0|rel(l)|6\n"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *text = passed(table[i].words, false, true);
		assert_string_equal(text, table[i].expected);
		free(text);
	}
}

/* A nested flag the source set, wrongly, is cleared. */
static void test_flag_cleared(void **state)
{
	struct words_source *s = words_open("T0:w(x) T0:acq(l) T0:w(x) T0:rel(l)", true);
	for (size_t i = 0; i < s->trace.n; i++)
		s->trace.ev[i].flags = SNAG_NESTED | SNAG_SEQ_CST;
	struct snag_source *src = snag_wellformed_source(&s->base, NULL);
	struct snag_batch batch;
	while (snag_source_next(src, &batch, NULL) > 0)
		for (size_t i = 0; i < batch.n; i++)
			assert_int_equal(batch.ev[i].flags, SNAG_SEQ_CST);
	snag_source_close(src);
}

/* Frees the text. */
static void error_is(char *text, const char *expected)
{
	const char *error = strchr(text, '!');
	assert_non_null(error);
	assert_string_equal(error, expected);
	free(text);
}

/* The last event is refused with this message.  Returns the number of events. */
static size_t last_is_refused(const char *words, const char *message)
{
	size_t n = 1;
	char expected[256];
	for (const char *p = words; *p; p++)
		n += *p == ' ';
	snprintf(expected, sizeof(expected), "! run:%zu: %s\n", n, message);
	error_is(passed(words, false, true), expected);
	return n;
}

/* Lenient: all but the last of n events pass, and a write of this thread that follows.  Returns
 * the text, to be freed. */
static char *last_is_skipped(const char *words, size_t n, const char *thread)
{
	char all[256], expected[256];
	snprintf(all, sizeof(all), "%s %s:w(y)", words, thread);
	snprintf(expected, sizeof(expected), "%zu %s|w(y)|%zu\nskipped 1\n", n + 1, thread, n + 1);
	char *text = passed(all, true, true);
	assert_true(strlen(text) >= strlen(expected));
	assert_string_equal(text + strlen(text) - strlen(expected), expected);
	return text;
}

static void test_refuse(void **state)
{
	/* The last word breaks a rule; without lines the messages count events from 0. */
	static const struct {
		const char *words, *message, *without_lines;
	} table[] = {
		{"T0:w(x) T1:rel(l)", "release of lock 'l' by T1, which does not hold it",
		 "release of lock 'l' by T1, which does not hold it"},
		{"T0:acq(l) T1:rel(l)", "release of lock 'l' by T1, which does not hold it",
		 "release of lock 'l' by T1, which does not hold it"},
		{"T0:acq(l) T0:rel(l) T0:rel(l)",
		 "release of lock 'l' by T0, which does not hold it",
		 "release of lock 'l' by T0, which does not hold it"},
		{"T0:acq(l) T0:acq(l) T1:acq(l)",
		 "acquire of lock 'l' by T1 while T0 holds it (since line 1)",
		 "acquire of lock 'l' by T1 while T0 holds it (since event 0)"},
		{"T0:acq(l) T1:racq(l)",
		 "shared acquire of lock 'l' by T1 while T0 holds it (since line 1)",
		 "shared acquire of lock 'l' by T1 while T0 holds it (since event 0)"},
		{"T0:w(x) T0:racq(l) T1:acq(l)",
		 "acquire of lock 'l' by T1 while T0 holds it shared (since line 2)",
		 "acquire of lock 'l' by T1 while T0 holds it shared (since event 1)"},
		{"T0:racq(l) T1:racq(l) T0:acq(l)",
		 "acquire of lock 'l' by T0 while it holds it shared (since line 1)",
		 "acquire of lock 'l' by T0 while it holds it shared (since event 0)"},
		{"T0:racq(l) T0:rel(l)", "release of lock 'l' by T0, which holds it shared",
		 "release of lock 'l' by T0, which holds it shared"},
		{"T0:acq(l) T0:rrel(l)", "shared release of lock 'l' by T0, which holds it alone",
		 "shared release of lock 'l' by T0, which holds it alone"},
		{"T0:racq(l) T1:rrel(l)",
		 "shared release of lock 'l' by T1, which does not hold it",
		 "shared release of lock 'l' by T1, which does not hold it"},
		{"T0:racq(l) T0:rrel(l) T0:rrel(l)",
		 "shared release of lock 'l' by T0, which does not hold it",
		 "shared release of lock 'l' by T0, which does not hold it"},
		{"T0:acq(l) T0:racq(l) T0:rel(l)",
		 "release of lock 'l' by T0, which still holds it shared inside",
		 "release of lock 'l' by T0, which still holds it shared inside"},
		{"T0:w(x) T0:w(x) T2:w(x) T0:fork(T2)",
		 "fork of thread T2, which already ran (line 3)",
		 "fork of thread T2, which already ran (event 2)"},
		{"T0:fork(T1) T1:w(x) T0:fork(T1)",
		 "fork of thread T1, which was forked before (line 1)",
		 "fork of thread T1, which was forked before (event 0)"},
		{"T0:join(T1) T0:fork(T1)", "fork of thread T1 after its join (line 1)",
		 "fork of thread T1 after its join (event 0)"},
		{"T0:fork(T0)", "fork of thread T0 by itself", "fork of thread T0 by itself"},
		{"T0:w(x) T0:join(T0)", "join of thread T0 by itself",
		 "join of thread T0 by itself"},
		{"T2:w(x) T0:join(T2) T0:join(T2) T2:w(x)",
		 "event of thread T2 after its join (line 2)",
		 "event of thread T2 after its join (event 1)"},
		{"T2:acq(l) T0:join(T2) T2:rel(l)", "event of thread T2 after its join (line 2)",
		 "event of thread T2 after its join (event 1)"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const size_t n = last_is_refused(table[i].words, table[i].message);
		char expected[256];
		snprintf(expected, sizeof(expected), "! run: event %zu: %s\n", n - 1,
			 table[i].without_lines);
		error_is(passed(table[i].words, false, false), expected);

		char *text = last_is_skipped(table[i].words, n, "T7");
		size_t lines = 0;
		for (const char *p = text; *p; p++)
			lines += *p == '\n';
		assert_int_equal(lines, n + 1); /* n - 1 before, the last, and "skipped" */
		free(text);
	}
}

static void test_refuse_tasks(void **state)
{
	/* The last word breaks a rule; T0 goes on. */
	static const struct {
		const char *words, *message;
	} table[] = {
		{"T0:async(a) a:taskend a:w(x)", "w by a: it has ended (line 2)"},
		{"T0:async(a) a:taskend a:set(p)", "set by a: it has ended (line 2)"},
		{"T0:async(a) b:w(x)", "w by b: no task created it"},
		{"T0:w(x) b:async(a)", "async by b: the trace is one of threads"},
		{"T0:w(x) b:w(x) T0:finish", "finish by T0: the trace is one of threads"},
		{"T0:fork(a) T0:finish", "finish by T0: the trace is one of threads"},
		{"T0:async(T0)", "async by T0: it creates itself"},
		{"T0:async(a) T0:spawn(a)", "spawn by T0: the task began before (line 1)"},
		{"T0:async(a) a:async(T0)", "async by a: the task began before (line 1)"},
		{"T0:finish T0:finishend T0:finishend",
		 "finishend by T0: it has no finish open, or a procedure inside"},
		{"T0:finish T0:frame T0:finishend",
		 "finishend by T0: it has no finish open, or a procedure inside"},
		{"T0:finish T0:async(a) T0:finishend",
		 "finishend by T0: a task it waits for has not ended"},
		{"T0:finish T0:async(a) a:async(b) a:taskend T0:finishend",
		 "finishend by T0: a task it waits for has not ended"},
		{"T0:finish T0:spawn(a) T0:finishend",
		 "finishend by T0: a task it waits for has not ended"},
		{"T0:frame T0:frameend T0:frameend",
		 "frameend by T0: it is in no procedure, or in a finish inside"},
		{"T0:frame T0:finish T0:frameend",
		 "frameend by T0: it is in no procedure, or in a finish inside"},
		{"T0:spawn(a) T0:sync", "sync by T0: a task it spawned has not ended"},
		{"T0:frame T0:spawn(a) T0:finish T0:sync",
		 "sync by T0: a task it spawned has not ended"},
		{"T0:finish T0:taskend", "taskend by T0: it is still in a finish or a procedure"},
		{"T0:async(a) a:frame a:taskend",
		 "taskend by a: it is still in a finish or a procedure"},
		{"T0:async(a) a:get(p)", "get by a: the promise is not set"},
		{"T0:set(p) T0:async(a) a:set(p)", "set by a: the promise was set before (line 1)"},
		{"T0:isoend", "isoend by T0: no isolated block is open"},
		{"T0:iso T0:iso", "iso by T0: it is in an isolated block (line 1)"},
		{"T0:iso T0:async(a)", "async by T0: it is in an isolated block (line 1)"},
		{"T0:iso T0:taskend", "taskend by T0: it is in an isolated block (line 1)"},
		{"T0:async(a) a:w(x) T0:iso a:w(x)",
		 "w by a: another task is in an isolated block (line 3)"},
		{"T0:iso T0:set(p)", "set by T0: it is in an isolated block (line 1)"},
		{"T0:async(a) T0:join(a)", "join by T0: the trace is one of tasks"},
		{"T0:async(a) T0:acq(l) a:acq(l)",
		 "acquire of lock 'l' by a while T0 holds it (since line 2)"},
		{"T0:async(a) a:rel(l)", "release of lock 'l' by a, which does not hold it"},
		{"T0:async(a) T0:iso a:acq(l)",
		 "acq by a: another task is in an isolated block (line 2)"},
		{"T0:async(a) T0:iso a:isoend",
		 "isoend by a: another task is in an isolated block (line 2)"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const size_t n = last_is_refused(table[i].words, table[i].message);
		free(last_is_skipped(table[i].words, n, "T0"));
	}
}

/* What is taken out has no effect, and the rest is numbered without it. */
static void test_lenient(void **state)
{
	char *text =
		passed("T0:acq(l) T1:acq(l) T1:w(x) T1:rel(l) T0:rel(l) T1:acq(l)", true, false);
	assert_string_equal(text, "#0 T0|acq(l)|1\n#1 T1|w(x)|3\n#2 T0|rel(l)|5\n#3 T1|acq(l)|6\n"
				  "skipped 2\n");
	free(text);
	text = passed("T0:join(T1) T1:w(x) T1:w(x) T1:w(x) T1:w(x) T0:w(x)", true, true);
	assert_string_equal(text, "1 T0|join(T1)|1\n6 T0|w(x)|6\nskipped 4\n");
	free(text);
}

static void test_empty(void **state)
{
	char *text = passed("", false, true);
	assert_string_equal(text, "! run: the trace is empty\n");
	free(text);
	text = passed("T0:rel(l)", true, true);
	assert_string_equal(text, "skipped 1\n! run: the trace is empty\n");
	free(text);
}

static void test_error_stays(void **state)
{
	struct snag_source *src = snag_wellformed_source(
		&words_open("T0:w(x) T0:rel(l) T0:w(x) T0:w(x)", true)->base, NULL);
	struct snag_error err;
	struct snag_batch batch;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(snag_source_next(src, &batch, &err), SNAG_EINPUT);
		assert_string_equal(err.msg,
				    "run:2: release of lock 'l' by T0, which does not hold it");
	}
	assert_true(snag_source_progress(src) == 0.25);
	snag_source_close(src);
}

/* Names of any length and with any bytes leave the message one short line. */
static void test_long_names(void **state)
{
	static const char input[] =
		"T\x1b[31m0123456789012345678901234567890123456789012345678901234567890|rel("
		"lock0123456789012345678901234567890123456789012345678901234567890)|1\n";
	char *text = render_bytes(snag_std_source, "run.std", input, strlen(input), false, true);
	assert_string_equal(
		text,
		"! run.std:1: release of lock 'lock0123456789012345678901234567890123456789...'"
		" by T?[31m01234567890123456789012345678901234567..., which does not hold it\n");
	free(text);
}

static int many_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	int rc = words_next(src, ret_batch, err);
	ret_batch->first += SNAG_MAX_EVENTS - 4;
	return rc;
}

static void test_too_many(void **state)
{
	static const struct snag_source_ops ops = {
		.next = many_next, .progress = words_progress, .close = words_close};
	struct words_source *s = words_open("T0:w(x) T0:w(x) T0:w(x) T0:w(x)", true);
	struct snag_error err;
	struct snag_batch batch;
	s->base.ops = &ops;
	struct snag_source *src = snag_wellformed_source(&s->base, NULL);
	assert_int_equal(snag_source_next(src, &batch, &err), 1);
	assert_int_equal(snag_source_next(src, &batch, &err), SNAG_EINPUT);
	assert_string_equal(err.msg,
			    "run: the trace has 2147483647 events or more, which is too many");
	snag_source_close(src);
}

/* Of two faults the earlier one is reported, whichever layer finds it. */
static void test_first_fault(void **state)
{
	static const char rule_first[] = "T0|w(x)|1\nT0|rel(l)|2\noops\n";
	static const char line_first[] = "T0|w(x)|1\noops\nT0|rel(l)|2\n";
	char *text =
		render_bytes(snag_std_source, "a", rule_first, strlen(rule_first), false, true);
	assert_string_equal(text, "! a:2: release of lock 'l' by T0, which does not hold it\n");
	free(text);
	text = render_bytes(snag_std_source, "a", line_first, strlen(line_first), false, true);
	assert_string_equal(
		text, "1 T0|w(x)|1\n! a:2: expected THREAD|OP(OPERAND)|LOCATION, got 'oops'\n");
	free(text);
	text = render_bytes(snag_std_source, "a", rule_first, strlen(rule_first), true, true);
	assert_string_equal(text, "1 T0|w(x)|1\nskipped 2\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),	     cmocka_unit_test(test_nested),
		cmocka_unit_test(test_flag_cleared), cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_refuse_tasks), cmocka_unit_test(test_lenient),
		cmocka_unit_test(test_empty),	     cmocka_unit_test(test_error_stays),
		cmocka_unit_test(test_long_names),   cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_first_fault),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
