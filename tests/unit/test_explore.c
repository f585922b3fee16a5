/* SPDX-License-Identifier: Apache-2.0
 *
 * test_explore.c - all schedules of small programs whose answers are known
 */
#include "unit.h"

#include "lang/explore.h"

#include <stdio.h>
#include <string.h>

static void explore_with(const char *text, const struct snag_explore_options *options,
			 struct snag_explored *x)
{
	struct snag_program *p;
	struct snag_error err;
	if (snag_program_parse("test", text, strlen(text), &p, &err) < 0)
		fail_msg("%s", err.msg);
	snag_explore(p, options, x);
	snag_program_free(p);
}

static struct snag_explored explored(const char *text)
{
	struct snag_explored x;
	explore_with(text, &(struct snag_explore_options){0}, &x);
	return x;
}

/* The racy variables, one after another. */
static void assert_racy(const struct snag_explored *x, const char *names)
{
	char got[200] = "";
	for (size_t i = 0; i < x->nraces; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "",
			 x->race[i].variable);
	assert_string_equal(got, names);
}

/* Proved: no race, one final state, and 100 more schedules agree. */
static void race_free_has_one_schedule(void **state)
{
	struct snag_explored x =
		explored("var x, y; promise p;\n"
			 "main { async { x = 5; set p; y = 1; }\n"
			 "  async { get p; x = x + 1; }\n"
			 "  async { let a = alloc; *a = 3; let q = new; set q; get q; } }");
	assert_racy(&x, "");
	assert_true(x.exhaustive);
	assert_int_equal(x.schedules, 1);
	assert_int_equal(x.final_states, 1);
	assert_true(x.deterministic);
	assert_int_equal(x.deadlock.n, 0);
	assert_int_equal(x.confirmed, 100);
	assert_true(x.same_memory && x.same_graph);
	snag_explored_done(&x);
}

/* Jin et al., figure 1: the memory is always the same, the graph is not. */
static void racy_read_gives_two_graphs(void **state)
{
	struct snag_explored x = explored("promise y;\n"
					  "main { let x = alloc;\n"
					  "async { *x = 5; set y; }\n"
					  "let a = *x; get y; let b = *x; }");
	assert_racy(&x, "@2");
	assert_true(x.exhaustive);
	assert_int_equal(x.schedules, 2);
	assert_int_equal(x.graphs, 2);
	assert_int_equal(x.final_states, 1);
	assert_int_equal(x.confirmed, 0);
	snag_explored_done(&x);
}

/* Storey et al., figure 2: no race, in either order. */
static void isolated_blocks_that_do_not_commute(void **state)
{
	struct snag_explored x =
		explored("var x, a, y;\n"
			 "proc p() { isolated { if (!a) { x = 1; } } }\n"
			 "main { finish { async p(); isolated { a = 1; } y = x; } }");
	assert_racy(&x, "");
	assert_true(x.exhaustive);
	assert_int_equal(x.schedules, 2);
	assert_int_equal(x.final_states, 2);
	assert_false(x.deterministic);
	snag_explored_done(&x);
}

static struct snag_explored eight(const char *block)
{
	char text[1000] = "var x, a[8]; main {";
	for (int i = 0; i < 8; i++) {
		size_t n = strlen(text);
		snprintf(text + n, sizeof(text) - n, "async { isolated { ");
		n = strlen(text);
		snprintf(text + n, sizeof(text) - n, block, i);
		strcat(text, " } }\n");
	}
	strcat(text, "}");
	return explored(text);
}

static void conflicting_blocks_are_permuted(void **state)
{
	struct snag_explored x = eight("x = x * 10 + %d;");
	assert_true(x.exhaustive);
	assert_int_equal(x.schedules, 40320);
	assert_int_equal(x.redundant, 0);
	assert_int_equal(x.final_states, 40320);
	assert_int_equal(x.graphs, 40320);
	snag_explored_done(&x);
}

static void commuting_blocks_are_not(void **state)
{
	struct snag_explored x = eight("a[%d] = x;");
	assert_true(x.exhaustive);
	assert_int_equal(x.schedules, 1);
	assert_true(x.deterministic);
	snag_explored_done(&x);
}

/* Mutual exclusion is not atomicity: a plain write can come between. */
static void plain_accesses_come_between(void **state)
{
	struct snag_explored x =
		explored("var x, y; main { async { isolated { y = x; y = y + x * 10; } } x = 1; }");
	assert_racy(&x, "x");
	assert_true(x.exhaustive);
	assert_int_equal(x.final_states, 3); /* y is 0, 10 or 11 */
	snag_explored_done(&x);
}

static void deadlock_in_one_order(void **state)
{
	struct snag_explored x = explored(
		"var x; promise p;\n"
		"main { async { isolated { x = 1; } } isolated { if (x == 0) { x = 2; } }\n"
		"if (x == 2) { get p; } }");
	assert_int_equal(x.deadlock.n, 1);
	assert_int_equal(x.deadlock.wait[0].task, 0);
	assert_string_equal(x.deadlock.wait[0].what, "get");
	assert_int_not_equal(x.schedules, 1);
	snag_explored_done(&x);
}

static void set_twice_in_one_order(void **state)
{
	struct snag_explored x =
		explored("var x; promise p;\nmain { async {\nset p; }\nset p;\n x = 1; }");
	assert_int_equal(x.nerrors, 2);
	assert_true(x.exhaustive);
	assert_int_equal(x.schedules, 2);
	assert_int_equal(x.final_states, 2);
	assert_string_equal(x.error[0].message, "test:4:1: promise 'p' is set already, at 3:1");
	snag_explored_done(&x);
}

static void waiting_loops_end(void **state)
{
	struct snag_explored x =
		explored("var f, g, x; main { async { while (f == 0) { skip; } x = 1; }\n"
			 "async { while (f + g == 0) { skip; } x = 2; } f = 1; g = 1; }");
	assert_racy(&x, "f g x");
	assert_true(x.exhaustive);
	assert_int_equal(x.final_states, 2);
	assert_int_equal(x.endless.n, 0);
	snag_explored_done(&x);
}

/* The state of a loop includes what it is about to read. */
static void loops_over_arrays_go_on(void **state)
{
	struct snag_explored x = explored(
		"var a[3], x; proc look(i) { if (a[i] == 0) { if (i < 2) { look(i + 1); } } }\n"
		"main { look(0); x = 1; }");
	assert_true(x.exhaustive);
	assert_int_equal(x.endless.n, 0);
	assert_int_equal(x.final_states, 1);
	snag_explored_done(&x);
}

static void endless_loop_is_found(void **state)
{
	struct snag_explored x =
		explored("var f, g; main { async { while (f == 0) { skip; } } g = 1; }");
	assert_true(x.exhaustive);
	assert_int_equal(x.endless.n, 1);
	assert_string_equal(x.endless.wait[0].what, "loop");
	assert_int_equal(x.deadlock.n, 0);
	snag_explored_done(&x);
}

static void limits_are_honest(void **state)
{
	struct snag_explored x;
	const char *racy = "var x; main { async { x = 1; } async { x = 2; } x = 3; }";
	explore_with(racy, &(struct snag_explore_options){.schedules = 2}, &x);
	assert_false(x.exhaustive);
	assert_false(x.deterministic);
	assert_int_equal(x.gap, SNAG_EXPLORE_SCHEDULES);
	assert_int_equal(x.schedules, 2);
	snag_explored_done(&x);

	explore_with(racy, &(struct snag_explore_options){0}, &x);
	assert_true(x.exhaustive);
	assert_int_equal(x.schedules, 6);
	assert_int_equal(x.final_states, 3);
	snag_explored_done(&x);

	explore_with("var x; main { while (1) { x = x + 1; } }",
		     &(struct snag_explore_options){.steps = 1000}, &x);
	assert_false(x.exhaustive);
	assert_int_equal(x.gap, SNAG_EXPLORE_STEPS_CUT);
	assert_int_equal(x.final_states, 0);
	snag_explored_done(&x);

	/* Also inside a schedule, and everybody gets a turn in it. */
	explore_with("var x; main { async { while (1) { x = x + 1; } } while (1) { x = x * 2; } }",
		     &(struct snag_explore_options){.seconds = 0.05, .steps = UINT64_MAX}, &x);
	assert_int_equal(x.gap, SNAG_EXPLORE_SECONDS);
	assert_int_equal(x.schedules, 0);
	assert_racy(&x, "x");
	snag_explored_done(&x);

	sig_atomic_t stop = 1;
	explore_with(racy, &(struct snag_explore_options){.stop = &stop}, &x);
	assert_false(x.exhaustive);
	assert_int_equal(x.gap, SNAG_EXPLORE_STOPPED);
	snag_explored_done(&x);
}

/* Names of promises and cells do not count, what they hold does. */
static void memories_are_compared_by_content(void **state)
{
	struct snag_explored x = explored("var x, y;\n"
					  "main { async { x = alloc; } async { y = alloc; } }");
	assert_int_equal(x.final_states, 1);
	assert_racy(&x, "");
	snag_explored_done(&x);
	x = explored("var x, y;\n"
		     "main { async { isolated { x = alloc; *x = y; y = y + 1; } }\n"
		     "async { isolated { x = alloc; *x = y; y = y + 1; } } }");
	assert_int_equal(x.schedules, 2);
	assert_int_equal(x.final_states, 1);
	snag_explored_done(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(race_free_has_one_schedule),
		cmocka_unit_test(racy_read_gives_two_graphs),
		cmocka_unit_test(isolated_blocks_that_do_not_commute),
		cmocka_unit_test(conflicting_blocks_are_permuted),
		cmocka_unit_test(commuting_blocks_are_not),
		cmocka_unit_test(plain_accesses_come_between),
		cmocka_unit_test(deadlock_in_one_order),
		cmocka_unit_test(set_twice_in_one_order),
		cmocka_unit_test(waiting_loops_end),
		cmocka_unit_test(loops_over_arrays_go_on),
		cmocka_unit_test(endless_loop_is_found),
		cmocka_unit_test(limits_are_honest),
		cmocka_unit_test(memories_are_compared_by_content),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
