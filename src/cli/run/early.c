/* SPDX-License-Identifier: Apache-2.0
 *
 * early.c - races that `snag run` prints while the program still runs
 */
#include "cli/run/early.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "cli/detector_names.h"
#include "cli/run/environment.h"
#include "cli/exhausted.h"
#include "cli/interrupt.h"
#include "cli/memory_limit.h"
#include "cli/run/run_outputs.h"
#include "cli/run/run_report.h"
#include "report/incident/incident_misuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FIRST_S = 1, SHARE = 10, KEY = 4096 };

struct cli_early {
	struct cli_early_options with;
	double next;		    /* when to look again, at the earliest */
	uint64_t seen;		    /* snag_scout_observed() at the last look */
	struct snag_strtab printed; /* the keys of what was printed */
	bool halts, has_halted;
};

static bool option_is_set(const char *key)
{
	char number[16];
	return cli_environment_option(key, true, number, sizeof(number)) &&
	       strtol(number, NULL, 10) != 0;
}

struct cli_early *cli_early_new(const struct cli_early_options *options)
{
	struct cli_early *e = snag_calloc(1, sizeof(*e));
	e->with = *options;
	e->halts = option_is_set("halt_on_error");
	e->next = e->halts ? 0 : snag_seconds_now() + FIRST_S;
	snag_strtab_init(&e->printed);
	return e;
}

void cli_early_free(struct cli_early *e)
{
	if (!e)
		return;
	snag_strtab_done(&e->printed);
	free(e);
}

bool cli_early_has_halted(const struct cli_early *e)
{
	return e->has_halted;
}

/* Makes the key of an incident: the line of each of its two places, the smaller first. */
static void key_make(const struct snag_callstack *a, const struct snag_callstack *b, char key[KEY])
{
	const struct snag_callstack *of[2] = {a, b};
	char text[2][KEY / 2 - 8];
	for (int i = 0; i < 2; i++) {
		const struct snag_frame none = {0}, *f = of[i]->n ? &of[i]->frame[0] : &none;
		snprintf(text[i], sizeof(text[i]), "%s:%u:%u+%llx", f->file ? f->file : "", f->line,
			 f->column, f->file ? 0 : (unsigned long long)f->offset);
	}
	bool swap = strcmp(text[0], text[1]) > 0;
	snprintf(key, KEY, "%s / %s", text[swap], text[!swap]);
	for (char *at = key; (at = strchr(at, '\n'));)
		*at = ' ';
}

static void race_key(const struct snag_incident *in, char key[KEY])
{
	char places[KEY];
	key_make(&in->stack[0], &in->stack[1], places);
	snprintf(key, KEY, "%s%.*s", in->race->is_atomicity ? "atomicity " : "", KEY - 64, places);
}

static void misuse_key(const struct snag_misuse_incident *in, char key[KEY])
{
	char places[KEY];
	key_make(&in->at, &in->before, places);
	snprintf(key, KEY, "%s %.*s", snag_misuse_info[in->misuse->kind].name, KEY - 64, places);
}

static bool is_known(const struct cli_early *e, const char *key)
{
	return snag_strtab_find(&e->printed, key, strlen(key)) != SNAG_NO_ID;
}

/* The reports of the file of log_path are never left out. */
static bool goes_to_file(const struct cli_run_values *v)
{
	return v->log_path && strcmp(v->log_path, "stdout") != 0 &&
	       strcmp(v->log_path, "stderr") != 0;
}

void cli_early_mark(const struct cli_early *e, struct snag_incidents *incidents)
{
	char key[KEY];
	size_t left = e->halts && !e->has_halted ? 1 : e->halts ? 0 : SIZE_MAX;
	if (goes_to_file(e->with.v) && !e->halts)
		return;
	for (size_t i = 0; i < incidents->n; i++) {
		struct snag_incident *in = &incidents->at[i];
		race_key(in, key);
		in->is_printed = left == 0 || is_known(e, key);
		left -= left != SIZE_MAX && !in->is_printed && !in->is_suppressed && !in->is_apart;
	}
	for (size_t i = 0; i < incidents->nmisuses; i++) {
		misuse_key(&incidents->misuse[i], key);
		incidents->misuse[i].is_printed = left == 0 || is_known(e, key);
		left -= left != SIZE_MAX && !incidents->misuse[i].is_printed &&
			!incidents->misuse[i].is_suppressed;
	}
}

/* Sends the tool the keys of the incidents that are printed now; returns how many. */
static size_t keys_report(const struct cli_early *e, const struct snag_incidents *incidents,
			  FILE *to)
{
	char key[KEY];
	size_t n = 0;
	for (size_t i = 0; i < incidents->n; i++) {
		const struct snag_incident *in = &incidents->at[i];
		race_key(in, key);
		if (in->is_suppressed || in->is_apart || is_known(e, key))
			continue;
		fprintf(to, "%s\n", key);
		n++;
	}
	for (size_t i = 0; i < incidents->nmisuses; i++) {
		misuse_key(&incidents->misuse[i], key);
		if (incidents->misuse[i].is_suppressed || is_known(e, key))
			continue;
		fprintf(to, "%s\n", key);
		n++;
	}
	return n;
}

static int report_print(const struct cli_early *e, const struct cli_observed *o,
			const struct snag_analysis *a, FILE *to, struct snag_error *err)
{
	struct cli_run_values own = *e->with.v;
	struct cli_run_environment environment;
	struct cli_run_report r;
	const struct snag_live_end end = snag_live_end(o->live);
	int rc = cli_run_program_options_take(&own, &environment, &end, e->with.suppressions, err);
	if (rc < 0)
		return rc;
	rc = cli_run_report_build(&r,
				  &(struct cli_run){.analysis = a,
						    .src = o->src,
						    .live = o->live,
						    .end = &end,
						    .argv = e->with.argv,
						    .suppressions = e->with.suppressions,
						    .is_tsan = own.format,
						    .strip_path_prefix = own.strip_path_prefix},
				  err);
	if (rc < 0)
		return rc;
	struct cli_early of_program = *e;
	of_program.with.v = &own;
	cli_early_mark(&of_program, &r.incidents);
	r.all.is_early = true;
	return keys_report(e, &r.incidents, to) > 0 ? cli_run_text_write(&own, &r.all, err) : 0;
}

/* The copy ends without anything that the tool does at its end. */
__attribute__((noreturn)) static void copy_run(const struct cli_early *e, int to)
{
	const struct cli_run_values *v = e->with.v;
	struct snag_analyze_options options = {
		.jobs = 1, .memory = cli_memory_limit(v->memory), .stop = &cli_stop};
	struct snag_analysis analysis = {0};
	struct cli_observed o;
	struct snag_error err = {0};
	char trace[SNAG_TEMPORARY_MAX + 32];
	FILE *keys = fdopen(to, "w");
	cli_exhausted_end();
	snprintf(trace, sizeof(trace), "%s/early.snag", e->with.place->folder);
	int rc = cli_detectors_choose("hb,mixed", UINT32_MAX, &options, &err);
	if (rc == 0)
		rc = cli_observe_cut(&o, e->with.observed, trace, &err);
	if (rc == 0)
		rc = cli_observed_analyze(&o, &options, &analysis, &err);
	if (rc == 0 && keys && !analysis.interrupted)
		rc = report_print(e, &o, &analysis, keys, &err);
	unlink(trace);
	if (keys)
		fflush(keys);
	_exit(rc < 0);
}

/* Remembers the incidents that the copy has printed; returns whether there were any. */
static bool keys_take(struct cli_early *e, int from)
{
	uint32_t before = e->printed.n;
	char *key = NULL;
	size_t room = 0;
	ssize_t n;
	FILE *keys = fdopen(from, "r");
	if (!keys) {
		close(from);
		return false;
	}
	while ((n = getline(&key, &room, keys)) > 0)
		snag_strtab_intern(&e->printed, key, (size_t)n - (key[n - 1] == '\n'));
	free(key);
	fclose(keys);
	return e->printed.n > before;
}

static bool copy_await(struct cli_early *e)
{
	int ends[2];
	fflush(NULL);
	if (pipe(ends) < 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		close(ends[0]);
		copy_run(e, ends[1]);
	}
	close(ends[1]);
	bool is_new = keys_take(e, ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return is_new;
}

void cli_early_look(void *early)
{
	struct cli_early *e = early;
	const struct snag_scout *scout = e->with.observed->scout;
	uint64_t observed = scout ? snag_scout_observed(scout) : 0;
	if (observed == e->seen || e->has_halted)
		return;
	double begin = snag_seconds_now();
	if (begin < e->next)
		return;
	e->seen = observed;
	bool is_new = copy_await(e);
	double end = snag_seconds_now();
	e->next = end + (end - begin) * SHARE + (e->halts ? 0 : FIRST_S);
	e->has_halted = e->halts && is_new;
	if (e->has_halted)
		snag_live_halt(e->with.observed->live, (int)e->with.v->exitcode);
}
