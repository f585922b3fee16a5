/* SPDX-License-Identifier: Apache-2.0
 *
 * judging.c - runs in which a detector inside the program judges its tasks
 */
#include "cli/run/judging.h"

#include "cli/command.h"
#include "cli/run/judged_obstacles.h"
#include "cli/run/pass_report.h"
#include "cli/run/program.h"
#include "cli/run/repeat.h"
#include "detect/detector.h"
#include "report/tasks/certificate.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

const char *cli_judge_choose(const char *list)
{
	const char *name = list ? list : "drdp";
	const struct snag_detector *d = snag_detector_find(name, strlen(name));
	return d && d->inside && cli_program_repeats() ? d->name : NULL;
}

bool cli_may_run_orders(const struct cli_run_values *v)
{
	return !v->with && !v->once && !v->no_replay && cli_program_repeats();
}

/* Returns whether a recorded run could add nothing to the verdict. */
static bool is_settled(const struct rt_verdict *v)
{
	return !(v->races || v->doubts || v->launched == 0 || v->launched != v->ended ||
		 (cli_has_obstacle(v) && !v->proves));
}

static bool input_is_lost(const struct rt_verdict *v)
{
	return v->has_read && !cli_input_repeats();
}

static bool was_interrupted(int status)
{
	return WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM ||
				       WTERMSIG(status) == SIGHUP || WTERMSIG(status) == SIGQUIT);
}

static struct cli_judged judged_take(const struct snag_live_end *end)
{
	const struct rt_verdict *v = &end->verdict;
	return (struct cli_judged){
		.was_there = true,
		.is_of_tasks = v->launched > 0,
		.has_simd = v->has_simd,
		/* Synchronisation that the judge has no rules for, such as locks, may have
		 * ordered them. */
		.races = v->doubts ? 0 : v->races,
		.events = v->events,
		.status = cli_program_status(end->status),
		.is_unknown = !is_settled(v) && input_is_lost(v) && (v->doubts || !v->races) &&
			      !was_interrupted(end->status),
	};
}

/* Why the plan ends without a settled verdict; NULL: it does not. */
static const char *end_words(const struct snag_live_end *end)
{
	const struct rt_verdict *v = &end->verdict;
	if (was_interrupted(end->status))
		return v->doubts  ? "interrupted; with its locks or atomics it can be judged only "
				    "when it has run once more: use --once"
		       : v->races ? "interrupted; there is a race, --once says where"
				  : "interrupted; no race was found before";
	if (!is_settled(v) && input_is_lost(v))
		return v->races && !v->doubts ? "there is a race; its input cannot be read again, "
						"so --once says where"
					      : "its input cannot be read again, as a second look "
						"needs: use --once";
	return NULL;
}

/* Prints a settled verdict that depends on no answer of the schedule. */
static void verdict_print(const struct rt_verdict *v, const char *program, const char *tool)
{
	struct snag_certificate c = {.is_race_free = v->proves,
				     .is_optimised = cli_is_optimised(program)};
	struct snag_error unused = {0};
	struct snag_printer to;
	if (!v->proves)
		snag_certificate_add(
			&c, "isolated",
			"its isolated blocks depend on their order; --once says where");
	if (snag_printer_open(&to, "/dev/stderr", &unused) == 0) {
		snag_certificate_text(&c, NULL, tool, &to);
		snag_printer_commit(&to, &unused);
	}
}

struct cli_outcome cli_judged_report(const struct cli_run_values *v, const char *program,
				     const struct snag_live_end *end, struct cli_judged *ret_judged)
{
	const struct cli_outcome not_enough = {.is_enough = false};
	const struct rt_verdict *verdict = &end->verdict;
	const struct cli_judged j = *ret_judged = judged_take(end);
	const char *words = end_words(end), *tool = cli_run_tool(v);
	bool has_obstacle = cli_has_obstacle(verdict);
	if (verdict->launched == 0 && end->status == 0 && !v->is_quiet)
		fprintf(stderr,
			"%s: no tasks, and no parallel region with more than one thread, were "
			"met\n",
			tool);
	if (!words && !is_settled(verdict))
		return not_enough;
	/* Other orders of the blocks can be run. */
	if (!words && !verdict->proves && !has_obstacle && !input_is_lost(verdict) &&
	    cli_may_run_orders(v))
		return not_enough;
	if (v->is_quiet && !j.races && !j.is_unknown)
		return (struct cli_outcome){true, j.status};
	if (words)
		fprintf(stderr, "%s: %s\n", tool, words);
	else if (!has_obstacle)
		verdict_print(verdict, program, tool);
	else if (!cli_obstacles_print(verdict, program, tool))
		return not_enough;
	if (j.is_unknown)
		return (struct cli_outcome){true, CLI_INTERNAL};
	return (struct cli_outcome){true, j.races && v->exitcode ? (int)v->exitcode : j.status};
}
