/* SPDX-License-Identifier: Apache-2.0
 *
 * test_witness.c - the witness checker, rule by rule, and the witness reader
 *
 * Traces are written `T0 w x; T1 acq l; ...`; `acq+` and `rel+` are nested.
 */
#include "witness/witness.h"

#include "base/memory.h"
#include "trace/race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void trace_parse(struct snag_trace *trace, const char *text)
{
	char line[64], thread[16], op[16], operand[16];
	snag_trace_init(trace);
	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ";");
		snprintf(line, sizeof(line), "%.*s", (int)len, at);
		at += len + (at[len] == ';');
		operand[0] = '\0';
		assert_true(sscanf(line, "%15s %15s %15s", thread, op, operand) >= 2);
		bool is_nested = op[strlen(op) - 1] == '+';
		if (is_nested)
			op[strlen(op) - 1] = '\0';
		int k = 0;
		while (k < SNAG_OPS && strcmp(snag_op_info[k].text, op) != 0)
			k++;
		assert_in_range(k, 0, SNAG_OPS - 1);
		snag_trace_add(trace, thread, (enum snag_op)k, operand, "1");
		if (is_nested)
			trace->ev[trace->n - 1].flags = SNAG_NESTED;
		if (snag_op_is_atomic((uint8_t)k) && strcmp(operand, "barrier") != 0)
			trace->ev[trace->n - 1].size = 4;
	}
}

struct check_case {
	const char *what;
	const char *trace;
	enum snag_rules rules;
	const char *events; /* of the witness */
	const char *error;  /* expected in the message; NULL: valid */
};

#define READS SNAG_RULES_READS
#define DEP SNAG_RULES_DEPENDENCE
#define LITERAL SNAG_RULES_LITERAL
#define AUTO SNAG_RULES_AUTO

/* 0 T0 w x; 1 T0 acq l; 2 T0 rel l; 3 T1 acq l; 4 T1 rel l; 5 T1 w x */
#define LOCKED "T0 w x; T0 acq l; T0 rel l; T1 acq l; T1 rel l; T1 w x"
/* 0 T0 w y; 1 T1 r y; 2 T1 w x; 3 T0 w x */
#define READ_WRITE "T0 w y; T1 r y; T1 w x; T0 w x"
/* 0 T0 w y; 1 T1 r y; 2 T1 r x; 3 T0 w x */
#define READ_READ "T0 w y; T1 r y; T1 r x; T0 w x"
/* 0 T0 w y; 1 T1 r y; 2 T1 br; 3 T1 r x; 4 T0 w x */
#define READ_BRANCH "T0 w y; T1 r y; T1 br; T1 r x; T0 w x"

static const struct check_case check_cases[] = {
	{"two accesses", "T0 w x; T1 w x", READS, "0 1", NULL},
	{"either first", "T0 w x; T1 w x", READS, "1 0", NULL},
	{"the known one", LOCKED, READS, "3 4 0 5", NULL},

	{"no such event", "T0 w x; T1 w x", READS, "0 2",
	 "step 1: there is no event 2, the trace has 2"},
	{"empty", "T0 w x; T1 w x", READS, "", "at least two events"},
	{"one event", "T0 w x; T1 w x", READS, "0", "at least two events"},

	{"twice", LOCKED, READS, "3 4 4 0 5", "step 2 (event 4, T1 rel(l)): happens twice"},
	{"missing", LOCKED, READS, "3 0 5",
	 "step 2 (event 5, T1 w(x)): earlier events of its thread are missing (1)"},
	{"out of order", LOCKED, READS, "4 3 0 5", "step 0 (event 4, T1 rel(l)): earlier"},

	{"fork first", "T0 fork T1; T0 w x; T1 w x", READS, "0 1 2", NULL},
	{"not forked", "T0 fork T1; T0 w x; T1 w x", READS, "2 0 1",
	 "step 0 (event 2, T1 w(x)): its thread is forked by event 0, which has not happened"},
	{"not forked, last step", "T0 w z; T0 fork T1; T1 w x; T2 w x", READS, "3 2",
	 "forked by event 1"},
	{"joined", "T0 w y; T1 join T0; T1 w x; T2 w x", READS, "0 1 2 3", NULL},
	{"join too early", "T0 w y; T1 join T0; T1 w x; T2 w x", READS, "1 2 3",
	 "step 0 (event 1, T1 join(T0)): event 0 comes before this join in the trace and has not"},
	{"join too early by one", "T0 w y; T0 w y; T1 join T0; T1 w x; T2 w x", READS, "0 2 3 4",
	 "step 1 (event 2, T1 join(T0)): event 1 comes"},
	{"join of a thread that did nothing", "T0 fork T1; T2 join T1; T2 w x; T3 w x", READS,
	 "1 2 3", "step 0 (event 1, T2 join(T1)): event 0 comes"},
	{"join of a thread without fork and events", "T0 join T1; T0 w x; T2 w x", READS, "0 1 2",
	 NULL},

	{"held", LOCKED, READS, "3 0 1 4 5", "step 2 (event 1, T0 acq(l)): the lock is held by T1"},
	{"held to the end", "T0 acq l; T0 w x; T0 rel l; T1 w x", READS, "0 1 3", NULL},
	{"nested acquire", "T0 acq l; T0 acq+ l; T0 w x; T0 rel+ l; T0 rel l; T1 w x", READS,
	 "0 1 2 5", NULL},
	{"nested release is none",
	 "T0 acq l; T0 acq+ l; T0 rel+ l; T0 w x; T0 rel l; T1 acq l; T1 w x", READS, "0 1 2 5 3 6",
	 "step 3 (event 5, T1 acq(l)): the lock is held by T0"},
	{"released is free", "T0 acq l; T0 acq+ l; T0 rel+ l; T0 rel l; T0 w x; T1 acq l; T1 w x",
	 READS, "0 1 2 3 5 4 6", NULL},
	{"released by another", "T0 acq l; T1 rel l; T0 w x; T1 w x", READS, "0 1 2 3",
	 "step 1 (event 1, T1 rel(l)): its thread does not hold the lock"},
	{"two locks", "T0 acq l; T0 w x; T0 rel l; T1 acq m; T1 w x; T1 rel m", READS, "0 3 1 4",
	 NULL},

	{"shared together", "T0 racq l; T0 w x; T0 rrel l; T1 racq l; T1 w x; T1 rrel l", READS,
	 "0 3 1 4", NULL},
	{"shared, then alone", "T0 racq l; T0 w x; T0 rrel l; T1 acq l; T1 w x; T1 rel l", READS,
	 "0 3 1 4", "step 1 (event 3, T1 acq(l)): the lock is held shared (by 1)"},
	{"alone, then shared", "T0 acq l; T0 w x; T0 rel l; T1 racq l; T1 w x; T1 rrel l", READS,
	 "0 3 1 4", "step 1 (event 3, T1 racq(l)): the lock is held by T0"},
	{"one of two readers left",
	 "T0 racq l; T1 racq l; T0 rrel l; T1 rrel l; T2 acq l; T2 w x; T1 w x", READS,
	 "0 1 2 4 5 6", "shared (by 1)"},
	{"both readers left",
	 "T0 racq l; T1 racq l; T0 rrel l; T1 rrel l; T2 acq l; T2 w x; T1 w x", READS,
	 "0 1 2 3 4 5 6", NULL},
	{"released, but not held shared", "T0 rrel l; T0 w x; T1 w x", READS, "0 1 2",
	 "step 0 (event 0, T0 rrel(l)): nobody holds the lock shared"},

	{"same writer", READ_WRITE, READS, "0 1 2 3", NULL},
	{"no writer any more", "T0 w y; T1 r y; T1 w x; T2 w x", READS, "1 2 3",
	 "step 0 (event 1, T1 r(y)): sees no write, in the trace it saw event 0"},
	{"another writer", "T0 w y; T2 w y; T1 r y; T1 w x; T3 w x", READS, "1 0 2 3 4",
	 "step 2 (event 2, T1 r(y)): sees the write of event 0, in the trace it saw event 1"},
	{"a writer, saw none", "T1 r y; T0 w y; T1 w x; T2 w x", READS, "1 0 2 3",
	 "step 1 (event 0, T1 r(y)): sees the write of event 1, in the trace it saw none"},
	{"none in both", "T1 r y; T0 w y; T1 w x; T2 w x", READS, "0 2 3", NULL},
	{"the racing read is free", "T0 w x; T1 r x; T2 w x", READS, "1 2", NULL},
	{"the racing read is free, second", "T0 w x; T1 r x; T2 w x", READS, "2 1", NULL},
	{"the read before them is not", "T0 w x; T1 r x; T1 w z; T2 w z", READS, "1 2 3",
	 "sees no write"},
	{"its own write", "T0 w y; T1 w y; T1 r y; T1 w x; T0 w x", READS, "1 2 0 3 4", NULL},
	{"overwritten", "T0 w y; T1 w y; T1 r y; T1 w x; T0 w x", READS, "1 0 2 3 4",
	 "saw event 1"},

	{"a read without effect is free", READ_READ, DEP, "1 0 2 3", NULL},
	{"but not by READS", READ_READ, READS, "1 0 2 3",
	 "step 0 (event 1, T1 r(y)): sees no write"},
	{"a racing write has an effect", READ_WRITE, LITERAL, "1 0 2 3",
	 "step 0 (event 1, T1 r(y)): sees no write"},
	{"a racing write, last", READ_WRITE, LITERAL, "1 0 3 2",
	 "step 0 (event 1, T1 r(y)): sees no write"},
	{"a write has an effect", "T0 w y; T1 r y; T1 w z; T1 r x; T0 w x", LITERAL, "1 0 2 3 4",
	 "saw event 0"},
	{"a racing write alone has none", READ_WRITE, DEP, "1 0 2 3", NULL},
	{"nor has a write that nobody sees", "T0 w y; T1 r y; T1 w z; T1 r x; T0 w x", DEP,
	 "1 0 2 3 4", NULL},
	{"a write whose reader branches has",
	 "T0 w y; T1 r y; T1 w z; T2 r z; T2 br; T2 r x; T0 w x", DEP, "1 2 3 4 0 5 6",
	 "step 0 (event 1, T1 r(y)): sees no write"},
	{"but not if the branch is outside",
	 "T0 w y; T1 r y; T1 w z; T2 r z; T2 r x; T2 br; T0 w x", DEP, "1 2 3 0 4 6", NULL},
	{"through its own thread",
	 "T0 w y; T1 r y; T1 w z; T1 r z; T1 dep z; T1 br; T1 r x; T0 w x", DEP, "1 2 3 4 5 0 6 7",
	 "step 0 (event 1, T1 r(y)): sees no write"},
	{"a branch that names another variable",
	 "T1 dep z; T0 w y; T1 r y; T1 dep z; T1 br; T1 r x; T0 w x", DEP, "0 2 3 4 1 5 6", NULL},
	{"a read that waited", "T0 aw barrier; T1 ar barrier; T1 r x; T2 w x", DEP, "1 2 3",
	 "saw event 0"},
	{"a branch has an effect", READ_BRANCH, DEP, "1 2 0 3 4", "saw event 0"},
	{"with its writer it may", READ_BRANCH, DEP, "0 1 2 3 4", NULL},
	{"a branch outside has none", "T0 w y; T1 r y; T1 r x; T1 br; T0 w x", DEP, "1 0 2 4",
	 NULL},
	{"a branch before has none", "T0 w y; T1 br; T1 r y; T1 r x; T0 w x", DEP, "1 2 0 3 4",
	 NULL},
	{"another thread's branch has none", "T0 w y; T1 r y; T1 r x; T0 br; T0 w x", DEP,
	 "1 0 3 2 4", NULL},

	{"AUTO without a branch", READ_READ, AUTO, "1 0 2 3", "sees no write"},
	{"AUTO with a branch", "T0 w y; T1 r y; T1 r x; T1 br; T0 w x", AUTO, "1 0 2 4", NULL},

	{"atomic read keeps its writer", "T0 aw y; T1 ar y; T1 w x; T2 w x", READS, "1 2 3",
	 "saw event 0"},
	{"plain read of an atomic write", "T0 aw y; T1 r y; T1 w x; T2 w x", READS, "1 2 3",
	 "saw event 0"},
	{"atomic update reads", "T0 aw y; T1 au y; T1 w x; T2 w x", READS, "1 2 3", "saw event 0"},
	{"atomic update writes", "T0 au y; T1 ar y; T1 w x; T2 w x", READS, "1 2 3", "saw event 0"},
	{"atomic update keeps its writer", "T0 aw y; T1 au y; T1 r x; T2 w x", LITERAL, "1 2 3",
	 "saw event 0"},
	{"atomic update whose value nobody sees", "T0 aw y; T1 au y; T1 r x; T2 w x", DEP, "1 2 3",
	 NULL},
	{"atomic update that a branch depends on", "T0 aw y; T1 au y; T1 br; T1 r x; T2 w x", DEP,
	 "1 2 3 4", "saw event 0"},
	{"atomic read without effect", "T0 aw y; T1 ar y; T1 r x; T2 w x", DEP, "1 2 3", NULL},
	{"an atomic write has an effect", "T0 aw y; T1 ar y; T1 aw z; T1 r x; T2 w x", LITERAL,
	 "1 2 3 4", "saw event 0"},

	{"same thread", "T0 w x; T0 w x; T1 w x", READS, "0 1",
	 "step 1 (event 1, T0 w(x)): events 0 and 1 are of the same thread"},
	{"two variables", "T0 w x; T1 w y", READS, "0 1",
	 "events 0 and 1 access different variables"},
	{"two reads", "T0 r x; T1 r x", READS, "0 1", "events 0 and 1 are both reads"},
	{"no access, second", "T0 w x; T1 acq l", READS, "0 1", "not both plain accesses"},
	{"no access, first", "T1 acq l; T0 w x", READS, "0 1", "not both plain accesses"},
	{"atomic, second", "T0 w x; T1 aw x", READS, "0 1", "not both plain accesses"},
	{"atomic, first", "T0 aw x; T1 w x", READS, "0 1", "not both plain accesses"},
	{"fences, begin, end", "T0 begin; T0 fence; T0 end; T0 w x; T1 w x", READS, "0 1 2 3 4",
	 NULL},

	{"tasks", "T0 w x; T1 w x; T0 async T2", READS, "0 1",
	 "event 2 (async): traces of task programs have no witnesses"},
	{"promises", "T0 w x; T1 w x; T0 set p", READS, "0 1",
	 "event 2 (set): traces of task programs"},
};

static size_t numbers(const char *text, uint32_t *to)
{
	size_t n = 0;
	for (char *end; *text; text = end + strspn(end, " "))
		to[n++] = (uint32_t)strtoul(text, &end, 10);
	return n;
}

static void test_rules(void **state)
{
	for (size_t i = 0; i < sizeof(check_cases) / sizeof(check_cases[0]); i++) {
		const struct check_case *c = &check_cases[i];
		struct snag_trace trace;
		uint32_t events[16];
		struct snag_witness w = {.event = events, .n = numbers(c->events, events)};
		struct snag_error err = {0};
		trace_parse(&trace, c->trace);
		int rc = snag_witness_check(&trace, &w, c->rules, &err);
		if (rc != (c->error ? SNAG_EINPUT : 0) || (c->error && !strstr(err.msg, c->error)))
			fail_msg("%s: expected %s, got %d %s", c->what,
				 c->error ? c->error : "valid", rc, err.msg);
		snag_trace_done(&trace);
	}
}

static int check_prefix(const char *text, uint32_t *prefix, const char *listed,
			struct snag_error *err)
{
	struct snag_trace trace;
	uint32_t events[16];
	struct snag_witness w = {.prefix = prefix, .event = events, .n = numbers(listed, events)};
	trace_parse(&trace, text);
	*err = (struct snag_error){0};
	int rc = snag_witness_check(&trace, &w, SNAG_RULES_AUTO, err);
	snag_trace_done(&trace);
	return rc;
}

static void test_prefix(void **state)
{
	struct snag_error err;
	/* The prefix runs in observed order: T0's write before T1's read. */
	assert_int_equal(check_prefix(READ_WRITE, (uint32_t[]){1, 1}, "2 3", &err), 0);
	/* All of it may be prefix; its last two events are then the race. */
	assert_int_equal(check_prefix(READ_WRITE, (uint32_t[]){2, 2}, "", &err), 0);
	assert_int_equal(check_prefix(LOCKED, (uint32_t[]){0, 2}, "0 5", &err), 0);

	assert_int_equal(check_prefix(READ_WRITE, (uint32_t[]){1, 1}, "1 2 3", &err), SNAG_EINPUT);
	assert_string_equal(err.msg, "step 2 (event 1, T1 r(y)): happens twice");
	assert_int_equal(check_prefix(READ_WRITE, (uint32_t[]){0, 1}, "2 3", &err), SNAG_EINPUT);
	assert_string_equal(
		err.msg, "step 0 (event 1, T1 r(y)): sees no write, in the trace it saw event 0");
	assert_int_equal(check_prefix(READ_WRITE, (uint32_t[]){3, 1}, "2 3", &err), SNAG_EINPUT);
	assert_string_equal(err.msg, "prefix of T0: 3 events, but it has only 2");
	assert_int_equal(check_prefix(READ_WRITE, (uint32_t[]){1, 1}, "2 9", &err), SNAG_EINPUT);
	assert_string_equal(err.msg, "step 3: there is no event 9, the trace has 4");
	/* By the rules DEPENDENCE what follows the prefix makes its reads causal. */
	assert_int_equal(check_prefix("T0 w y; T1 r y; T1 br; T1 r x; T0 w x", (uint32_t[]){0, 1},
				      "2 0 3 4", &err),
			 SNAG_EINPUT);
	assert_int_equal(check_prefix("T0 w y; T1 r y; T1 r x; T1 br; T0 w x", (uint32_t[]){0, 1},
				      "0 2 4", &err),
			 0);
}

static void test_long_names(void **state)
{
	struct snag_trace trace;
	struct snag_error err;
	uint32_t events[] = {0, 0};
	struct snag_witness w = {.event = events, .n = 2};
	char *name = snag_calloc(100000, 1);
	memset(name, 'n', 99999);
	snag_trace_init(&trace);
	snag_trace_add(&trace, name, SNAG_OP_WRITE, name, "1");
	assert_int_equal(snag_witness_check(&trace, &w, SNAG_RULES_READS, &err), SNAG_EINPUT);
	assert_non_null(strstr(err.msg, "happens twice"));
	snag_trace_done(&trace);
	free(name);
}

static char path[64];

static int read_bytes(const void *bytes, size_t n, struct snag_witness *w, struct snag_error *err)
{
	struct snag_trace trace;
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
	/* Threads T0, T1, "a\"\n" and an e with an accent. */
	trace_parse(&trace, LOCKED);
	snag_trace_add(&trace, "a\"\t", SNAG_OP_WRITE, "x", "1");
	snag_trace_add(&trace, "\xc3\xa9\xf0\x9f\x98\x80\xe2\x82\xac", SNAG_OP_WRITE, "x", "1");
	*err = (struct snag_error){0};
	int rc = snag_witness_read(path, &trace, w, err);
	snag_trace_done(&trace);
	return rc;
}

struct read_case {
	const char *text;
	const char *error;  /* behind the file name; NULL: valid */
	const char *events; /* if valid */
	uint32_t prefix[4];
};

static const struct read_case read_cases[] = {
	{"3 4 0 5", NULL, "3 4 0 5", {0}},
	{"\n 3\t4\r\n0   5\n", NULL, "3 4 0 5", {0}},
	{"[3,4,0,5]", NULL, "3 4 0 5", {0}},
	{" [ 3 , 4 ] ", NULL, "3 4", {0}},
	{"[]", NULL, "", {0}},
	{"{\"witness\":[3,4,0,5]}", NULL, "3 4 0 5", {0}},
	{"{\"witness\":[0,5],\"prefix\":{\"T1\":2}}", NULL, "0 5", {0, 2}},
	{"{\"prefix\":{\"T1\":2,\"T0\":1},\"witness\":[0]}", NULL, "0", {1, 2}},
	{"{\"prefix\":{},\"witness\":[0]}", NULL, "0", {0}},
	{"{\"prefix\":{\"a\\\"\\t\":7},\"witness\":[0]}", NULL, "0", {0, 0, 7}},
	{"{\"prefix\":{\"\\u00e9\\uD83D\\ude00\\u20ac\":7},\"witness\":[0]}",
	 NULL,
	 "0",
	 {0, 0, 0, 7}},
	{"{\"a\":[1,{\"b\":-1.5e+3}],\"c\":\"\\\"]}\",\"d\":{},\"e\":[],\"f\":true,\"witness\":[1],"
	 "\"g\":null}",
	 NULL,
	 "1",
	 {0}},
	{"4294967294", NULL, "4294967294", {0}},

	{"", ":1: expected a witness: '{', '[' or event numbers, but the file ends", NULL, {0}},
	{"  \n\n", ":3: expected a witness", NULL, {0}},
	{"x", ":1: expected a witness: '{', '[' or event numbers, not 'x'", NULL, {0}},
	{"-1", ":1: expected a witness", NULL, {0}},
	{"3 4\n-1", ":2: expected the end of the file, not '-'", NULL, {0}},
	{"4294967295", ":1: the number is too large", NULL, {0}},
	{"99999999999999999999999999", ":1: the number is too large", NULL, {0}},
	{"[1.5]", ":1: expected a whole number, not '.'", NULL, {0}},
	{"[1e3]", ":1: expected a whole number, not 'e'", NULL, {0}},
	{"[1", ":1: expected ',' or ']', but the file ends", NULL, {0}},
	{"[1,", ":1: expected an event number, but the file ends", NULL, {0}},
	{"[1,]", ":1: expected an event number, not ']'", NULL, {0}},
	{"[1 2]", ":1: expected ',' or ']', not '2'", NULL, {0}},
	{"[1] 2", ":1: expected the end of the file, not '2'", NULL, {0}},
	{"[[1]]", ":1: expected an event number, not '['", NULL, {0}},
	{"0 1 2 3 4 5 6 7 8", ":1: more events than the trace has (8)", NULL, {0}},
	{"{}", ":1: no \"witness\" in the object", NULL, {0}},
	{"{\"prefix\":{}}", ":1: no \"witness\"", NULL, {0}},
	{"{\"witness\":[1],\"witness\":[2]}", ":1: a second \"witness\"", NULL, {0}},
	{"{\"prefix\":{},\"prefix\":{},\"witness\":[2]}", ":1: a second \"prefix\"", NULL, {0}},
	{"{\"prefix\":{\"T9\":1},\"witness\":[2]}", ":1: the trace has no thread 'T9'", NULL, {0}},
	{"{\"prefix\":{\"T0\":1,\"T0\":1},\"witness\":[2]}", ":1: thread 'T0' twice", NULL, {0}},
	{"{\"prefix\":{\"T0\":-1},\"witness\":[2]}",
	 ":1: expected a number of events, not '-'",
	 NULL,
	 {0}},
	{"{\"prefix\":[],\"witness\":[2]}", ":1: expected '{', not '['", NULL, {0}},
	{"{\"witness\":{}}", ":1: expected '[', not '{'", NULL, {0}},
	{"{\"witness\"", ":1: expected ':', but the file ends", NULL, {0}},
	{"{witness:[1]}", ":1: expected a member name, not 'w'", NULL, {0}},
	{"{\"a\":}", ":1: expected a value, not '}'", NULL, {0}},
	{"{\"a\":\"\\", ":1: expected the end of the string, but the file ends", NULL, {0}},
	{"{\"a\n\":1}", ":1: expected the end of the string, not byte 0x0a", NULL, {0}},
	{"{\"\\x\":1}", ":1: expected an escape sequence, not 'x'", NULL, {0}},
	{"{\"\\u12g4\":1}", ":1: expected four hexadecimal digits, not 'g'", NULL, {0}},
	{"{\"\\u0000\":1}", ":1: \\u0000 is no character of a name", NULL, {0}},
	{"{\"\\udc00\":1}", ":1: \\udc00 is no character of a name", NULL, {0}},
	{"{\"\\ud800x\":1}", ":1: half a surrogate pair", NULL, {0}},
	{"{\"\\ud800\\u0041\":1}", ":1: half a surrogate pair", NULL, {0}},
};

static void test_read(void **state)
{
	for (size_t i = 0; i < sizeof(read_cases) / sizeof(read_cases[0]); i++) {
		const struct read_case *c = &read_cases[i];
		struct snag_witness w = {0};
		struct snag_error err;
		int rc = read_bytes(c->text, strlen(c->text), &w, &err);
		if (c->error) {
			size_t len = strlen(path);
			if (rc != SNAG_EINPUT || strncmp(err.msg, path, len) != 0 ||
			    strncmp(err.msg + len, c->error, strlen(c->error)) != 0)
				fail_msg("%s: expected %s, got %d %s", c->text, c->error, rc,
					 err.msg);
			assert_null(w.event);
			continue;
		}
		uint32_t events[16];
		size_t n = numbers(c->events, events);
		if (rc != 0 || w.n != n || (n && memcmp(w.event, events, n * sizeof(*events)) != 0))
			fail_msg("%s: got %d %s", c->text, rc, err.msg);
		for (int t = 0; t < 4; t++)
			assert_int_equal(w.prefix ? w.prefix[t] : 0, c->prefix[t]);
		snag_witness_done(&w);
		snag_witness_done(&w);
	}
}

static void test_read_bounds(void **state)
{
	struct snag_witness w = {0};
	struct snag_error err;
	size_t n = 1 << 20;
	char *text = snag_alloc(n);

	memset(text, '[', n); /* the array of events does not nest */
	assert_int_equal(read_bytes(text, n, &w, &err), SNAG_EINPUT);
	memcpy(text, "{\"a\":", 5); /* what is skipped nests, a little */
	assert_int_equal(read_bytes(text, n, &w, &err), SNAG_EINPUT);
	assert_non_null(strstr(err.msg, "nested more than 64 deep"));
	memset(text, 'n', n); /* a name without end */
	memcpy(text, "{\"", 2);
	assert_int_equal(read_bytes(text, n, &w, &err), SNAG_EINPUT);
	assert_non_null(strstr(err.msg, "the name is longer than 65535 bytes"));
	memset(text, '0', n); /* digits without end are a number */
	assert_int_equal(read_bytes(text, n, &w, &err), 0);
	assert_int_equal(w.n, 1);
	snag_witness_done(&w);
	free(text);

	assert_int_equal(snag_witness_read("/nonexistent", NULL, &w, &err), SNAG_EIO);
	snag_witness_done(NULL);
}

/* Damages valid files at random; the sanitizers and the bounds watch. */
static void test_read_damaged(void **state)
{
	uint64_t seed = 1;
	size_t read = 0, refused = 0;
	for (int round = 0; round < 4000; round++) {
		const char *text = read_cases[round % 13].text;
		static const char alphabet[] = "{}[]\",:\\0123456789u-.eE \n\0\xff"
					       "ab";
		char bytes[160];
		size_t n = strlen(text);
		memcpy(bytes, text, n);
		for (int k = 0; k < 3; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			size_t at = (seed >> 33) % n;
			if (seed >> 62 == 0)
				n = at + 1;
			else
				bytes[at] = alphabet[(seed >> 20) % (sizeof(alphabet) - 1)];
		}
		struct snag_witness w = {0};
		struct snag_error err;
		int rc = read_bytes(bytes, n, &w, &err);
		if (rc == 0)
			read++;
		else
			refused++;
		assert_true(rc == 0 || (rc == SNAG_EINPUT && err.msg[0] && !strchr(err.msg, '\n')));
		snag_witness_done(&w);
	}
	assert_true(read > 50 && refused > 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),	    cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_long_names),  cmocka_unit_test(test_read),
		cmocka_unit_test(test_read_bounds), cmocka_unit_test(test_read_damaged),
	};
	snprintf(path, sizeof(path), "%s/snag-witness.%d", "/tmp", (int)getpid());
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
