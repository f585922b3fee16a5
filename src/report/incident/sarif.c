/* SPDX-License-Identifier: Apache-2.0
 *
 * sarif.c - incidents as SARIF 2.1.0, for code hosts and editors
 *
 * One result an incident: its location is the last access, those before are related
 * locations, all have their stacks, and the witness is a code flow with one thread flow per
 * thread, whose executionOrder is the schedule.  The id is the fingerprint, so that hosts
 * know a race again when lines move.
 */
#include "report/incident/incident.h"

#include "report/incident/incident_deadlock.h"
#include "report/incident/incident_misuse.h"
#include "report/incident/incident_parts.h"
#include "report/incident/schedule.h"
#include "report/incident/step_names.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static const struct snag_sarif_rule rule[SNAG_VERDICTS] = {
	[SNAG_OBSERVED] = {"race.observed",
			   "Data race: nothing ordered the two accesses in the run.", "error",
			   "very-high"},
	[SNAG_PREDICTED] =
		{"race.predicted",
		 "Data race: another schedule of the same execution brings the two accesses "
		 "side by side.",
		 "error", "very-high"},
	[SNAG_CONFIRMED] =
		{"race.confirmed",
		 "Data race: another run of the program had the two accesses side by side.",
		 "error", "very-high"},
	[SNAG_UNVERIFIED] = {"race.unverified",
			     "Possible data race: no schedule that shows it was found or excluded.",
			     "warning", "medium"},
	[SNAG_UNCONFIRMED] =
		{"race.unconfirmed",
		 "Possible data race: a schedule in which reads see other values has it, but the "
		 "program did not follow that schedule.",
		 "note", "low"},
};

static const struct snag_sarif_rule between = {"atomicity",
					       "Atomicity violation: a write of another thread can "
					       "come between a read and the write that follows "
					       "it.",
					       "error", "high"};

static const struct snag_sarif_rule of_tasks = {
	"deadlock", "Deadlock: every task that is left waits.", "error", "very-high"};

void snag_sarif_identity(struct snag_json *j, const char *key, const char *id, bool is_suppressed)
{
	snag_json_object(j, "partialFingerprints");
	snag_json_string(j, key, id);
	snag_json_end(j);
	if (!is_suppressed)
		return;
	snag_json_array(j, "suppressions");
	snag_json_object(j, NULL);
	snag_json_string(j, "kind", "external");
	snag_json_end(j);
	snag_json_end(j);
}

void snag_sarif_message(struct snag_json *j, const char *key, const char *text)
{
	snag_json_object(j, key);
	snag_json_string(j, "text", text);
	snag_json_end(j);
}

void snag_sarif_rule(struct snag_json *j, const struct snag_sarif_rule *r, const char *tag)
{
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "id", r->id);
	snag_sarif_message(j, "shortDescription", r->text);
	snag_json_object(j, "defaultConfiguration");
	snag_json_string(j, "level", r->level);
	snag_json_end(j);
	snag_json_object(j, "properties");
	snag_json_array(j, "tags");
	snag_json_string(j, NULL, tag);
	snag_json_end(j);
	snag_json_string(j, "precision", r->precision);
	snag_json_end(j);
	snag_json_end(j);
}

/* Behind those of races, deadlocks and mistakes. */
enum { AT_MISUSES = 2 * SNAG_VERDICTS, AT_BETWEEN = AT_MISUSES + SNAG_MISUSES };

static void rules(struct snag_json *j, bool has_deadlock)
{
	snag_json_array(j, "rules");
	for (int v = 0; v < SNAG_VERDICTS; v++)
		snag_sarif_rule(j, &rule[v], "external/cwe/cwe-362");
	snag_deadlock_sarif_rules(j);
	snag_misuse_sarif_rules(j);
	snag_sarif_rule(j, &between, "external/cwe/cwe-362");
	if (has_deadlock)
		snag_sarif_rule(j, &of_tasks, "external/cwe/cwe-833");
	snag_json_end(j);
}

/* A path as an URI, or if it is relative, as a reference: bytes that URIs do not have are
 * escaped. */
static void uri(struct snag_json *j, const char *path)
{
	char text[4096], *to = text;
	if (path[0] == '/')
		to = stpcpy(to, "file://");
	for (; *path && to + 4 < text + sizeof(text); path++) {
		unsigned char c = (unsigned char)*path;
		if (c > ' ' && c < 0x7f && !strchr("\"%<>\\^`{|}#?", c))
			*to++ = (char)c;
		else
			to += sprintf(to, "%%%02X", c);
	}
	*to = 0;
	snag_json_string(j, "uri", text);
}

static void physical(struct snag_json *j, const struct snag_incident_report *r,
		     const struct snag_frame *f)
{
	const char *file = f->file ? f->file : f->module;
	size_t strip = r->strip_path_prefix ? strlen(r->strip_path_prefix) : 0;
	if (!file)
		return;
	if (strip && strncmp(file, r->strip_path_prefix, strip) == 0)
		file += strip;
	snag_json_object(j, "physicalLocation");
	snag_json_object(j, "artifactLocation");
	uri(j, file);
	snag_json_end(j);
	if (f->file && f->line) {
		snag_json_object(j, "region");
		snag_json_uint(j, "startLine", f->line);
		if (f->column)
			snag_json_uint(j, "startColumn", f->column);
		snag_json_end(j);
	}
	snag_json_end(j);
}

static void logical(struct snag_json *j, const struct snag_frame *f)
{
	if (!f->function)
		return;
	snag_json_array(j, "logicalLocations");
	snag_json_object(j, NULL);
	snag_json_string(j, "fullyQualifiedName", f->function);
	snag_json_string(j, "kind", "function");
	snag_json_end(j);
	snag_json_end(j);
}

static void access_words(char *buf, size_t room, const struct snag_incident_report *r,
			 const struct snag_incident *in, const struct snag_site *site)
{
	const struct snag_names *names = r->report->names;
	char variable[250];
	if (site->target == in->race->second.target)
		snag_incident_variable(in, names, variable, sizeof(variable));
	else
		snag_variable_text(snag_name(names, SNAG_SPACE_VARIABLE, site->target), variable,
				   sizeof(variable));
	bool is_free = in->is_heap && snag_site_is_free(site);
	snprintf(buf, room, "%s%s of %s by %.100s", snag_op_is_atomic(site->op) ? "atomic " : "",
		 is_free		    ? "free"
		 : snag_op_writes(site->op) ? "write"
					    : "read",
		 variable, snag_name(names, SNAG_SPACE_THREAD, site->thread));
}

void snag_sarif_location(struct snag_json *j, const char *key, const struct snag_incident_report *r,
			 const struct snag_frame *f, const char *words)
{
	snag_json_object(j, key);
	physical(j, r, f);
	logical(j, f);
	if (words)
		snag_sarif_message(j, "message", words);
	snag_json_end(j);
}

void snag_sarif_stack(struct snag_json *j, const struct snag_incident_report *r,
		      const struct snag_callstack *s, const char *words)
{
	snag_json_object(j, NULL);
	snag_sarif_message(j, "message", words);
	snag_json_array(j, "frames");
	for (size_t i = 0; i < s->n; i++) {
		snag_json_object(j, NULL);
		snag_sarif_location(j, "location", r, &s->frame[i], NULL);
		snag_json_end(j);
	}
	snag_json_end(j);
	snag_json_end(j);
}

static void stacks(struct snag_json *j, const struct snag_incident_report *r,
		   const struct snag_incident *in)
{
	struct snag_incident_access access[SNAG_INCIDENT_ACCESSES];
	char words[400];
	snag_json_array(j, "stacks");
	for (size_t i = snag_incident_accesses(in, access); i-- > 0;) {
		access_words(words, sizeof(words), r, in, access[i].site);
		snag_sarif_stack(j, r, access[i].stack, words);
	}
	snag_json_end(j);
}

/* The result is at the last access; the others are related to it. */
static void locations(struct snag_json *j, const struct snag_incident_report *r,
		      const struct snag_incident *in)
{
	struct snag_incident_access access[SNAG_INCIDENT_ACCESSES];
	size_t n = snag_incident_accesses(in, access);
	char words[400];
	snag_json_array(j, "locations");
	snag_sarif_location(j, NULL, r, &access[n - 1].stack->frame[0], NULL);
	snag_json_end(j);
	snag_json_array(j, "relatedLocations");
	for (size_t i = 0; i + 1 < n; i++) {
		access_words(words, sizeof(words), r, in, access[i].site);
		snag_json_object(j, NULL);
		snag_json_uint(j, "id", i + 1);
		physical(j, r, &access[i].stack->frame[0]);
		logical(j, &access[i].stack->frame[0]);
		snag_sarif_message(j, "message", words);
		snag_json_end(j);
	}
	snag_json_end(j);
}

static const char *const result_title[] = {[SNAG_INCIDENT_RACE] = "Data race",
					   [SNAG_INCIDENT_USE_AFTER_FREE] = "Use after free",
					   [SNAG_INCIDENT_DOUBLE_FREE] = "Double free"};

/* "Data race (observed): write of n by T2 and [read of n by T1](1)." */
static void result_words(char *buf, size_t room, const struct snag_incident_report *r,
			 const struct snag_incident *in, const char *more)
{
	struct snag_incident_access access[SNAG_INCIDENT_ACCESSES];
	char words[SNAG_INCIDENT_ACCESSES][400];
	const char *verdict = snag_verdict_text[in->race->verdict];
	size_t n = snag_incident_accesses(in, access);
	for (size_t i = 0; i < n; i++)
		access_words(words[i], sizeof(words[i]), r, in, access[i].site);
	if (in->race->is_atomicity)
		snprintf(buf, room, "Atomicity violation (%s): [%s](2) between [%s](1) and %s.%s",
			 verdict, words[1], words[0], words[2], more);
	else
		snprintf(buf, room, "%s (%s): %s and [%s](1).%s",
			 result_title[snag_incident_shown_kind(r, in)], verdict, words[1], words[0],
			 more);
}

/* What the variable is called, and what is missing between two tasks. */
static void more_words(char *buf, size_t room, const struct snag_incident_report *r,
		       const struct snag_incident *in)
{
	char missing[400];
	int n = 0;
	if (in->called)
		n = snprintf(buf, room, " The source calls it %.100s.", in->called);
	if (r->is_tasks) {
		snag_incident_missing_edge(r, in->race, missing, sizeof(missing));
		snprintf(buf + n, room - (size_t)n, " Missing: %s.", missing);
	}
}

/* Uses of freed memory have the rules of the mistakes that a run shows by itself. */
static void result_rule(struct snag_json *j, enum snag_incident_kind kind, enum snag_verdict v)
{
	const enum snag_misuse_kind misuse = kind == SNAG_INCIDENT_USE_AFTER_FREE
						     ? SNAG_MISUSE_USE_AFTER_FREE
						     : SNAG_MISUSE_DOUBLE_FREE;
	char id[80];
	snag_misuse_rule_id(misuse, id, sizeof(id));
	const bool is_race = kind == SNAG_INCIDENT_RACE,
		   is_between = kind == SNAG_INCIDENT_ATOMICITY;
	snag_json_string(j, "ruleId", is_race ? rule[v].id : is_between ? between.id : id);
	snag_json_uint(j, "ruleIndex",
		       is_race	    ? (uint64_t)v
		       : is_between ? AT_BETWEEN
				    : (uint64_t)AT_MISUSES + misuse);
}

static void result(struct snag_json *j, const struct snag_incident_report *r,
		   struct snag_step_names *names, const struct snag_incident *in)
{
	enum snag_verdict v = in->race->verdict;
	char more[600] = "", text[2000];
	more_words(more, sizeof(more), r, in);
	result_words(text, sizeof(text), r, in, more);
	snag_json_newline(j);
	snag_json_object(j, NULL);
	result_rule(j, snag_incident_shown_kind(r, in), v);
	snag_json_string(j, "level", rule[v].level);
	snag_sarif_message(j, "message", text);
	locations(j, r, in);
	stacks(j, r, in);
	if (r->schedules)
		snag_sarif_flow(j, r, names, &r->schedules->race[in - r->incidents->at],
				snag_race_goal(in->race));
	snag_sarif_identity(j, "racePair/v1", in->id, in->is_suppressed);
	snag_json_object(j, "properties");
	snag_json_string(j, "detector", in->found_by);
	snag_json_bool(j, "replayed", in->replay == SNAG_REPLAY_CONFIRMED);
	if (in->type)
		snag_json_string(j, "type", in->type);
	if (in->field && *in->field)
		snag_json_string(j, "field", in->field);
	if (r->has_seed)
		snag_json_uint(j, "seed", r->seed);
	if (in->nmore)
		snag_json_uint(j, "moreRaces", in->nmore);
	if (in->severity)
		snag_json_string(j, "severity", in->severity);
	if (in->effect)
		snag_json_string(j, "effect", in->effect);
	if (in->extent.places > 1) {
		snag_extent_text(&in->extent, r->report->names, in->race->second.target, text,
				 sizeof(text));
		snag_json_string(j, "range", text);
	}
	if (r->is_tasks) {
		snag_incident_missing_edge(r, in->race, text, sizeof(text));
		snag_json_string(j, "missingEdge", text);
	}
	snag_json_end(j);
	snag_json_end(j);
}

/* Where each task waits is a location of the result. */
static void deadlock_result(struct snag_json *j, const struct snag_incident_report *r)
{
	const struct snag_task_deadlock *d = r->deadlock;
	char words[200];
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "ruleId", "deadlock");
	snag_json_uint(j, "ruleIndex", AT_BETWEEN + 1); /* behind all others */
	snag_json_string(j, "level", "error");
	snprintf(words, sizeof(words), "Deadlock: %zu task%s, and no other can run.", d->n,
		 d->n == 1 ? " waits" : "s wait");
	snag_sarif_message(j, "message", words);
	snag_json_array(j, "locations");
	for (size_t i = 0; i < d->n; i++) {
		const char *task = snag_name(r->report->names, SNAG_SPACE_THREAD, d->wait[i].task);
		struct snag_callstack s;
		snprintf(words, sizeof(words), "Task %.40s waits for %s", task + (task[0] == 'T'),
			 d->wait[i].what);
		snag_callstack_read(r->report->names, d->wait[i].loc, &s);
		snag_sarif_location(j, NULL, r, &s.frame[0], words);
		snag_callstack_done(&s);
	}
	snag_json_end(j);
	snag_json_end(j);
}

void snag_incidents_sarif(const struct snag_incident_report *r, struct snag_printer *to)
{
	struct snag_step_names *names = snag_step_names_new(r);
	struct snag_json j;
	snag_json_init(&j, to);
	snag_json_object(&j, NULL);
	snag_json_string(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	snag_json_string(&j, "version", "2.1.0");
	snag_json_array(&j, "runs");
	snag_json_object(&j, NULL);
	snag_json_object(&j, "tool");
	snag_json_object(&j, "driver");
	snag_json_string(&j, "name", "snag");
	snag_json_string(&j, "semanticVersion", SNAG_VERSION);
	snag_json_string(&j, "informationUri", "urn:snag:race-detector");
	rules(&j, r->deadlock);
	snag_json_end(&j);
	snag_json_end(&j);
	snag_json_array(&j, "invocations");
	snag_json_object(&j, NULL);
	snag_json_bool(&j, "executionSuccessful", true);
	snag_json_uint(&j, "exitCode", (uint64_t)r->status);
	snag_json_end(&j);
	snag_json_end(&j);
	snag_json_array(&j, "results");
	for (size_t i = 0; i < r->incidents->n; i++)
		result(&j, r, names, &r->incidents->at[i]);
	if (r->deadlock)
		deadlock_result(&j, r);
	for (size_t i = 0; i < r->incidents->ndeadlocks; i++)
		snag_deadlock_sarif_result(r, names, &r->incidents->deadlock[i], SNAG_VERDICTS, &j);
	for (size_t i = 0; i < r->incidents->nmisuses; i++)
		snag_misuse_sarif_result(r, &r->incidents->misuse[i], AT_MISUSES, &j);
	snag_json_end(&j);
	snag_json_end(&j);
	snag_json_end(&j);
	snag_json_end(&j);
	snag_step_names_free(names);
}
