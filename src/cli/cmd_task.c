/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_task.c - `snag task`: run a program of the small task language and judge its races
 */
#include "base/memory.h"
#include "cli/command.h"
#include "cli/detector_names.h"
#include "cli/interrupt.h"
#include "cli/task/picture.h"
#include "cli/progress.h"
#include "cli/shared_options.h"
#include "cli/task/task_explored.h"
#include "cli/task/task_trace.h"
#include "cli/writing.h"
#include "detect/analyze/analyze.h"
#include "lang/run.h"
#include "report/json_writer.h"
#include "report/tasks/task_report.h"
#include "trace/input.h"
#include "trace/sink.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct task_values {
	const char *with;
	const char *json;
	const char *record;
	const char *dot;
	int explore;
	int stats;
	int trace;
	uint64_t schedules; /* or NOT_GIVEN */
	double seconds;	    /* negative: not given */
	uint64_t steps;
	uint64_t limit;
};

#define NOT_GIVEN UINT64_MAX
enum { DEFAULT_SECONDS = 60 };

static const struct task_values task_defaults = {
	.limit = 20, .schedules = NOT_GIVEN, .seconds = -1};

#define FIELD(name) offsetof(struct task_values, name)
static const struct cli_option task_options[] = {
	{.name = "with",
	 .kind = CLI_TEXT,
	 .value = "LIST",
	 .offset = FIELD(with),
	 .offer = CLI_OFFER_TASK_DETECTORS,
	 .help = "detectors, separated by commas, or all; default: drdp"},
	CLI_OPTION_JSON_OR_STDOUT(FIELD(json)),
	{.name = "explore",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(explore),
	 .help = "run all schedules that can differ, too"},
	{.name = "schedules",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(schedules),
	 .max = NOT_GIVEN - 1,
	 .help = "explore at most N; 0, the default: all"},
	CLI_OPTION_EXPLORE_SECONDS(FIELD(seconds)),
	{.name = "dot",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(dot),
	 .offer = CLI_OFFER_FILES,
	 .help = "draw the graph and its tree for graphviz, or as .svg"},
	{.name = "record",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(record),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the run as a trace, for snag analyze"},
	{.name = "steps",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(steps),
	 .min = 1,
	 .max = UINT64_MAX,
	 .help = "stop the program after N steps; default: 100 million"},
	{.name = "stats",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(stats),
	 .help = "figures about the run and the detectors"},
	{.name = "trace",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(trace),
	 .help = "show the steps of zipper, espbags or spbags"},
	CLI_OPTION_RACES_LIMIT(FIELD(limit)),
	{0},
};
#undef FIELD

/* The program, its text, and one run of it. */
struct task_run {
	const struct task_values *v;
	struct snag_input *in;
	struct snag_program *program;
	struct snag_source *src;
	struct snag_task_wait *wait;
	char **what; /* of each wait, its words */
	size_t nwaits;
	struct snag_explored explored; /* all zero: the user did not ask for it */
	struct snag_task_explored explored_report;
	struct cli_task_trace trace;
};

/* Reads all of the text; it stays in the input's buffer. */
static int text_read(struct task_run *t, const char *path, struct snag_error *err)
{
	ssize_t n = 0;
	int rc = snag_input_open(path, &t->in, err);
	if (rc < 0)
		return rc;
	t->in->stop = &cli_stop;
	for (size_t need = 1 << 16; rc == 0; need *= 2) {
		n = snag_input_fill(t->in, need, err);
		if (n < 0)
			return (int)n;
		if ((size_t)n < need || need > SNAG_PROGRAM_BYTES)
			break;
	}
	return snag_program_parse(t->in->name, (const char *)t->in->at, (size_t)n, &t->program,
				  err);
}

/* Returns the word of the language for an operation. */
static const char *word_of(enum snag_op op)
{
	return op == SNAG_OP_ISOLATED_BEGIN ? "isolated" : snag_op_info[op].text;
}

static bool is_before(struct snag_place a, struct snag_place b)
{
	return b.line == 0 || a.line < b.line || (a.line == b.line && a.column < b.column);
}

/* Returns the first operation of the text that the detector cannot judge; SNAG_OPS: there is
 * none. */
static enum snag_op first_refused(const struct snag_program *program,
				  const struct snag_detector *detector)
{
	enum snag_op refused = SNAG_OPS;
	struct snag_place first = {0};
	for (int op = 0; op < SNAG_OPS; op++) {
		struct snag_place at = snag_program_first(program, (enum snag_op)op);
		if (at.line == 0 || detector->ops >> op & 1 || !is_before(at, first))
			continue;
		refused = (enum snag_op)op;
		first = at;
	}
	return refused;
}

static int refuse(const struct snag_program *program, const struct snag_detector *detector,
		  enum snag_op op, const char *name, struct snag_error *err)
{
	struct snag_place at = snag_program_first(program, op);
	return snag_fail(err, SNAG_EINPUT, "%s:%u:%u: %s cannot judge programs with '%s'", name,
			 at.line, at.column, detector->name, word_of(op));
}

/* Chooses the detectors that the user asked for, all of which must be able to judge the program.
 * Of `all`, chooses those that can. */
static int detectors_choose(const struct task_run *t, struct snag_analyze_options *options,
			    struct snag_error *err)
{
	const char *list = t->v->with ? t->v->with : "drdp";
	int rc = cli_detectors_choose(list, SNAG_OPS_OF_TASKS, options, err);
	size_t n = 0;
	for (size_t i = 0; rc == 0 && i < options->ndetectors; i++) {
		const struct snag_detector *d = options->detector[i];
		enum snag_op op = first_refused(t->program, d);
		if (op == SNAG_OPS)
			options->detector[n++] = d;
		else if (!options->fitting)
			rc = refuse(t->program, d, op, t->in->name, err);
	}
	options->ndetectors = n;
	options->fitting = false;
	return rc;
}

static struct snag_task_origin origin(void *ctx, snag_tid task)
{
	struct snag_run_creation c = snag_run_created(ctx, task);
	return (struct snag_task_origin){.creator = c.creator,
					 .place = {c.place.line, c.place.column}};
}

/* The tasks of a deadlock, and what each waits for, in words. */
static void waits_describe(struct task_run *t)
{
	const struct snag_run_end *end = snag_run_end(t->src);
	t->nwaits = end->nwaiting;
	t->wait = snag_calloc(end->nwaiting + 1, sizeof(*t->wait));
	t->what = snag_calloc(end->nwaiting + 1, sizeof(*t->what));
	for (size_t i = 0; i < end->nwaiting; i++) {
		const struct snag_waiting *w = &end->waiting[i];
		char what[256];
		if (w->why == SNAG_WAIT_PROMISE)
			snprintf(what, sizeof(what), "promise %s",
				 snag_name(t->src->names, SNAG_SPACE_PROMISE, w->target));
		else
			snprintf(what, sizeof(what), "the tasks of its %s, such as task %u",
				 w->why == SNAG_WAIT_FINISH ? "finish" : "sync", w->target);
		t->what[i] = snag_alloc(sizeof(what));
		strcpy(t->what[i], what);
		t->wait[i] =
			(struct snag_task_wait){.task = w->task,
						.place = {end->where[i].line, end->where[i].column},
						.what = t->what[i]};
	}
}

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static int json_write(const struct snag_task_report *report, const char *path,
		      struct snag_error *err)
{
	struct snag_printer to;
	struct snag_json j;
	int rc = snag_json_open(&j, &to, path, err);
	if (rc < 0)
		return rc;
	snag_task_report_json(report, &j);
	return snag_json_commit(&j, err);
}

static int text_write(const struct task_run *t, const struct snag_task_report *report,
		      struct snag_error *err)
{
	const struct task_values *v = t->v;
	struct snag_task_text_options options = {.colour = cli_want_colour(STDOUT_FILENO),
						 .limit = v->limit};
	struct snag_printer to;
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	if (v->trace)
		cli_task_trace_print(&t->trace, &to);
	snag_task_report_text(report, &options, &to);
	return snag_printer_commit(&to, err);
}

/* Runs the program once more, into a file. */
static int record(const struct task_run *t, struct snag_error *err)
{
	struct snag_source *src;
	struct snag_sink *sink = NULL;
	struct snag_batch batch;
	int rc = snag_source_again(t->src, &src, err);
	if (rc < 0)
		return rc;
	rc = snag_sink_open(t->v->record, 0, &sink, err);
	while (rc == 0 && (rc = snag_source_next(src, &batch, err)) > 0)
		rc = snag_sink_write(sink, &batch, src->names, err);
	if (rc == 0)
		rc = snag_sink_commit(sink, err);
	else
		snag_sink_abort(sink);
	snag_source_close(src);
	return rc;
}

static int report_write(struct task_run *t, const struct snag_analysis *a, struct snag_error *err)
{
	const struct snag_run_end *end = snag_run_end(t->src);
	const struct task_values *v = t->v;
	bool has_race = false;
	waits_describe(t);
	struct snag_task_report report = {.program = t->in->name,
					  .text = (const char *)t->in->at,
					  .nbytes = (size_t)(t->in->end - t->in->at),
					  .names = t->src->names,
					  .events = a->events,
					  .tasks = end->tasks,
					  .promises = end->promises,
					  .steps = end->steps,
					  .blocked = end->blocked,
					  .interrupted = a->interrupted,
					  .findings = a->findings,
					  .nfindings = a->n,
					  .origin = origin,
					  .ctx = t->src,
					  .deadlock = end->deadlock,
					  .cut = end->cut,
					  .failed = end->error.code,
					  .wait = t->wait,
					  .nwaits = t->nwaits,
					  .stats = v->stats};
	for (size_t i = 0; i < a->n; i++)
		has_race |= a->findings[i].nraces > 0;
	if (v->explore) { /* the exploration overrules detectors, which see one schedule */
		cli_task_explored(t->program, &t->explored, &t->explored_report);
		report.explored = &t->explored_report;
		has_race = t->explored.nraces > 0 || (has_race && !t->explored.exhaustive);
	}
	if (end->error.code && !has_race) {
		*err = end->error;
		return err->code;
	}
	int rc = v->record && !a->interrupted ? record(t, err) : 0;
	if (rc == 0 && v->dot && !a->interrupted)
		rc = cli_picture_write(t->src, a, t->in->name, v->dot, err);
	if (rc == 0 && v->json)
		rc = json_write(&report, v->json, err);
	if (rc == 0 && !is_stdout(v->json) && !is_stdout(v->dot))
		rc = text_write(t, &report, err);
	if (rc == 0 && end->error.code)
		fprintf(stderr, "snag: task: %s\n", end->error.msg);
	if (rc < 0 || has_race)
		return rc < 0 ? rc : CLI_RACES;
	return a->interrupted ? CLI_SIGNAL + cli_stop : CLI_OK;
}

static void explore(struct task_run *t)
{
	struct cli_progress progress;
	const struct task_values *v = t->v;
	const struct snag_explore_options options = {
		.schedules = v->schedules == NOT_GIVEN ? 0 : v->schedules,
		.seconds = v->seconds < 0 ? DEFAULT_SECONDS : v->seconds,
		.steps = t->v->steps,
		.progress = cli_progress_show,
		.progress_ctx = &progress,
		.stop = &cli_stop};
	cli_progress_begin(&progress, CLI_PROGRESS_AUTO);
	snag_explore(t->program, &options, &t->explored);
	cli_progress_end(&progress);
}

static int judge(struct task_run *t, struct snag_error *err)
{
	struct cli_progress progress;
	struct snag_analysis analysis;
	struct snag_analyze_options options = {.by_variable = true,
					       .brief = true,
					       .progress = cli_progress_show,
					       .progress_ctx = &progress,
					       .stop = &cli_stop};
	const struct snag_run_options run = {
		.steps = t->v->steps, .may_cut = t->v->explore, .may_fail = true};
	int rc = detectors_choose(t, &options, err);
	if (rc == 0)
		rc = snag_run_source(t->program, &run, &t->src, err);
	if (rc == 0 && t->v->trace)
		rc = cli_task_trace_begin(&t->trace, t->src->names, &options, err);
	if (rc < 0)
		return rc;
	cli_interrupt_catch();
	cli_progress_begin(&progress, CLI_PROGRESS_AUTO);
	rc = snag_analyze(t->src, &options, &analysis, err);
	cli_progress_end(&progress);
	if (rc < 0)
		return rc;
	if (t->v->explore)
		explore(t);
	rc = report_write(t, &analysis, err);
	snag_analysis_done(&analysis);
	return rc;
}

/* Checks that the files can be written, and that none of them is the program. */
static int outputs_probe(const struct task_values *v, const char *program, struct snag_error *err)
{
	const char *const path[] = {v->json, v->record, v->dot};
	int rc = 0;
	for (size_t i = 0; rc == 0 && i < sizeof(path) / sizeof(path[0]); i++)
		if (path[i] && cli_same_file(path[i], program))
			rc = snag_fail(err, SNAG_EINPUT, "%s: is both input and output", program);
		else if (path[i])
			rc = cli_output_probe(path[i], err);
	if (rc == 0 && is_stdout(v->json) && is_stdout(v->dot))
		rc = snag_fail(err, SNAG_EINPUT, "--json and --dot cannot both be -");
	if (rc == 0 && v->trace && (is_stdout(v->json) || is_stdout(v->dot)))
		rc = snag_fail(err, SNAG_EINPUT, "--trace writes to standard output, too");
	return rc;
}

static int limits_check(const struct task_values *v, struct snag_error *err)
{
	if (v->explore || (v->schedules == NOT_GIVEN && v->seconds < 0))
		return 0;
	return snag_fail(err, SNAG_EINPUT, "--%s limits --explore, which is not given",
			 v->seconds < 0 ? "schedules" : "seconds");
}

static int task_run(const void *values, char *const *operand, struct snag_error *err)
{
	struct task_run t = {.v = values};
	int rc = limits_check(t.v, err);
	if (rc == 0)
		rc = outputs_probe(t.v, operand[0], err);
	if (rc == 0)
		rc = text_read(&t, operand[0], err);
	if (rc == 0)
		rc = judge(&t, err);
	for (size_t i = 0; i < t.nwaits; i++)
		free(t.what[i]);
	free(t.what);
	free(t.wait);
	cli_task_trace_done(&t.trace);
	cli_task_explored_done(&t.explored_report);
	snag_explored_done(&t.explored);
	snag_source_close(t.src);
	snag_program_free(t.program);
	snag_input_close(t.in);
	return rc;
}

const struct cli_command cli_command_task = {
	.name = "task",
	.summary = "run a program of the small task language and find its races",
	.operands = "PROG.task",
	.min_operands = 1,
	.max_operands = 1,
	.offer = CLI_OFFER_FILES,
	.options = task_options,
	.about = "Runs a program of tasks (async, finish, isolated, spawn, sync, promises; -:\n"
		 "standard input) depth first on one worker, and reports its determinacy races.\n",
	.defaults = &task_defaults,
	.values_size = sizeof(struct task_values),
	.run = task_run,
};
