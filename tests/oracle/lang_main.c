/* SPDX-License-Identifier: Apache-2.0
 *
 * lang_main.c - the oracle of task programs as text: one run against all schedules
 *
 * Random programs that compute (explore_program.h) are run depth first and judged by every
 * detector that can, and explored exhaustively.  One schedule must not contradict all:
 *
 *   - a verdict race-free means that no schedule has a race
 *   - without isolated blocks, drdp, cg, isograph and espbags see a race if some schedule has
 *     one, unless the run ended early
 *   - without isolated blocks the racy variables of a run race in some schedule; so do
 *     those of the detectors that keep isolated blocks in the order of the run
 *   - a run that deadlocks or fails is one of the schedules that do
 *
 * The first contradiction is shrunk and printed, and ends the run with status 1.
 */
#include "explore_program.h"

#include "detect/analyze/analyze.h"
#include "lang/explore.h"
#include "lang/run.h"
#include "report/tasks/task_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	unsigned long programs, judged, racy, race_free, deadlocks, errors, blocked, isolated;
};

struct context {
	struct tally tally;
	char why[700];
};

/* One program, one run, one detector. */
struct judged {
	const struct snag_detector *detector;
	struct snag_source *src;
	struct snag_analysis a;
	struct snag_error err;
	int rc;
};

static bool can_judge(const struct snag_program *program, const struct snag_detector *d)
{
	for (int op = 0; op < SNAG_OPS; op++)
		if (snag_program_first(program, (enum snag_op)op).line && !(d->ops >> op & 1))
			return false;
	return true;
}

static void judge(const struct snag_program *program, const struct snag_detector *d,
		  struct judged *ret_judged)
{
	const struct snag_run_options run = {.steps = 10000};
	struct snag_analyze_options options = {
		.detector = {d}, .ndetectors = 1, .by_variable = true, .brief = true, .jobs = 1};
	*ret_judged = (struct judged){.detector = d};
	ret_judged->rc = snag_run_source(program, &run, &ret_judged->src, &ret_judged->err);
	if (ret_judged->rc == 0)
		ret_judged->rc =
			snag_analyze(ret_judged->src, &options, &ret_judged->a, &ret_judged->err);
}

static void judged_done(struct judged *j)
{
	if (j->rc == 0)
		snag_analysis_done(&j->a);
	snag_source_close(j->src);
}

static bool is_racy(const struct snag_explored *x, const char *variable)
{
	for (size_t i = 0; i < x->nraces; i++)
		if (strcmp(x->race[i].variable, variable) == 0)
			return true;
	return false;
}

/* The first variable that races in the run but in no schedule; NULL: none. */
static const char *false_race(const struct judged *j, const struct snag_explored *x)
{
	static char name[SNAG_TASK_NAME];
	uint32_t cell;
	for (size_t i = 0; i < j->a.findings[0].nraces; i++) {
		snag_task_variable_of(j->src->names, j->a.findings[0].race[i].second.target, name,
				      &cell);
		if (!is_racy(x, name))
			return name;
	}
	return NULL;
}

/* Whether some schedule fails at the same place, "random:LINE:COLUMN:". */
static bool has_error(const struct snag_explored *x, const char *message)
{
	size_t len = strcspn(strchr(strchr(message, ':') + 1, ':') + 1, ":");
	len += (size_t)(strchr(strchr(message, ':') + 1, ':') + 1 - message);
	for (size_t i = 0; i < x->nerrors; i++)
		if (strncmp(x->error[i].message, message, len + 1) == 0)
			return true;
	return false;
}

/* What a run that failed must agree with. */
static bool agrees_on_error(const struct judged *j, const struct snag_explored *x, char *why)
{
	sprintf(why, "no schedule fails like the run: %.400s", j->err.msg);
	return has_error(x, j->err.msg);
}

static bool keeps_blocks_in_order(const char *detector)
{
	return strcmp(detector, "cg") == 0 || strcmp(detector, "zipper") == 0 ||
	       strcmp(detector, "isograph") == 0;
}

static bool agrees(const struct judged *j, const struct snag_explored *x, bool has_isolated,
		   char *why)
{
	const struct snag_findings *f = &j->a.findings[0];
	const struct snag_task_report report = {.deadlock = snag_run_end(j->src)->deadlock};
	bool keeps_order = keeps_blocks_in_order(f->name);
	if (report.deadlock && x->deadlock.n == 0) {
		sprintf(why, "the run deadlocks, no schedule does");
		return false;
	}
	if (snag_task_verdict(&report, f) == SNAG_TASK_RACE_FREE && x->nraces) {
		sprintf(why, "%s says race-free, but %.60s races", f->name, x->race[0].variable);
		return false;
	}
	if (has_isolated && !keeps_order)
		return true;
	const char *name = false_race(j, x);
	if (name) {
		sprintf(why, "%s says race on %.60s, which no schedule has", f->name, name);
		return false;
	}
	sprintf(why, "%s sees no race, but some schedule has one", f->name);
	return has_isolated || f->nraces || !x->nraces;
}

static void count(struct tally *t, const struct judged *j)
{
	const struct snag_run_end *end = snag_run_end(j->src);
	t->judged++;
	t->errors += j->rc < 0;
	if (j->rc < 0)
		return;
	t->racy += j->a.findings[0].nraces > 0;
	t->race_free += j->a.findings[0].race_free;
	t->deadlocks += end->deadlock;
	t->blocked += end->blocked > 0;
}

static bool fails(const struct explore_program *p, void *ctx)
{
	struct context *c = ctx;
	char text[EXPLORE_TEXT];
	struct snag_program *program;
	struct snag_error err;
	struct snag_explored x;
	bool ok = true;
	explore_program_print(p, text);
	if (snag_program_parse("random", text, strlen(text), &program, &err) < 0) {
		sprintf(c->why, "%.300s", err.msg);
		return true;
	}
	bool has_isolated = snag_program_first(program, SNAG_OP_ISOLATED_BEGIN).line;
	snag_explore(program, &(struct snag_explore_options){.schedules = 20000}, &x);
	c->tally.programs++;
	c->tally.isolated += has_isolated;
	for (size_t i = 0; ok && x.exhaustive && snag_detectors[i]; i++) {
		const struct snag_detector *d = snag_detectors[i];
		struct judged j;
		if (!(d->ops & SNAG_OPS_OF_TASKS) || !can_judge(program, d))
			continue;
		judge(program, d, &j);
		count(&c->tally, &j);
		ok = j.rc < 0 ? agrees_on_error(&j, &x, c->why)
			      : agrees(&j, &x, has_isolated, c->why);
		judged_done(&j);
	}
	snag_explored_done(&x);
	snag_program_free(program);
	return !ok;
}

int main(int argc, char **argv)
{
	unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct context c = {0};
	for (unsigned long i = 0; i < programs; i++) {
		struct prng random = {seed * 0x9e3779b97f4a7c15u + i * 0xff51afd7ed558ccdu};
		struct explore_features f = {.size = prng_range(&random, 3, 14),
					     .isolated = prng_chance(&random, 40),
					     .promises = prng_chance(&random, 60),
					     .spawn = prng_chance(&random, 30),
					     .branches = prng_chance(&random, 70),
					     .cells = prng_chance(&random, 20)};
		struct explore_program p;
		char text[EXPLORE_TEXT];
		explore_program_random(&p, &f, &random);
		if (!fails(&p, &c))
			continue;
		explore_program_shrink(&p, fails, &c);
		fails(&p, &c);
		explore_program_print(&p, text);
		printf("FAILED on program %lu, shrunk to:\n%s%s\n", i, text, c.why);
		return 1;
	}
	const struct tally *t = &c.tally;
	printf("%lu programs, %lu with isolated; %lu verdicts: racy %lu, race-free %lu, deadlock "
	       "%lu, "
	       "error %lu, with a blocked task %lu\n",
	       t->programs, t->isolated, t->judged, t->racy, t->race_free, t->deadlocks, t->errors,
	       t->blocked);
	return 0;
}
