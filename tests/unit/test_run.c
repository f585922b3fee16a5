/* SPDX-License-Identifier: Apache-2.0
 *
 * test_run.c - the events of programs run depth first, and how runs end
 */
#include "unit.h"

#include "lang/run.h"
#include "render.h"

#include <string.h>

static struct snag_program *parsed(const char *text)
{
	struct snag_program *program = NULL;
	struct snag_error err;
	if (snag_program_parse("t", text, strlen(text), &program, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return program;
}

static struct snag_source *source(const struct snag_program *program, uint64_t steps)
{
	const struct snag_run_options options = {.steps = steps};
	struct snag_source *src;
	struct snag_error err;
	assert_int_equal(snag_run_source(program, &options, &src, &err), 0);
	return src;
}

/* The events without their numbers and locations, one word each. */
static void brief(const char *rendered, char *to)
{
	for (const char *line = rendered; *line; line = strchr(line, '\n') + 1) {
		const char *at = *line == '#' ? strchr(line, ' ') + 1 : line;
		if (*line == '!')
			to += sprintf(to, "%.*s", (int)(strchr(line, '\n') - line), line);
		for (int bars = 0; *line == '#' && bars < 2; at++) {
			bars += *at == '|';
			*to++ = *at == '|' ? (bars == 1 ? '.' : ' ') : *at;
		}
	}
	*to = 0;
}

static const struct {
	const char *text, *events;
} runs[] = {
	{"var x; main { async { x = x + 1; } x = 2; }",
	 "0.async(1) 1.r(x) 1.w(x) 1.taskend 0.w(x) 0.taskend "},
	/* A blocked get gives control back to the creator; the set resumes it. */
	{"var x; promise p; main { async { get p; x = 1; } x = 2; set p; x = 3; }",
	 "0.async(1) 0.w(x) 0.set(p) 1.get(p) 1.w(x) 1.taskend 0.w(x) 0.taskend "},
	{"var a[3]; main { let i = 1; a[i + 1] = 4; a[0] = a[i]; }",
	 "0.w(a[2]) 0.r(a[1]) 0.w(a[0]) 0.taskend "},
	{"main { let c = alloc; let d = alloc; *d = 1;\nlet e = alloc; *c = *e; }",
	 "0.w(@1#2) 0.r(@2) 0.w(@1) 0.taskend "},
	{"var x; main { let p = new; let q = new; async { get q; } set q; set p; }",
	 "0.async(1) 0.set(new@1#2) 1.get(new@1#2) 1.taskend 0.set(new@1) 0.taskend "},
	{"var x; proc f() { spawn { x = 1; } } main { finish { f(); } isolated { x = 2; } }",
	 "0.finish 0.frame 0.spawn(1) 1.w(x) 1.taskend 0.sync 0.frameend 0.finishend 0.iso "
	 "0.upd(update#6) 0.w(x) 0.updend(update#6) 0.isoend 0.taskend "},
	{"promise p; main { set p; async { set p; } }",
	 "0.set(p) 0.async(1) ! t:1:34: promise 'p' is set already, at 1:19"},
	{"var x; main { x = 1; while (1) { } }",
	 "0.w(x) ! t:1:22: more than 1000 steps, see --steps"},
	{"main { async { let x = 1 / 0; } }", "0.async(1) ! t:1:26: division by zero"},
};

static void programs_run_depth_first(void **state)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		char words[2048];
		struct snag_program *program = parsed(runs[i].text);
		char *rendered = render(source(program, 1000));
		brief(rendered, words);
		if (strcmp(words, runs[i].events) != 0)
			fail_msg("%s\n%s\nnot %s", runs[i].text, words, runs[i].events);
		free(rendered);
		snag_program_free(program);
	}
}

static void locations_are_lines_and_columns(void **state)
{
	struct snag_program *program =
		parsed("var x;\nmain {\n\tasync { x = x + 1; }\n\tx = 2;\n}");
	char *rendered = render(source(program, 0));
	assert_string_equal(rendered, "#0 0|async(1)|3:2\n#1 1|r(x)|3:14\n#2 1|w(x)|3:10\n"
				      "#3 1|taskend|3:21\n#4 0|w(x)|4:2\n#5 0|taskend|5:1\n");
	free(rendered);
	snag_program_free(program);
}

static void runs_can_be_repeated_and_left(void **state)
{
	struct snag_program *program =
		parsed("var x, i; proc f(n) { finish { async { x = n; } async { f(n + 1); } } } "
		       "main { while (i < 3000) { i = i + 1; async { x = i; } } f(0); }");
	struct snag_source *src = source(program, 100000), *again;
	struct snag_batch batch;
	struct snag_error err;
	assert_int_equal(snag_source_next(src, &batch, &err), 1);
	assert_int_equal(batch.n, SNAG_BATCH_EVENTS);
	assert_int_equal(snag_source_again(src, &again, &err), 1);
	char *once = render(source(program, 100000)), *twice = render(again);
	assert_string_equal(once, twice);
	assert_non_null(strstr(once, "more than 100000 steps"));
	free(once);
	free(twice);
	for (int i = 0; i < 3; i++)
		assert_int_equal(snag_source_next(src, &batch, &err), 1);
	snag_source_close(src);		       /* in the middle */
	snag_source_close(source(program, 0)); /* not begun */
	snag_program_free(program);
}

static void a_deadlock_is_a_result(void **state)
{
	struct snag_program *program = parsed("promise p, q;\nmain {\n async { get p; set q; }\n"
					      " finish { async { get q; set p; } }\n}");
	struct snag_source *src = source(program, 0);
	struct snag_batch batch;
	struct snag_error err;
	while (snag_source_next(src, &batch, &err) > 0)
		;
	const struct snag_run_end *end = snag_run_end(src);
	assert_true(end->deadlock);
	assert_int_equal(end->tasks, 3);
	assert_int_equal(end->promises, 2);
	assert_int_equal(end->nwaiting, 3);
	assert_int_equal(end->waiting[0].why, SNAG_WAIT_FINISH);
	assert_int_equal(end->where[0].line, 4);
	assert_int_equal(end->waiting[1].why, SNAG_WAIT_PROMISE);
	assert_int_equal(end->waiting[1].target, 0);
	assert_int_equal(end->where[1].line, 3);
	assert_int_equal(end->where[1].column, 10);
	assert_int_equal(snag_run_created(src, 2).place.line, 4);
	assert_int_equal(snag_run_created(src, 2).creator, 0);
	snag_source_close(src);
	snag_program_free(program);
}

static void tasks_alive_at_once_are_limited(void **state)
{
	const struct snag_run_options options = {.alive = 10};
	struct snag_program *program =
		parsed("proc f(n) { if (n) { async f(n - 1); } } main { f(9);\nf(10); }");
	struct snag_source *src;
	struct snag_error err;
	assert_int_equal(snag_run_source(program, &options, &src, &err), 0);
	char *rendered = render(src);
	assert_non_null(strstr(rendered, "#26 17|async(18)"));
	assert_non_null(strstr(rendered, "! t:1:22: more than 10 tasks alive at once\n"));
	free(rendered);
	snag_program_free(program);
}

static uint64_t count_events(const char *text, struct snag_run_end *ret_end)
{
	struct snag_program *program = parsed(text);
	struct snag_source *src = source(program, 0);
	struct snag_batch batch;
	struct snag_error err;
	uint64_t n = 0;
	int rc;
	while ((rc = snag_source_next(src, &batch, &err)) > 0)
		n += batch.n;
	if (rc < 0)
		fail_msg("%s", err.msg);
	*ret_end = *snag_run_end(src);
	snag_source_close(src);
	snag_program_free(program);
	return n;
}

static void many_tasks_and_deep_ones(void **state)
{
	struct snag_run_end end;
	uint64_t n = count_events("var x, i; main { while (i < 200000) { i = i + 1; async { } } }",
				  &end);
	assert_int_equal(end.tasks, 200001);
	assert_int_equal(n, 5 * 200000 + 2);

	count_events("var x; proc f(n) { if (n) { async f(n - 1); } x = n; } main { f(20000); }",
		     &end);
	assert_int_equal(end.tasks, 20001);

	/* All of them alive at once, waiting. */
	count_events("var i; promise p; main { while (i < 20000) { i = i + 1; async { get p; } } "
		     "set p; }",
		     &end);
	assert_int_equal(end.blocked, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_run_depth_first),
		cmocka_unit_test(locations_are_lines_and_columns),
		cmocka_unit_test(runs_can_be_repeated_and_left),
		cmocka_unit_test(a_deadlock_is_a_result),
		cmocka_unit_test(tasks_alive_at_once_are_limited),
		cmocka_unit_test(many_tasks_and_deep_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
