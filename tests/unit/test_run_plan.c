/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan of `snag run`, for every answer that a run can give.
 */
#include "unit.h"

#include "cli/run/run_plan.h"

#include <string.h>

/* What the judged runs say: races or not, and simd loops or not. */
static struct cli_judged judged(bool races, bool simd)
{
	return (struct cli_judged){.was_there = true,
				   .is_of_tasks = true,
				   .races = races,
				   .has_simd = simd,
				   .events = 1000};
}

static void check_path(const char *judge, const struct cli_judged *answer, size_t nanswers,
		       const enum cli_run_kind *path, size_t npath)
{
	struct cli_plan p = cli_plan(judge);
	size_t told = 0;
	assert_null(p.why);
	for (size_t i = 0; i < npath; i++) {
		assert_int_equal(p.run, path[i]);
		assert_int_equal(p.nruns, i);
		assert_int_equal(cli_plan_judges(&p),
				 p.run == CLI_RUN_JUDGE || p.run == CLI_RUN_LOCKSTEP);
		/* Only an excerpt may be cut, and never before the race. */
		if (p.run == CLI_RUN_EXCERPT)
			assert_true(cli_plan_events(&p) > p.judged.events);
		else
			assert_int_equal(cli_plan_events(&p), 0);
		if (cli_plan_judges(&p) && told < nanswers)
			p.judged = answer[told++];
		if (i + 1 < npath) {
			cli_plan_next(&p);
			assert_non_null(p.why);
		}
	}
	assert_int_equal(told, nanswers);
}

static void test_recorded_at_once(void **state)
{
	(void)state;
	check_path(NULL, NULL, 0, (enum cli_run_kind[]){CLI_RUN_RECORD}, 1);
}

static void test_doubt(void **state)
{
	(void)state;
	for (int simd = 0; simd < 2; simd++) {
		const struct cli_judged answer = judged(false, simd);
		check_path("drdp", &answer, 1, (enum cli_run_kind[]){CLI_RUN_JUDGE, CLI_RUN_RECORD},
			   2);
	}
}

static void test_race(void **state)
{
	(void)state;
	const struct cli_judged answer = judged(true, false);
	check_path("drdp", &answer, 1,
		   (enum cli_run_kind[]){CLI_RUN_JUDGE, CLI_RUN_EXCERPT, CLI_RUN_RECORD}, 3);
}

static void test_race_with_simd(void **state)
{
	(void)state;
	const struct cli_judged still[] = {judged(true, true), judged(true, true)};
	const struct cli_judged doubt[] = {judged(true, true), judged(false, true)};
	check_path("drdp", still, 2,
		   (enum cli_run_kind[]){CLI_RUN_JUDGE, CLI_RUN_LOCKSTEP, CLI_RUN_EXCERPT,
					 CLI_RUN_RECORD},
		   4);
	check_path("drdp", doubt, 2,
		   (enum cli_run_kind[]){CLI_RUN_JUDGE, CLI_RUN_LOCKSTEP, CLI_RUN_RECORD}, 3);
}

static void test_words(void **state)
{
	(void)state;
	for (int k = 0; k < CLI_RUN_KINDS; k++)
		assert_true(strlen(cli_run_words(k)) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded_at_once),
		cmocka_unit_test(test_doubt),
		cmocka_unit_test(test_race),
		cmocka_unit_test(test_race_with_simd),
		cmocka_unit_test(test_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
