/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_analyze.c - `snag analyze`: run detectors over a trace and report races
 */
#include "cli/analyze/analyze_page.h"
#include "cli/analyze/analyze_pair.h"
#include "cli/analyze/analyze_picture.h"
#include "cli/analyze/analyze_shard.h"
#include "cli/command.h"
#include "cli/detector_names.h"
#include "cli/exhausted.h"
#include "cli/interrupt.h"
#include "cli/memory_limit.h"
#include "cli/progress.h"
#include "cli/reading.h"
#include "cli/reporting.h"
#include "cli/shared_options.h"
#include "cli/writing.h"
#include "detect/analyze/analyze.h"
#include "report/deadlocks.h"
#include "report/json_writer.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct analyze_values {
	struct cli_reading reading;
	const char *with;
	const char *json;
	const char *html;
	const char *witness;
	const char *pair; /* "E1,E2" */
	const char *dot;
	const char *shard, *store;
	int pairs;
	int undecided;
	int order_races;
	int stages; /* enum snag_stages */
	int rules;  /* enum snag_rules */
	uint64_t jobs;
	uint64_t budget;
	uint64_t memory; /* CLI_MEMORY_NOT_GIVEN: a quarter of the machine's */
	int stats;
	uint64_t limit;
	uint64_t max_races; /* NOT_GIVEN: the default; 0: all */
};

#define NOT_GIVEN UINT64_MAX

static const struct analyze_values analyze_defaults = {
	.jobs = 0, .memory = CLI_MEMORY_NOT_GIVEN, .limit = 20, .max_races = NOT_GIVEN};

#define FIELD(name) offsetof(struct analyze_values, name)
static const struct cli_option analyze_options[] = {
	{.name = "with",
	 .kind = CLI_TEXT,
	 .value = "LIST",
	 .offset = FIELD(with),
	 .offer = CLI_OFFER_DETECTORS,
	 .help = "detectors, separated by commas, or all: see snag list"},
	CLI_OPTION_JSON_OR_STDOUT(FIELD(json)),
	CLI_OPTION_HTML(FIELD(html)),
	{.name = "pairs",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(pairs),
	 .help = "every racy pair of events, not of locations"},
	{.name = "pair",
	 .kind = CLI_TEXT,
	 .value = "E1,E2",
	 .offset = FIELD(pair),
	 .help = "decide one pair of events, and say why"},
	{.name = "dot",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = FIELD(dot),
	 .offer = CLI_OFFER_FILES,
	 .help = "draw why the pair is no race: text, or .svg"},
	{.name = "shard",
	 .kind = CLI_TEXT,
	 .value = "I/N",
	 .offset = FIELD(shard),
	 .help = "decide part I of N of the candidate pairs"},
	{.name = "store",
	 .kind = CLI_TEXT,
	 .value = "DIR",
	 .offset = FIELD(store),
	 .offer = CLI_OFFER_FOLDERS,
	 .help = "leave the result of the shard here: snag merge"},
	{.name = "undecided",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(undecided),
	 .help = "report the pairs of wcp, dc, ... as they are"},
	{.name = "order-races",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(order_races),
	 .help = "order the accesses of each race, as papers count"},
	CLI_OPTION_WITNESS(FIELD(witness)),
	CLI_OPTION_JOBS(FIELD(jobs)),
	CLI_OPTION_MEMORY(FIELD(memory)),
	CLI_OPTION_BUDGET(FIELD(budget)),
	{.name = "stages",
	 .kind = CLI_CHOICE,
	 .value = "exact|paper",
	 .offset = FIELD(stages),
	 .help = "decide exactly, or as published"},
	{.name = "rules",
	 .kind = CLI_CHOICE,
	 .value = CLI_RULES,
	 .offset = FIELD(rules),
	 .help = "sdp, sdpx, wdp: which reads keep their writer"},
	{.name = "stats",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = FIELD(stats),
	 .help = "add what the detectors count"},
	CLI_OPTION_RACES_LIMIT(FIELD(limit)),
	{.name = "max-races",
	 .kind = CLI_NUMBER,
	 .value = "N",
	 .offset = FIELD(max_races),
	 .max = NOT_GIVEN - 1,
	 .help = "list about N races, 0: all; default: 100000"},
	{0},
};
#undef FIELD

static uint64_t max_races(const struct analyze_values *v)
{
	if (v->max_races == NOT_GIVEN)
		return 0;
	return v->max_races ? v->max_races : SNAG_ALL_RACES;
}

static bool is_stdout(const char *path)
{
	return path && strcmp(path, "-") == 0;
}

static bool is_json_only(const struct analyze_values *v)
{
	return is_stdout(v->json);
}

static int text_write(const struct snag_report *report, const struct snag_merged *merged,
		      const struct analyze_values *v, struct snag_error *err)
{
	struct snag_text_options options = {.colour = cli_want_colour(STDOUT_FILENO),
					    .limit = v->limit,
					    .witness_dir = v->witness};
	struct snag_printer to;
	int rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	snag_report_text(report, merged, &options, &to);
	return snag_printer_commit(&to, err);
}

static int json_write(const struct snag_report *report, const char *path, struct snag_error *err)
{
	struct snag_printer to;
	int rc = snag_printer_open(&to, path, err);
	if (rc < 0)
		return rc;
	snag_report_json(report, &to);
	return snag_printer_commit(&to, err);
}

/* With `--json -` on a terminal: the verdict, which the JSON may have scrolled away. */
static void verdict_show(const struct snag_report *report, const struct snag_merged *merged)
{
	struct snag_printer to;
	if (snag_printer_open(&to, "/dev/stderr", NULL) < 0)
		return;
	snag_report_verdict(report, merged, &to);
	snag_print(&to, "\n");
	snag_printer_commit(&to, NULL);
}

/* Returns whether the report has a race or a deadlock. */
static bool has_race(const struct snag_report *report)
{
	for (size_t i = 0; i < report->nparts; i++)
		if (report->part[i].findings->nraces || report->part[i].findings->ndeadlocks)
			return true;
	return false;
}

/* Files first: they are complete even if standard output is closed early (head). */
static int reports_write(const struct snag_report *report, const struct snag_analysis *a,
			 const struct snag_source *src, const struct analyze_values *v,
			 struct snag_error *err)
{
	struct snag_merged merged = {0};
	bool is_for_people = !is_json_only(v) || isatty(STDERR_FILENO);
	if (is_for_people || v->witness || v->html) /* it takes time, with millions of pairs */
		snag_report_merge(report, &merged);
	int rc = v->witness ? snag_report_witnesses(report, &merged, v->witness, err) : 0;
	if (rc == 0 && v->witness)
		rc = snag_deadlock_witnesses(report, v->witness, err);
	if (rc == 0 && v->json)
		rc = json_write(report, v->json, err);
	if (rc == 0 && v->html)
		rc = cli_analyze_page(report, &merged, a, src, v->html, v->witness, err);
	if (rc == 0 && !is_json_only(v))
		rc = text_write(report, &merged, v, err);
	else if (rc == 0 && is_for_people)
		verdict_show(report, &merged);
	snag_merged_done(&merged);
	if (rc < 0 || has_race(report))
		return rc < 0 ? rc : CLI_RACES;
	return report->interrupted ? CLI_SIGNAL + cli_stop : CLI_OK;
}

/* [killed] of shards.h: writes nothing for a part that was interrupted. */
static int shard_write(const struct snag_shards *shard, const struct snag_report *report,
		       struct snag_error *err)
{
	if (shard->lock < 0 || report->interrupted)
		return 0;
	return cli_analyze_shard_write(shard, report, err);
}

static int analysis_report(struct snag_analysis *a, const struct snag_source *src,
			   const struct analyze_values *v, const struct snag_shards *shard,
			   struct snag_error *err)
{
	struct snag_report_part part[SNAG_MAX_DETECTORS];
	struct snag_report report = cli_report(a, src, part);
	report.pairs = v->pairs;
	report.stats = v->stats;
	int rc = shard_write(shard, &report, err);
	for (size_t i = 0; i < a->n && shard->nshards > 1; i++) /* the others decide the rest */
		a->findings[i].complete = false;
	return rc < 0 ? rc : reports_write(&report, a, src, v, err);
}

/* Writes why a pair is no race. */
static int refuted_write(const struct snag_report *report, const struct snag_decided_pair *pair,
			 const uint64_t event[2], const struct analyze_values *v,
			 struct snag_error *err)
{
	struct snag_printer to;
	int rc = v->dot ? cli_refuted_picture(pair, event, v->dot, err) : 0;
	if (rc == 0 && v->json)
		rc = snag_printer_open(&to, v->json, err);
	if (rc == 0 && v->json) {
		struct snag_json j;
		snag_json_init(&j, &to);
		snag_json_object(&j, NULL);
		snag_report_json_members(report, &j);
		cli_refuted_json(pair, &j);
		snag_json_end(&j);
		rc = snag_printer_commit(&to, err);
	}
	if (rc < 0 || is_json_only(v) || is_stdout(v->dot))
		return rc;
	rc = snag_printer_open(&to, "-", err);
	if (rc < 0)
		return rc;
	cli_refuted_text(pair, event[0], event[1], &to);
	return snag_printer_commit(&to, err);
}

/* --pair */
static int pair_report(const struct snag_decided_pair *pair, const uint64_t event[2],
		       const struct snag_trace *trace, const struct analyze_values *v,
		       const char *path, struct snag_error *err)
{
	struct snag_report_part part[SNAG_MAX_DETECTORS];
	struct snag_source *src = snag_trace_source(trace);
	struct snag_report report = cli_report(&pair->analysis, src, part);
	report.trace = path;
	report.pairs = true;
	if (v->dot && pair->decision != SNAG_INFEASIBLE)
		fprintf(stderr, "snag: analyze: the pair is not refuted: %s is not written\n",
			v->dot);
	int rc = pair->decision == SNAG_INFEASIBLE
			 ? refuted_write(&report, pair, event, v, err)
			 : reports_write(&report, &pair->analysis, src, v, err);
	snag_source_close(src);
	return rc;
}

static int pair_run(const struct analyze_values *v, const char *path, struct snag_error *err)
{
	struct snag_trace trace;
	struct snag_decided_pair pair = {0};
	struct snag_source *src = NULL;
	uint64_t event[2];
	int rc = cli_pair_parse(v->pair, &event[0], &event[1], err);
	if (rc == 0)
		rc = cli_source_open(path, &v->reading, &src, err);
	if (rc < 0)
		return rc;
	src = cli_watched_source(src, &v->reading);
	snag_trace_init(&trace);
	rc = snag_trace_load(&trace, src, err);
	if (rc == 0)
		cli_skipped_note("analyze", src);
	snag_source_close(src);
	if (rc == 0 && v->witness)
		rc = cli_folder_make(v->witness, err);
	if (rc == 0)
		rc = snag_pair_decide(&trace, event[0], event[1], (enum snag_rules)v->rules,
				      (uint32_t)v->budget, &pair, err);
	if (rc == 0)
		rc = pair_report(&pair, event, &trace, v, path, err);
	snag_pair_done(&pair);
	snag_trace_done(&trace);
	return rc;
}

/* --shard, --store */
static int shard_begin(const struct analyze_values *v, const char *path,
		       struct snag_analyze_options *options, struct snag_shards *ret,
		       struct snag_error *err)
{
	char how[192];
	*ret = (struct snag_shards){.dir = v->store, .shard = 1, .nshards = 1, .lock = -1};
	int rc = v->shard ? snag_shard_parse(v->shard, &ret->shard, &ret->nshards, err) : 0;
	if (rc < 0)
		return rc;
	options->shard = ret->shard - 1;
	options->nshards = ret->nshards;
	if (v->shard)
		fprintf(stderr, "snag: analyze: shard %u/%u: only its part of the candidates\n",
			ret->shard, ret->nshards);
	if (!v->store)
		return 0;
	if (strcmp(path, "-") == 0)
		return snag_fail(err, SNAG_EINPUT, "--store: needs a trace in a file");
	snprintf(how, sizeof(how),
		 "pairs %d undecided %d order-races %d stages %d rules %d budget %" PRIu64
		 " races %" PRIu64 " memory %" PRIu64,
		 v->pairs, v->undecided, v->order_races, v->stages, v->rules, v->budget,
		 v->max_races, v->memory);
	rc = cli_analyze_shard_open(ret, path, options, how, err);
	if (rc == 0 && ret->has_ended)
		fprintf(stderr, "snag: analyze: %s: shard %u/%u has ended before\n", v->store,
			ret->shard, ret->nshards);
	return rc;
}

/* --order-races: names the detectors of the user's list that cannot do it; if none can, it is a
 * mistake. */
static int order_races_check(const struct snag_analyze_options *options, struct snag_error *err)
{
	char others[160] = "";
	size_t n = 0, used = 0;
	if (options->fitting) /* the list is not the user's */
		return 0;
	for (size_t i = 0; i < options->ndetectors; i++) {
		const struct snag_detector *d = options->detector[i];
		n += d->orders_races;
		if (!d->orders_races && used < sizeof(others))
			used += (size_t)snprintf(others + used, sizeof(others) - used, "%s%s",
						 used ? ", " : "", d->name);
	}
	if (n == 0)
		return snag_fail(err, SNAG_EINPUT, "--order-races: not with %.100s", others);
	if (used)
		fprintf(stderr, "snag: analyze: --order-races: changes nothing for %s\n", others);
	return 0;
}

/* Refuses options that exclude each other. */
static int values_check(const struct analyze_values *v, struct snag_error *err)
{
	if (v->pair && (v->shard || v->store))
		return snag_fail(err, SNAG_EINPUT, "--pair: not with --shard or --store");
	if (v->pair && v->order_races)
		return snag_fail(err, SNAG_EINPUT, "--pair: not with --order-races");
	if (v->dot && !v->pair)
		return snag_fail(err, SNAG_EINPUT, "--dot: draws a pair: needs --pair");
	if (is_stdout(v->json) && is_stdout(v->dot))
		return snag_fail(err, SNAG_EINPUT, "--json and --dot cannot both be -");
	return 0;
}

static int analyze_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct analyze_values *v = values;
	int rc = values_check(v, err);
	if (rc < 0)
		return rc;
	if (v->pair)
		return pair_run(v, operand[0], err);
	struct snag_shards shard = {.lock = -1};
	struct cli_progress progress;
	struct snag_analyze_options options = {.pairs = v->pairs,
					       .max_races = max_races(v),
					       .undecided = v->undecided,
					       .order_races = v->order_races,
					       .jobs = (unsigned)v->jobs,
					       .budget = (uint32_t)v->budget,
					       .memory = cli_memory_limit(v->memory),
					       .stages = (enum snag_stages)v->stages,
					       .rules = (enum snag_rules)v->rules,
					       .brief = is_json_only(v),
					       .progress = cli_progress_show,
					       .decided = cli_progress_decided,
					       .progress_ctx = &progress,
					       .stop = &cli_stop};
	rc = cli_detectors_choose(v->with, UINT32_MAX, &options, err);
	if (rc == 0 && v->order_races)
		rc = order_races_check(&options, err);
	if (rc == 0 && v->json)
		rc = cli_output_probe(v->json, err);
	if (rc == 0 && v->html)
		rc = cli_output_probe(v->html, err);
	struct snag_source *src = NULL;
	if (rc == 0)
		rc = cli_source_open(operand[0], &v->reading, &src, err);
	if (rc == 0 && v->witness)
		rc = cli_folder_make(v->witness, err);
	if (rc == 0)
		rc = shard_begin(v, operand[0], &options, &shard, err);
	if (rc == 0 && shard.has_ended)
		rc = cli_analyze_shard_has_races(&shard) ? CLI_RACES : CLI_OK;
	if (rc < 0 || shard.has_ended)
		goto out;

	struct snag_analysis analysis = {.n = 0};
	struct cli_exhausted exhausted = {
		.analysis = &analysis, .src = src, .tool = "snag", .status = CLI_RACES};
	cli_exhausted_begin(&exhausted);
	cli_progress_begin(&progress, (enum cli_progress_when)v->reading.progress);
	rc = snag_analyze(src, &options, &analysis, err);
	cli_progress_end(&progress);
	if (rc == 0)
		rc = analysis_report(&analysis, src, v, &shard, err);
	cli_exhausted_end();
	snag_analysis_done(&analysis);
out:
	snag_shards_close(&shard);
	snag_source_close(src);
	return rc;
}

const struct cli_command cli_command_analyze = {
	.name = "analyze",
	.summary = "find the data races of a trace",
	.operands = "TRACE",
	.min_operands = 1,
	.max_operands = 1,
	.offer = CLI_OFFER_FILES,
	.options = analyze_options,
	.common = cli_reading_options,
	.about = "Runs detectors over a trace (.std, .csv or .snag, also .gz or .zst; -: standard\n"
		 "input) and reports the data races they find.\n",
	.defaults = &analyze_defaults,
	.values_size = sizeof(struct analyze_values),
	.run = analyze_run,
};
