/* SPDX-License-Identifier: Apache-2.0
 *
 * run_plan.c - which runs `snag run` makes of a program, and why
 */
#include "cli/run/run_plan.h"

#include <assert.h>
#include <stddef.h>

struct cli_plan cli_plan(const char *judge)
{
	return (struct cli_plan){.run = judge ? CLI_RUN_JUDGE : CLI_RUN_RECORD, .judge = judge};
}

static void turn_to(struct cli_plan *p, enum cli_run_kind run, const char *why)
{
	p->run = run;
	p->why = why;
	p->nruns++;
}

void cli_plan_next(struct cli_plan *p)
{
	assert(p->run != CLI_RUN_RECORD);
	if (p->run == CLI_RUN_EXCERPT)
		turn_to(p, CLI_RUN_RECORD, "the recording ended before the race came");
	else if (p->run == CLI_RUN_JUDGE && p->judged.races && p->judged.has_simd)
		turn_to(p, CLI_RUN_LOCKSTEP, "simd loops may have no such race");
	else if (p->judged.races)
		turn_to(p, CLI_RUN_EXCERPT, "there is a race, and the report says where");
	else
		turn_to(p, CLI_RUN_RECORD, "the verdict was not clean, and the report says why");
}

bool cli_plan_judges(const struct cli_plan *p)
{
	return p->run == CLI_RUN_JUDGE || p->run == CLI_RUN_LOCKSTEP;
}

uint64_t cli_plan_events(const struct cli_plan *p)
{
	enum { MORE = 5000000 }; /* than up to the race; the report may show what comes next */
	return p->run == CLI_RUN_EXCERPT ? p->judged.events + MORE : 0;
}

const char *cli_run_words(enum cli_run_kind kind)
{
	static const char *const words[CLI_RUN_KINDS] = {
#define RUN(name, what) [CLI_RUN_##name] = what,
#include "cli/run/run_plan.def"
#undef RUN
	};
	return words[kind];
}
