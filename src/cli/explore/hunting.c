/* SPDX-License-Identifier: Apache-2.0
 *
 * hunting.c - `snag explore` of a program of threads: runs the search, and reports what it found
 */
#include "cli/explore/hunting.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "cli/command.h"
#include "cli/detector_names.h"
#include "cli/interrupt.h"
#include "cli/run/observe.h"
#include "cli/run/run_deadlock.h"
#include "cli/run/run_files.h"
#include "cli/run/run_report.h"
#include "explore/shrink.h"
#include "record/replay/replay_file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_SWITCHES = 12, SHOWN_LINES = 10 };

static void on_run(void *ctx)
{
	struct cli_hunt *h = ctx;
	const struct snag_hunt *x = &h->hunt;
	if (x->search.is_exhaustive)
		cli_progress_classes(&h->progress, x->runs,
				     snag_tally_n(&x->search.classes.classes),
				     x->search.classes.nwaiting);
	else
		cli_progress_schedules(&h->progress, x->runs, snag_tally_n(&x->search.orders.seen),
				       snag_seen_orders_all(&x->search.orders));
}

/* Prints the words of a command, quoted for a shell. */
static void words_print(char *const *argv)
{
	for (; *argv; argv++) {
		bool is_plain = **argv != 0;
		for (const char *s = *argv; *s; s++)
			is_plain &= strchr(" \t\n'\"\\$`!*?[](){}<>|&;#~", *s) == NULL;
		if (is_plain) {
			fprintf(stderr, " %s", *argv);
			continue;
		}
		fputs(" '", stderr);
		for (const char *s = *argv; *s; s++)
			fprintf(stderr, *s == '\'' ? "'\\''" : "%c", *s);
		fputc('\'', stderr);
	}
}

/* The last lines that the program printed on standard error. */
static void error_print(const struct snag_output_end *e)
{
	size_t begin = e->n, lines = 0;
	while (begin > 0 && lines <= SHOWN_LINES) {
		begin--;
		lines += e->last[begin] == '\n' && begin + 1 < e->n;
	}
	begin += begin > 0;
	if (begin == e->n)
		return;
	fputs("  the program printed:\n", stderr);
	for (size_t i = begin; i < e->n; i++) {
		unsigned char c = (unsigned char)e->last[i];
		if (i == begin || e->last[i - 1] == '\n')
			fputs("    ", stderr);
		fputc(c == '\n' || c == '\t' || (c >= ' ' && c != 127) ? c : '?', stderr);
	}
	if (e->last[e->n - 1] != '\n')
		fputc('\n', stderr);
}

static void place_last(const struct snag_names *names, snag_loc loc, char *ret, size_t room)
{
	snag_location_text(names, loc, ret, room);
}

/* Prints where the threads of a run switch, from its trace. */
static void switches_print(const struct snag_found *found, struct snag_source *src)
{
	struct snag_source *again;
	struct snag_batch batch;
	struct snag_error unused = {0};
	snag_tid thread = 0;
	snag_loc loc = 0;
	bool has_event = false;
	size_t shown = 0;
	char place[1024];
	if (found->switches > 4 * SHOWN_SWITCHES || snag_source_again(src, &again, &unused) <= 0)
		return;
	fputs("  its threads run in this order:\n", stderr);
	while (snag_source_next(again, &batch, &unused) > 0)
		for (size_t i = 0; i < batch.n; i++) {
			const struct snag_event *ev = &batch.ev[i];
			if (has_event && ev->thread != thread && shown++ < SHOWN_SWITCHES) {
				place_last(again->names, loc, place, sizeof(place));
				fprintf(stderr, "    %s, up to %s\n",
					snag_name(again->names, SNAG_SPACE_THREAD, thread), place);
			}
			thread = ev->thread;
			loc = ev->loc;
			has_event = true;
		}
	if (has_event) {
		place_last(again->names, loc, place, sizeof(place));
		if (shown > SHOWN_SWITCHES)
			fprintf(stderr, "    and %zu more\n", shown - SHOWN_SWITCHES);
		fprintf(stderr, "    %s, last seen at %s\n",
			snag_name(again->names, SNAG_SPACE_THREAD, thread), place);
	}
	snag_source_close(again);
}

static int file_write(const struct cli_hunt *h, const struct snag_found *found, const char *path,
		      struct snag_error *err)
{
	struct snag_printer to;
	struct snag_json j;
	int rc = snag_json_open(&j, &to, path, err);
	if (rc < 0)
		return rc;
	snag_json_string(&j, "program", h->hunt.options.argv[0]);
	snag_replay_file_write_failure(&found->turns, snag_failure_name[found->failure.kind],
				       found->failure.status, &j);
	snag_json_newline(&j);
	return snag_json_commit(&j, err);
}

static void path_make(const struct cli_hunt *h, size_t i, char *ret, size_t room)
{
	const struct snag_found *found = &h->hunt.found[i];
	if (h->store && !h->output)
		snag_store_failure_path(h->store, found, ret, room);
	else if (h->output && i == 0)
		snprintf(ret, room, "%s", h->output);
	else if (h->output)
		snprintf(ret, room, "%s.%zu", h->output, i + 1);
	else
		snprintf(ret, room, "snag-%s-%08" PRIx64 ".json",
			 snag_failure_name[found->failure.kind],
			 snag_number(found->failure.number, found->schedule) & UINT32_MAX);
}

static void repeat_print(const struct cli_hunt *h, size_t i)
{
	char path[PATH_MAX];
	struct snag_error err = {0};
	path_make(h, i, path, sizeof(path));
	if (!h->hunt.found[i].repeats)
		fputs("  the same schedule did not fail again: the program depends on more than "
		      "the "
		      "schedule\n",
		      stderr);
	if (file_write(h, &h->hunt.found[i], path, &err) < 0) {
		fprintf(stderr, "  no file to repeat it: %s\n", err.msg);
		return;
	}
	fprintf(stderr, "  repeat: snag replay %s", path);
	words_print(h->hunt.options.argv);
	fprintf(stderr, "\n  in gdb: snag replay --gdb %s", path);
	words_print(h->hunt.options.argv);
	fputc('\n', stderr);
}

static bool is_exhaustive(const struct snag_hunt *h)
{
	return h->search.is_exhaustive && !h->gap && !h->search.classes.is_cut && !h->diverged &&
	       !h->search.classes.nwaiting && (!h->nfound || h->options.keeps_going);
}

void cli_hunt_json(const struct snag_hunt *h, struct snag_json *j)
{
	snag_json_object(j, "explore");
	snag_json_uint(j, "schedules", h->runs);
	snag_json_bool(j, "exhaustive", is_exhaustive(h) || (h->has_first && !h->has_threads));
	if (h->nfound)
		snag_json_string(j, "failure", snag_failure_name[h->found[0].failure.kind]);
	else
		snag_json_null(j, "failure");
	snag_json_uint(j, "classes", snag_tally_n(&h->search.classes.classes));
	if (!h->search.is_exhaustive)
		snag_json_uint(j, "orders", snag_tally_n(&h->search.orders.seen));
	if (h->gap)
		snag_json_string(j, "gap", h->gap);
	snag_json_double(j, "seconds", h->seconds);
	snag_json_array(j, "failures");
	for (size_t i = 0; i < h->nfound; i++) {
		const struct snag_found *f = &h->found[i];
		snag_json_object(j, NULL);
		snag_json_string(j, "kind", snag_failure_name[f->failure.kind]);
		snag_json_uint(j, "schedule", f->schedule);
		snag_json_string(j, "policy", f->policy);
		snag_json_uint(j, "switches", f->switches);
		snag_json_bool(j, "repeats", f->repeats);
		snag_json_end(j);
	}
	snag_json_end(j);
	snag_json_end(j);
}

static void members(void *ctx, struct snag_json *j)
{
	cli_hunt_json(ctx, j);
}

static int json_write(const struct cli_hunt *h, struct snag_error *err)
{
	struct snag_printer to;
	struct snag_json j;
	int rc = h->json ? snag_json_open(&j, &to, h->json, err) : 0;
	if (rc < 0 || !h->json)
		return rc;
	snag_incidents_program_json(h->hunt.options.argv, 0, &j);
	cli_hunt_json(&h->hunt, &j);
	return snag_json_commit(&j, err);
}

/* Analyses a failing run, which was made again, as `snag run` does, and calls `use` with the
 * report. */
static int observed_report(struct cli_hunt *h, struct cli_observed *o, const char *with,
			   int (*use)(struct cli_hunt *h, struct cli_run_report *r,
				      struct cli_observed *o, void *ctx, struct snag_error *err),
			   void *ctx, struct snag_error *err)
{
	struct snag_analyze_options options = {.jobs = 1, .stop = &cli_stop};
	struct snag_analysis analysis;
	struct cli_run_report r;
	int rc = cli_detectors_choose(with, UINT32_MAX, &options, err);
	if (rc == 0)
		rc = cli_observed_analyze(o, &options, &analysis, err);
	if (rc < 0)
		return rc;
	struct snag_live_end end = snag_live_end(o->live);
	const struct cli_run run = {.analysis = &analysis,
				    .src = o->src,
				    .live = o->live,
				    .end = &end,
				    .argv = h->hunt.options.argv,
				    .suppressions = h->suppressions,
				    .strip_path_prefix = h->strip_path_prefix};
	rc = cli_deadlock_observed(&analysis, o->src, &end, err);
	if (rc == 0) {
		rc = cli_run_report_build(&r, &run, err);
		if (rc == 0)
			rc = use(h, &r, o, ctx, err);
		cli_run_report_done(&r);
	}
	snag_analysis_done(&analysis);
	return rc;
}

/* ctx: its number */
static int found_report(struct cli_hunt *h, struct cli_run_report *r, struct cli_observed *o,
			void *ctx, struct snag_error *err)
{
	const size_t i = *(const size_t *)ctx;
	const struct snag_found *found = &h->hunt.found[i];
	const enum snag_failure_kind kind = found->failure.kind;
	int rc = 0;
	r->all.members = members;
	r->all.members_ctx = &h->hunt;
	if (i == 0)
		rc = cli_run_report_print(snag_incidents_json, &r->all, h->json, err);
	bool is_shown = kind == SNAG_FAILURE_RACE || kind == SNAG_FAILURE_USE_AFTER_FREE ||
			kind == SNAG_FAILURE_DOUBLE_FREE || kind == SNAG_FAILURE_DEADLOCK;
	if (rc == 0 && is_shown)
		rc = cli_run_report_print(snag_incidents_text, &r->all, "/dev/stderr", err);
	if (rc == 0)
		switches_print(found, o->src);
	return rc;
}

/* ctx: uint64_t */
static int races_count(struct cli_hunt *h, struct cli_run_report *r, struct cli_observed *o,
		       void *ctx, struct snag_error *err)
{
	(void)h;
	(void)o;
	(void)err;
	*(uint64_t *)ctx = r->incidents.shown;
	return 0;
}

static int turns_look(struct cli_hunt *h, const struct snag_turns *turns, const char *with,
		      int (*use)(struct cli_hunt *h, struct cli_run_report *r,
				 struct cli_observed *o, void *ctx, struct snag_error *err),
		      void *ctx, struct snag_error *err)
{
	char folder[SNAG_TEMPORARY_MAX] = "", trace[SNAG_TEMPORARY_MAX + 16], words[128];
	struct cli_observed o;
	int schedule = snag_turns_share(turns, err);
	int rc = schedule < 0 ? schedule : snag_temporary_make(folder, err);
	snprintf(trace, sizeof(trace), "%s/run.snag", folder);
	snprintf(words, sizeof(words), "policy=stay:seed=1:hurry=1:schedule=/proc/self/fd/%d",
		 schedule);
	const struct snag_live_options how = {.options = words,
					      .io = SNAG_LAUNCH_OURS,
					      .seconds = 10 + 20 * h->hunt.longest,
					      .stop = &cli_stop};
	if (rc == 0)
		rc = cli_observe(&o, h->hunt.options.argv, &how,
				 &(struct cli_observed_files){.trace = trace}, err);
	if (rc == 0) {
		rc = observed_report(h, &o, with, use, ctx, err);
		cli_observed_done(&o);
	}
	if (schedule >= 0)
		close(schedule);
	unlink(trace);
	snag_temporary_remove(folder);
	return rc;
}

static int found_look(struct cli_hunt *h, size_t i, struct snag_error *err)
{
	return turns_look(h, &h->hunt.found[i].turns, "hb,mixed,deadlock", found_report, &i, err);
}

/* Returns how many races a run has.  A run that cannot be repeated counts as one with a race. */
static uint64_t look(void *ctx, const struct snag_turns *turns)
{
	struct snag_error unused = {0};
	uint64_t n = 0;
	return turns_look(ctx, turns, "hb,mixed", races_count, &n, &unused) == 0 ? n : 1;
}

int cli_hunt_search(struct cli_hunt *h, struct snag_error *err)
{
	h->hunt.options.stop = &cli_stop;
	h->hunt.options.on_run = on_run;
	h->hunt.options.look = look;
	h->hunt.options.ctx = h;
	int rc = snag_hunt_run(&h->hunt, err);
	cli_progress_end(&h->progress);
	return rc;
}

static void found_print(struct cli_hunt *h, size_t i)
{
	const struct snag_found *found = &h->hunt.found[i];
	char words[256];
	snag_failure_words(&found->failure, &h->hunt.expected, words, sizeof(words));
	fprintf(stderr, "snag: explore: %s, in schedule %" PRIu64 " (%s), with %zu switch%s", words,
		found->schedule + 1, found->policy, found->switches,
		found->switches == 1 ? "" : "es");
	if (found->switches < found->switches_before)
		fprintf(stderr, " of %zu", found->switches_before);
	fputc('\n', stderr);
	error_print(&found->error);
}

/* The last line: what was run. */
static void coverage_print(const struct cli_hunt *h)
{
	const struct snag_hunt *x = &h->hunt;
	const uint64_t classes = snag_tally_n(&x->search.classes.classes);
	char about[64] = "";
	double rate = x->seconds > 0 ? (double)x->runs / x->seconds : 0;
	if (!x->has_threads) {
		fprintf(stderr,
			"snag: explore: %sthe program has one thread, and so one schedule\n",
			x->nfound ? "" : "no failure: ");
		return;
	}
	fprintf(stderr, "snag: explore: %s%" PRIu64 " schedule%s in %.1f s (%.0f/s)",
		x->nfound ? "" : "no failure in ", x->runs, x->runs == 1 ? "" : "s", x->seconds,
		rate);
	if (x->search.is_exhaustive && is_exhaustive(x)) {
		fprintf(stderr, ": all %" PRIu64 " class%s of equivalent runs\n", classes,
			classes == 1 ? "" : "es");
		return;
	}
	if (x->search.is_exhaustive)
		fprintf(stderr,
			": %" PRIu64 " class%s of equivalent runs, and at least %zu more runs "
			"to make",
			classes, classes == 1 ? "" : "es", x->search.classes.nwaiting);
	else {
		double all = snag_seen_orders_all(&x->search.orders);
		uint64_t seen = snag_tally_n(&x->search.orders.seen);
		if (all >= (double)seen + 0.5)
			snprintf(about, sizeof(about), " of about %.0f", all);
		fprintf(stderr, "; %" PRIu64 "%s orders of two places seen", seen, about);
	}
	const char *gap = x->gap		     ? x->gap
			  : x->search.classes.is_cut ? "a run was too long"
			  : x->diverged && x->search.is_exhaustive
				  ? "the program did something else when it ran again"
				  : NULL;
	fprintf(stderr, "%s%s\n", gap ? "; " : "", gap ? gap : "");
}

static void alone_print(const struct cli_hunt *h)
{
	if (h->hunt.alone && h->hunt.has_threads && !h->hunt.options.never_serves)
		fprintf(stderr,
			"snag: explore: each schedule was a process of its own, because the "
			"program cannot be forked: %s\n",
			h->hunt.alone);
}

int cli_hunt_report(struct cli_hunt *h, struct snag_error *err)
{
	int rc = 0;
	for (size_t i = 0; i < h->hunt.nfound && rc == 0; i++) {
		struct snag_error look = {0};
		found_print(h, i);
		if (found_look(h, i, &look) < 0) {
			fprintf(stderr, "  it could not be looked at: %s\n", look.msg);
			rc = i == 0 ? json_write(h, err) : 0;
		}
		repeat_print(h, i);
	}
	if (rc == 0 && !h->hunt.nfound)
		rc = json_write(h, err);
	coverage_print(h);
	alone_print(h);
	return rc < 0 ? rc : h->hunt.nfound ? CLI_RACES : cli_stop ? CLI_SIGNAL + cli_stop : CLI_OK;
}
