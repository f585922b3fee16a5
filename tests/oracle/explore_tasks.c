/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_tasks.c - programs without data: what explorer, interpreter and detectors must agree on
 *
 * The programs of task_program.h execute the same statements in every schedule.  So:
 *
 *   run       as text, parsed and run by the interpreter, they do what task_run.c does,
 *             task by task and event by event
 *   racy      without isolated blocks the explorer finds exactly the racy variables of the closed
 *             graph; with them at most those that race if blocks were not ordered,
 *             and at least those of the order observed
 *   deadlock  in one schedule is a deadlock in all
 *   verdicts  `race-free` of a detector means that no schedule has a race
 */
#include "explore_tasks.h"

#include "detect/analyze/analyze.h"
#include "lang/explore.h"
#include "lang/run.h"
#include "task_program.h"
#include "task_run.h"
#include "task_truth.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SCHEDULES = 500, LINE = 128 };

static const struct known {
	const char *text;
} known[] = {
#define CASE(racy, text) {text},
#include "task_cases.def"
#undef CASE
};

struct trial {
	struct explore_tasks_tally *tally;
	struct task_features features;
	char why[512];
};

__attribute__((format(printf, 2, 3))) static bool fail(struct trial *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(t->why, sizeof(t->why), fmt, ap);
	va_end(ap);
	return false;
}

/* The number at the end of a name: "x1", "t1" and "1" are the same thing here. */
static unsigned number_of(const char *name)
{
	return (unsigned)strtoul(name + strcspn(name, "0123456789"), NULL, 10);
}

/* What each task did, a line per event, sorted: "0.1 #002 r 3" is what task 0's second child did
 * third.  The order between tasks, which is up to the policy, is left out. */
struct lines {
	char (*line)[LINE];
	size_t n;
	char path[TASK_TOKENS + 1][LINE];
	unsigned children[TASK_TOKENS + 1], events[TASK_TOKENS + 1];
};

/* Whether a procedure or task syncs at its end is the language's business. */
static bool is_compared(const struct snag_event *ev)
{
	return ev->op != SNAG_OP_FRAME_BEGIN && ev->op != SNAG_OP_FRAME_END &&
	       ev->op != SNAG_OP_SYNC && ev->op != SNAG_OP_UPDATE_BEGIN &&
	       ev->op != SNAG_OP_UPDATE_END;
}

static void lines_add(struct lines *l, const struct snag_event *ev, const struct snag_names *names)
{
	const struct snag_op_info *op = &snag_op_info[ev->op];
	unsigned task = number_of(snag_name(names, SNAG_SPACE_THREAD, ev->thread)), target = 0;
	if (!is_compared(ev))
		return;
	if (op->space != SNAG_SPACE_NONE)
		target = number_of(snag_name(names, op->space, ev->target));
	if (l->n == 0)
		strcpy(l->path[0], "0");
	if (op->space == SNAG_SPACE_THREAD) {
		char child[LINE];
		snprintf(child, LINE, "%.80s.%u", l->path[task], l->children[task]);
		strcpy(l->path[target], child);
		target = l->children[task]++;
	}
	l->line = realloc(l->line, (l->n + 1) * sizeof(*l->line));
	if (!l->line)
		abort();
	snprintf(l->line[l->n++], LINE, "%.80s #%03u %s %u", l->path[task], l->events[task]++,
		 op->text, target);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void lines_sort(struct lines *l)
{
	if (l->n)
		qsort(l->line, l->n, sizeof(*l->line), compare_lines);
}

static bool lines_compare(struct trial *t, struct lines *got, struct lines *want)
{
	lines_sort(got);
	lines_sort(want);
	for (size_t i = 0; i < got->n || i < want->n; i++) {
		const char *a = i < got->n ? got->line[i] : "the end";
		const char *b = i < want->n ? want->line[i] : "the end";
		if (strcmp(a, b) != 0)
			return fail(t, "the run does `%s`, expected is `%s`", a, b);
	}
	return true;
}

/* [run] */
static bool run_check(struct trial *t, const struct snag_program *program,
		      const struct task_run *run)
{
	static struct lines got, want;
	struct snag_source *src;
	struct snag_batch batch;
	struct snag_error err;
	bool deadlock = false, ok;
	got = want = (struct lines){0};
	int rc = snag_run_source(program, &(struct snag_run_options){0}, &src, &err);
	if (rc < 0)
		return fail(t, "%s", err.msg);
	while ((rc = snag_source_next(src, &batch, &err)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			lines_add(&got, &batch.ev[i], src->names);
	for (size_t i = 0; i < run->trace.n; i++)
		lines_add(&want, &run->trace.ev[i], &run->trace.names);
	if (rc == 0)
		deadlock = snag_run_end(src)->deadlock;
	if (rc < 0)
		ok = fail(t, "the run fails: %s", err.msg);
	else if (deadlock != run->deadlock)
		ok = fail(t, "the run ends with deadlock %d, expected %d", deadlock, run->deadlock);
	else
		ok = lines_compare(t, &got, &want);
	free(got.line);
	free(want.line);
	snag_source_close(src);
	return ok;
}

static unsigned racy_bits(const struct snag_explored *x)
{
	unsigned bits = 0;
	for (size_t i = 0; i < x->nraces; i++)
		bits |= 1u << number_of(x->race[i].variable);
	return bits;
}

/* [racy], [deadlock] */
static bool explored_check(struct trial *t, const struct task_program *p,
			   const struct task_run *run, const struct snag_explored *x)
{
	static struct task_truth truth;
	uint32_t racy = racy_bits(x), names = 0;
	task_truth(&truth, &run->trace, false);
	for (unsigned i = 0; i < TASK_VARIABLES; i++)
		if (truth.racy >> i & 1)
			names |= 1u
				 << number_of(snag_name(&run->trace.names, SNAG_SPACE_VARIABLE, i));
	bool has_isolated = task_program_has(p, T_ISOLATED);
	if (has_isolated ? racy & ~names : racy != names)
		return fail(t, "explored: racy %x, truth %x", racy, names);
	if ((x->deadlock.n > 0) != run->deadlock)
		return fail(t, "explored: deadlock %d, truth %d", x->deadlock.n > 0, run->deadlock);
	if (x->confirmed && !(x->same_memory && x->same_graph))
		return fail(t, "random schedules end differently");
	if (!has_isolated && racy == 0 && (!x->exhaustive || x->schedules != 1))
		return fail(t, "%llu schedules without races", (unsigned long long)x->schedules);
	task_truth(&truth, &run->trace, true);
	names = 0;
	for (unsigned i = 0; i < TASK_VARIABLES; i++)
		if (truth.racy >> i & 1)
			names |= 1u
				 << number_of(snag_name(&run->trace.names, SNAG_SPACE_VARIABLE, i));
	if (x->exhaustive && (names & ~racy))
		return fail(t, "explored: racy %x, in the order observed %x", racy, names);
	return true;
}

static bool can_judge(const struct snag_detector *d, const struct snag_program *program)
{
	for (int op = 0; op < SNAG_OPS; op++)
		if (!(d->ops >> op & 1) && snag_program_first(program, (enum snag_op)op).line)
			return false;
	return d->ops & SNAG_OPS_OF_TASKS;
}

/* [verdicts] */
static bool detectors_check(struct trial *t, const struct snag_program *program,
			    const struct snag_explored *x)
{
	struct snag_analyze_options options = {.by_variable = true, .brief = true, .jobs = 1};
	struct snag_source *src;
	struct snag_analysis analysis;
	struct snag_error err;
	bool ok = true;
	for (size_t i = 0; snag_detectors[i]; i++)
		if (can_judge(snag_detectors[i], program))
			options.detector[options.ndetectors++] = snag_detectors[i];
	if (snag_run_source(program, &(struct snag_run_options){0}, &src, &err) < 0)
		return fail(t, "%s", err.msg);
	if (snag_analyze(src, &options, &analysis, &err) < 0) {
		snag_source_close(src);
		return fail(t, "%s", err.msg);
	}
	for (size_t i = 0; i < analysis.n && ok; i++) {
		t->tally->race_free += analysis.findings[i].race_free;
		if (analysis.findings[i].race_free && x->nraces && !snag_run_end(src)->deadlock)
			ok = fail(t, "%s says race-free, %s races in some schedule",
				  analysis.findings[i].name, x->race[0].variable);
	}
	snag_analysis_done(&analysis);
	snag_source_close(src);
	return ok;
}

static bool fails(const struct task_program *p, void *ctx)
{
	struct trial *t = ctx;
	struct task_run run;
	struct snag_program *program;
	struct snag_explored x;
	struct snag_error err;
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	task_program_print_lang(p, to);
	fclose(to);
	int rc = snag_program_parse("random", text, n, &program, &err);
	free(text);
	if (rc < 0) {
		fail(t, "%s", err.msg);
		return true;
	}
	task_run(&run, p, TASK_DEPTH_FIRST, NULL);
	snag_explore(program, &(struct snag_explore_options){.schedules = MAX_SCHEDULES}, &x);
	bool ok = run_check(t, program, &run) && explored_check(t, p, &run, &x) &&
		  detectors_check(t, program, &x);
	t->tally->programs++;
	t->tally->racy += x.nraces > 0;
	t->tally->isolated += task_program_has(p, T_ISOLATED);
	t->tally->blocked += run.blocked > 0;
	t->tally->deadlocks += run.deadlock;
	t->tally->not_exhaustive += !x.exhaustive;
	snag_explored_done(&x);
	task_run_done(&run);
	snag_program_free(program);
	return !ok;
}

bool explore_tasks_check(struct prng *random, struct explore_tasks_tally *tally)
{
	struct trial t = {.tally = tally,
			  .features = {.async = true,
				       .finish = true,
				       .isolated = prng_chance(random, 40),
				       .spawn = prng_chance(random, 30),
				       .promises = prng_chance(random, 70)}};
	struct task_program p;
	if (prng_chance(random, 50)) {
		task_program_random(&p, &t.features, random);
	} else {
		task_program_parse(
			&p, known[prng_below(random, sizeof(known) / sizeof(known[0]))].text);
		task_program_repair(&p, &t.features);
		for (unsigned i = prng_below(random, 6); i > 0; i--)
			task_program_mutate(&p, &t.features, random);
	}
	if (!fails(&p, &t))
		return true;
	task_program_shrink(&p, &t.features, fails, &t);
	fails(&p, &t);
	printf("FAILED: %s\n", t.why);
	task_program_print(&p, stdout);
	task_program_print_lang(&p, stdout);
	return false;
}
