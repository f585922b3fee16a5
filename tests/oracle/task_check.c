/* SPDX-License-Identifier: Apache-2.0
 *
 * task_check.c - what every detector of tasks must say about a run of a program
 *
 * The variables for which it names a race are exactly the racy ones, each race is a racy pair,
 * and it says race-free exactly if there is no race and no excuse for one.
 */
#include "task_check.h"

#include "detect/analyze/analyze.h"
#include "task_truth.h"

#include <stdarg.h>
#include <string.h>

struct task_check task_checks[] = {
	{.name = "spbags", .features = {.async = true, .spawn = true}, .serial = true},
	{.name = "espbags",
	 .features = {.async = true, .finish = true, .isolated = true, .spawn = true},
	 .serial = true},
	{.name = "drdp",
	 .features = {.async = true,
		      .finish = true,
		      .isolated = true,
		      .spawn = true,
		      .promises = true,
		      .leaks = true,
		      .locks = true,
		      .atomics = true}},
	{.name = "cg", .features = {true, true, true, true, true, true}, .blocks_in_order = true},
	{.name = "zipper",
	 .features = {true, true, true, true, true, true},
	 .blocks_in_order = true},
	{.name = "isograph",
	 .features = {true, true, true, true, true, true},
	 .blocks_in_order = true},
	{0},
};

__attribute__((format(printf, 2, 3))) static bool fail(struct task_reason *why, const char *fmt,
						       ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return false;
}

static bool is_selected(const char *list, const char *name)
{
	size_t len = strlen(name);
	for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (strncmp(at, name, len) == 0 && (at[len] == ',' || !at[len]))
			return true;
	return !list;
}

/* Whether each child ran to its end when it was created, and everything spawned was synced. */
static bool is_serial(const struct snag_trace *trace)
{
	uint32_t stack[TASK_TOKENS + 2], depth = 1;
	stack[0] = trace->ev[0].thread;
	for (size_t i = 0; i < trace->n; i++) {
		const struct snag_event *ev = &trace->ev[i];
		if (ev->thread != stack[depth - 1])
			return false;
		if (ev->op == SNAG_OP_TASK_CREATE || ev->op == SNAG_OP_TASK_SPAWN)
			stack[depth++] = ev->target;
		else if (ev->op == SNAG_OP_TASK_END && depth > 1)
			depth--;
	}
	return true;
}

/* Whether the detector takes programs with this. */
static bool can_judge(const struct task_check *c, const struct task_program *p,
		      const struct task_run *run)
{
	struct task_program copy = *p;
	task_program_repair(&copy, &c->features);
	return copy.n == p->n && memcmp(copy.token, p->token, p->n * sizeof(p->token[0])) == 0 &&
	       (!c->serial || is_serial(&run->trace));
}

static bool findings_check(const struct task_check *c, const struct snag_findings *f,
			   const struct task_truth *truth, const struct snag_trace *trace,
			   struct task_reason *why)
{
	uint32_t racy = 0;
	for (size_t i = 0; i < f->nraces; i++) {
		const struct snag_race *r = &f->race[i];
		if (!task_truth_is_race(truth, trace, r->first.event, r->second.event))
			return fail(why, "%s: (%u,%u) is not a race", c->name, r->first.event,
				    r->second.event);
		racy |= UINT32_C(1) << r->second.target;
	}
	if (racy != truth->racy)
		return fail(why, "%s: racy variables are %x, not %x", c->name, truth->racy, racy);
	return true;
}

/* A proof is wanted exactly if all conflicting accesses are ordered whatever isolated blocks do. */
static bool proof_check(const struct task_check *c, const struct snag_findings *f,
			const struct snag_trace *trace, struct task_reason *why)
{
	static struct task_truth truth;
	task_truth(&truth, trace, false);
	return f->race_free == !(truth.racy | truth.excused) ||
	       fail(why, "%s: says race_free = %d, racy are %x, excused %x", c->name, f->race_free,
		    truth.racy, truth.excused);
}

static bool detector_check(struct task_check *c, const struct task_run *run,
			   struct task_reason *why)
{
	static struct task_truth truth;
	struct snag_analyze_options options = {
		.detector = {snag_detector_find(c->name, strlen(c->name))},
		.ndetectors = 1,
		.pairs = true,
		.jobs = 1};
	struct snag_source_options rules = {0};
	struct snag_source *src = snag_wellformed_source(snag_trace_source(&run->trace), &rules);
	struct snag_analysis analysis;
	struct snag_error err;
	if (snag_analyze(src, &options, &analysis, &err) < 0) {
		snag_source_close(src);
		return fail(why, "%s: %s", c->name, err.msg);
	}
	task_truth(&truth, &run->trace, c->blocks_in_order);
	bool ok = findings_check(c, &analysis.findings[0], &truth, &run->trace, why) &&
		  proof_check(c, &analysis.findings[0], &run->trace, why);
	snag_analysis_done(&analysis);
	snag_source_close(src);
	c->passed += ok;
	return ok;
}

bool task_check_all(const struct task_program *p, const struct task_run *run, const char *selected,
		    struct task_reason *why)
{
	for (struct task_check *c = task_checks; c->name; c++) {
		if (!is_selected(selected, c->name))
			continue;
		if (run->trace.n == 0 || !can_judge(c, p, run))
			c->skipped++;
		else if (!detector_check(c, run, why))
			return false;
	}
	return true;
}
