/* SPDX-License-Identifier: Apache-2.0
 *
 * exploring.c - runs a program of tasks in every order of its isolated blocks, or critical sections
 *
 * Rules.  [orders]   sections.c orders only blocks that conflict, so only these are run in
 *                    both orders.  A detector whose graph orders all blocks (cg, zipper,
 *                    isograph) needs all orders.
 *         [all]      If the order of the locks or atomic operations of a program of <snag/task.h>
 *                    matters in a run, the exploration begins again, with these as blocks.  If
 *                    there are too many, it begins once more, with isolated blocks only.
 *         [choices]  Whether a minimum or maximum writes depends on the order.  If the first run
 *                    has races without the order of its blocks, or blocks that conflict otherwise,
 *                    updates are plain accesses.
 */
#include "cli/explore/exploring.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/detector_names.h"
#include "cli/interrupt.h"
#include "cli/run/repeat.h"
#include "cli/run/observe.h"
#include "cli/explore/observed_order.h"
#include "cli/run/program.h"
#include "cli/run/task_verdict.h"
#include "base/temporary.h"
#include "detect/tasks/reversals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char interrupted[] = "it was interrupted";

enum { PATIENCE = 10 }; /* a run may take this many times as long as the longest one before it */

struct exploration {
	const struct cli_explore_options *options;
	struct snag_analyze_options analyze;
	bool has_all_orders;	  /* [orders] */
	bool has_ordered_updates; /* [choices] */
	bool has_too_many;	  /* [all] */
	bool has_doubts;	  /* drdp alone found races in the last run */
	char trace[SNAG_TEMPORARY_MAX + 16];
	struct snag_reversals *reversals;
	struct snag_orders *orders;
	uint64_t runs;
	double begin;
	double longest;	  /* seconds of a run */
	const char *late; /* why the last run was ended early; NULL: it was not */
	bool is_over;
};

/* The plan in memory that the program inherits; returns its descriptor. */
static int plan_share(const struct snag_order_plan *plan, struct snag_error *err)
{
	const uint64_t end = 0;
	int fd = memfd_create("snag order", 0);
	size_t begin = plan->nbegin * sizeof(*plan->id);
	size_t rest = (plan->n - plan->nbegin) * sizeof(*plan->id);
	bool is_written = fd >= 0 && write(fd, plan->id, begin) == (ssize_t)begin &&
			  write(fd, &end, sizeof(end)) == sizeof(end) &&
			  write(fd, plan->id + plan->nbegin, rest) == (ssize_t)rest;
	if (is_written)
		return fd;
	int why = errno;
	if (fd >= 0)
		close(fd);
	return snag_fail(err, SNAG_EIO, "no memory for an order: %s", strerror(why));
}

static bool has_kind(const struct snag_certificate *c, const char *kind)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->obstacle[i].kind, kind) == 0)
			return true;
	return false;
}

bool cli_is_of_all(const struct snag_obstacle *o)
{
	static const char *const kinds[] = {"lock", "atomic", "relaxed-write"};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(o->kind, kinds[i]) == 0)
			return true;
	return false;
}

/* Whether other orders of the blocks of a run remove this obstacle. */
static bool is_removed(const struct snag_obstacle *o, const struct snag_orders *orders,
		       bool is_nested)
{
	if (strcmp(o->kind, "detector") == 0)
		return true;
	if (strcmp(o->kind, orders->of_locks ? "lock" : "isolated") == 0)
		return !orders->of_locks || !is_nested; /* nested blocks are not taken apart */
	return orders->of_all && !is_nested && cli_is_of_all(o);
}

/* Adds the obstacles of a run that other orders of its blocks do not remove.  The obstacle
 * "detector" (no detector can prove it from one order) is left out: all orders together prove
 * it. */
static void obstacles_add(struct snag_orders *orders, const struct snag_certificate *c,
			  const struct snag_blocks *blocks)
{
	struct snag_certificate *all = &orders->certificate;
	for (size_t i = 0; i < c->n; i++) {
		size_t k = 0;
		while (k < all->n && strcmp(all->obstacle[k].kind, c->obstacle[i].kind) != 0)
			k++;
		if (is_removed(&c->obstacle[i], orders, blocks->is_nested))
			continue;
		all->obstacle[k] = c->obstacle[i]; /* places of the last run can be named */
		all->n += k == all->n;
	}
	if (blocks->is_weak && !has_kind(all, "weak-atomics"))
		snag_certificate_add(all, "weak-atomics",
				     "the order of atomic accesses to several variables matters, "
				     "and not all are seq_cst");
}

void cli_explored_order_print(const struct snag_blocks *blocks, const struct snag_names *names)
{
	enum { SHOWN = 20 };
	char place[1024];
	for (size_t i = 0; i < blocks->n && i < SHOWN; i++) {
		const char *task = snag_name(names, SNAG_SPACE_THREAD, blocks->at[i].task);
		snag_location_text(names, blocks->at[i].loc, place, sizeof(place));
		fprintf(stderr, "  Block %zu of this order: task %s at %s\n", i + 1,
			task + (task[0] == 'T'), place);
	}
	if (blocks->n > SHOWN)
		fprintf(stderr, "  and %zu more\n", blocks->n - SHOWN);
}

static void explored_end(struct exploration *x, const struct snag_names *names)
{
	x->is_over = true;
	if (x->options->on_end)
		x->options->on_end(x->options->ctx, names);
}

/* Counts a run without races, and notes why it may be the last. */
static void run_count(struct exploration *x, enum snag_order_run result, bool is_cut, int status)
{
	struct snag_orders *o = x->orders;
	if (result == SNAG_ORDER_REDUNDANT) {
		o->redundant++;
	} else if (!cli_stop) {
		o->orders++;
		snag_orders_ended(o, status);
	}
	o->gap = is_cut	    ? "there are too many blocks"
		 : cli_stop ? interrupted
		 : x->late  ? x->late
		 : result == SNAG_ORDER_DIVERGED
			 ? "the program did something else when it was run again"
			 : NULL;
}

static int blocks_read(const struct exploration *x, const struct cli_run *run,
		       struct snag_blocks *ret, struct snag_error *err)
{
	struct snag_source *again;
	int rc = snag_source_again(run->src, &again, err);
	if (rc < 0)
		return rc;
	const struct snag_blocks_options how = {.of_locks =
							x->orders->of_locks || x->orders->of_all,
						.of_atomics = x->orders->of_all,
						.all_conflict = x->has_all_orders,
						.ordered_updates = x->has_ordered_updates};
	rc = snag_blocks_read(ret, again, &how, err);
	snag_source_close(again);
	return rc;
}

static bool blocks_conflict(const struct snag_blocks *blocks)
{
	for (size_t i = 0; i < blocks->n * blocks->conflict.nwords; i++)
		if (blocks->conflict.bits[i])
			return true;
	return false;
}

/* Returns whether the order of locks or atomics matters in this run, and they are not blocks. */
static bool all_matter(const struct exploration *x, const struct cli_run *run) /* [all] */
{
	struct snag_certificate c;
	if (x->options->with || x->orders->of_locks || x->orders->of_all || x->has_too_many)
		return false;
	for (size_t i = 0; i < run->analysis->n; i++)
		if (run->analysis->findings[i].nraces)
			return false;
	if (x->has_doubts && run->analysis->ops & (SNAG_OPS_OF_LOCKS | SNAG_OPS_OF_ATOMICS))
		return true; /* without obstacle, if the updates under them commute: [choices] */
	cli_certificate(&c, run->analysis, run->src, run->end);
	for (size_t i = 0; i < c.n; i++)
		if (cli_is_of_all(&c.obstacle[i]))
			return true;
	return false;
}

/* Begins the exploration again, with locks and atomics as blocks, or without them. */
static int begin_again(struct exploration *x, struct snag_order_plan *plan, bool of_all) /* [all] */
{
	snag_reversals_free(x->reversals);
	x->reversals = snag_reversals_new();
	snag_order_plan_done(plan);
	snag_reversals_next(x->reversals, plan);
	*x->orders = (struct snag_orders){.of_all = of_all};
	x->has_too_many = !of_all;
	x->runs = 0;
	x->has_ordered_updates = false;
	return 0;
}

enum { TOO_MANY = 1 };

/* Takes the result of a run: adds the orders that it leaves to run, and its obstacles, and
 * reports a race or deadlock.  Returns TOO_MANY if locks and atomics cannot be blocks. */
static int run_take(struct exploration *x, const struct cli_run *run, struct snag_error *err)
{
	const struct cli_explore_options *options = x->options;
	struct snag_orders *o = x->orders;
	struct snag_blocks blocks;
	struct cli_run_report r;
	int rc = blocks_read(x, run, &blocks, err);
	if (rc == 0 && x->runs <= 1 && (x->has_doubts || blocks_conflict(&blocks)) &&
	    cli_has_choices(snag_analysis_names(run->analysis, run->src))) { /* [choices] */
		x->has_ordered_updates = true;
		snag_blocks_done(&blocks);
		rc = blocks_read(x, run, &blocks, err);
	}
	if (rc == 0 && blocks.is_cut && o->of_all && x->runs <= 1) {
		snag_blocks_done(&blocks);
		return TOO_MANY;
	}
	if (rc < 0)
		return rc;
	enum snag_order_run result =
		blocks.is_cut ? SNAG_ORDER_NEW : snag_reversals_add(x->reversals, &blocks);
	rc = cli_run_report_build(&r, run, err);
	cli_run_report_finish(&r);
	int status = cli_program_status(run->end->status);
	o->has_race = r.incidents.n > 0;
	o->has_deadlock = r.all.deadlock;
	bool has_failed = o->has_race || o->has_deadlock;
	o->seconds = snag_seconds_now() - x->begin;
	if (has_failed) {
		o->orders++;
		snag_orders_ended(o, status);
		x->is_over = true;
	} else {
		run_count(x, result, blocks.is_cut, status);
	}
	obstacles_add(o, &r.certificate, &blocks);
	if (x->has_too_many && x->has_doubts && !has_kind(&o->certificate, "lock"))
		snag_certificate_add(&o->certificate, "lock",
				     "the order of its locks and atomics may matter, and there are "
				     "too many of them");
	if (rc == 0 && has_failed)
		rc = options->on_failure(options->ctx, &r, run->src, &blocks, err);
	else if (rc == 0 && o->gap)
		explored_end(x, r.report.names);
	cli_run_report_done(&r);
	snag_blocks_done(&blocks);
	return rc;
}

/* Why the exploration has to end here; NULL: it has not. */
static const char *limit_reached(const struct exploration *x)
{
	double seconds = snag_seconds_now() - x->begin;
	if (x->options->runs && x->runs >= x->options->runs)
		return "the limit of runs was reached";
	if (x->options->seconds > 0 && seconds >= x->options->seconds)
		return "the time was up";
	return NULL;
}

/* Takes the result of a run.  After a run without a race or deadlock, chooses the next order, or
 * ends the exploration. */
static int run_follow(struct exploration *x, const struct cli_run *run,
		      struct snag_order_plan *plan, struct snag_error *err)
{
	int rc = run_take(x, run, err);
	if (rc == TOO_MANY)
		return begin_again(x, plan, false);
	snag_order_plan_done(plan);
	if (rc < 0 || x->is_over)
		return rc;
	bool is_done = !snag_reversals_next(x->reversals, plan);
	if (!is_done)
		x->orders->gap = limit_reached(x);
	if (is_done || x->orders->gap)
		explored_end(x, run->src->names);
	return 0;
}

/* Returns how many seconds the next run may take; 0: any number, as for the first run. */
static double run_limit(const struct exploration *x)
{
	double left = x->options->seconds - (snag_seconds_now() - x->begin);
	double usual = PATIENCE * x->longest + 1;
	return x->runs == 0 || x->options->seconds <= 0 ? 0 : left > usual ? left : usual;
}

static int run_judge(struct exploration *x, struct cli_observed *o, double begin, double most,
		     struct snag_order_plan *plan, struct snag_error *err)
{
	struct snag_analysis analysis;
	int rc = cli_observed_analyze(o, &x->analyze, &analysis, err);
	struct snag_live_end end = snag_live_end(o->live);
	if (cli_stop && (rc < 0 || end.notes.launched == 0)) { /* before it did anything */
		if (rc == 0)
			snag_analysis_done(&analysis);
		x->orders->gap = interrupted;
		explored_end(x, o->src->names);
		return 0;
	}
	if (rc < 0)
		return rc;
	double seconds = snag_seconds_now() - begin;
	if (most > 0 && seconds >= most)
		x->late = "in the last one the program did not end";
	x->longest = seconds > x->longest ? seconds : x->longest;
	x->orders->of_locks = end.notes.dialect == RT_DIALECT_OPENMP;
	if (end.notes.launched == 0)
		rc = snag_fail(err, SNAG_EINPUT, "%s: launches no tasks", x->options->argv[0]);
	else if (!x->options->with)
		rc = cli_observed_order(o, &analysis, x->orders->of_locks, err);
	x->has_doubts = rc > 0;
	const struct cli_run run = {.analysis = &analysis,
				    .src = o->src,
				    .live = o->live,
				    .end = &end,
				    .argv = x->options->argv,
				    .suppressions = x->options->suppressions,
				    .is_tsan = x->options->is_tsan,
				    .strip_path_prefix = x->options->strip_path_prefix};
	if (rc >= 0)
		rc = all_matter(x, &run) ? begin_again(x, plan, true)
					 : run_follow(x, &run, plan, err);
	snag_analysis_done(&analysis);
	return rc;
}

static int run_once(struct exploration *x, struct snag_order_plan *plan, struct snag_error *err)
{
	struct cli_observed o;
	char words[96];
	int fd = plan_share(plan, err);
	if (fd < 0)
		return fd;
	snprintf(words, sizeof(words), "seed=1:sections=/proc/self/fd/%d:sections_of_all=%d", fd,
		 x->orders->of_all);
	double begin = snag_seconds_now(), most = run_limit(x);
	const struct snag_live_options how = {.options = words,
					      .io = x->options->is_part ? cli_input_rewind()
									: SNAG_LAUNCH_OURS,
					      .seconds = most,
					      .stop = &cli_stop};
	int rc = cli_observe(&o, x->options->argv, &how,
			     &(struct cli_observed_files){.trace = x->trace}, err);
	close(fd);
	if (rc < 0)
		return rc;
	x->runs++;
	if (x->options->on_order)
		x->options->on_order(x->options->ctx, x->orders->orders);
	rc = run_judge(x, &o, begin, most, plan, err);
	cli_observed_done(&o);
	unlink(x->trace);
	return rc;
}

/* [orders] */
static int detectors_choose(struct exploration *x, struct snag_error *err)
{
	const char *with = x->options->with;
	x->analyze = (struct snag_analyze_options){.jobs = 1, .stop = &cli_stop};
	int rc = cli_detectors_choose(with ? with : "drdp", SNAG_OPS_OF_TASKS, &x->analyze, err);
	for (size_t i = 0; rc == 0 && i < x->analyze.ndetectors; i++)
		x->has_all_orders |= !(x->analyze.detector[i]->ops & SNAG_OPS_OF_LOCKS);
	return rc;
}

int cli_explore(const struct cli_explore_options *options, struct snag_orders *ret,
		struct snag_error *err)
{
	struct exploration *x = snag_calloc(1, sizeof(*x));
	struct snag_order_plan plan = {0};
	char folder[SNAG_TEMPORARY_MAX] = "";
	x->options = options;
	x->orders = ret;
	ret->of_all = options->of_all;
	x->begin = snag_seconds_now();
	x->reversals = snag_reversals_new();
	int rc = detectors_choose(x, err);
	if (rc == 0)
		rc = snag_temporary_make(folder, err);
	snprintf(x->trace, sizeof(x->trace), "%s/run.snag", folder);
	snag_reversals_next(x->reversals, &plan);
	while (rc == 0 && !x->is_over)
		rc = run_once(x, &plan, err);
	ret->seconds = snag_seconds_now() - x->begin;
	snag_order_plan_done(&plan);
	snag_reversals_free(x->reversals);
	snag_temporary_remove(folder);
	free(x);
	return rc;
}
