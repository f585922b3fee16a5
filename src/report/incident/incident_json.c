/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_json.c - the report of a run for programs: `snag run --json`
 *
 * The object of `snag analyze --json`, preceded by "program" and "incidents".  Each incident has
 * its id, both accesses with their stacks, the result of the replay, and the witness as the
 * number of the race file.  docs/man/snag-run.1.md describes it.
 */
#include "report/incident/incident.h"

#include "report/incident/crash.h"
#include "report/incident/incident_deadlock.h"
#include "report/incident/incident_misuse.h"
#include "report/incident/incident_parts.h"

void snag_json_stack(struct snag_json *j, const char *key, const struct snag_callstack *s)
{
	snag_json_array(j, key);
	for (size_t i = 0; i < s->n; i++) {
		const struct snag_frame *f = &s->frame[i];
		snag_json_object(j, NULL);
		if (f->function)
			snag_json_string(j, "function", f->function);
		if (f->file) {
			snag_json_string(j, "file", f->file);
			snag_json_uint(j, "line", f->line);
			snag_json_uint(j, "column", f->column);
		}
		if (f->module) {
			snag_json_string(j, "module", f->module);
			snag_json_uint(j, "offset", f->offset);
		}
		snag_json_end(j);
	}
	snag_json_end(j);
}

/* The task of an access: who created it, and where. */
static void task_object(struct snag_json *j, const struct snag_incident_report *r, snag_tid task)
{
	struct snag_origin o = snag_origin_of_thread(r->origins, task);
	struct snag_callstack s;
	char label[SNAG_LABEL_ROOM];
	snag_json_object(j, "task");
	if (r->label && r->label(r->label_ctx, task, label, sizeof(label)))
		snag_json_string(j, "label", label);
	if (o.thread != SNAG_NO_ID) {
		snag_json_string(j, "creator",
				 snag_name(r->report->names, SNAG_SPACE_THREAD, o.thread));
		snag_callstack_read(r->report->names, o.loc, &s);
		snag_json_stack(j, "stack", &s);
		snag_callstack_done(&s);
	}
	snag_json_end(j);
}

static void extent_object(struct snag_json *j, const struct snag_incident_report *r,
			  const struct snag_incident *in)
{
	const struct snag_extent *x = &in->extent;
	char words[400];
	snag_extent_text(x, r->report->names, in->race->second.target, words, sizeof(words));
	snag_json_object(j, "range");
	snag_json_string(j, "text", words);
	snag_json_uint(j, "places", x->places);
	snag_json_uint(j, "bytes", (uint64_t)x->bytes);
	if (x->first_byte >= 0)
		snag_json_uint(j, "first_byte", (uint64_t)x->first_byte);
	if (x->element) {
		snag_json_uint(j, "element_size", x->element);
		snag_json_uint(j, "first", x->first);
		snag_json_uint(j, "last", x->last);
	}
	snag_json_end(j);
}

static const char *operation(const struct snag_site *site)
{
	return snag_site_is_free(site) ? "free" : snag_op_writes(site->op) ? "write" : "read";
}

static void access_object(struct snag_json *j, const struct snag_incident_report *r,
			  const struct snag_site *site, const struct snag_callstack *s)
{
	const struct snag_names *names = r->report->names;
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_uint(j, "event", site->event);
	snag_json_string(j, "operation", operation(site));
	if (snag_op_is_atomic(site->op))
		snag_json_bool(j, "atomic", true);
	snag_json_uint(j, "size", site->size);
	snag_json_string(j, "thread", snag_name(names, SNAG_SPACE_THREAD, site->thread));
	if (!r->is_tasks && r->thread_name && *r->thread_name(r->thread_name_ctx, site->thread))
		snag_json_string(j, "thread_name",
				 r->thread_name(r->thread_name_ctx, site->thread));
	snag_json_array(j, "locks");
	for (uint32_t i = 0; i < site->nlocks; i++)
		snag_json_string(j, NULL,
				 snag_incidents_lock(r->incidents, names, site->locks[i].lock));
	snag_json_end(j);
	snag_json_array(j, "lock_modes"); /* of these locks */
	for (uint32_t i = 0; i < site->nlocks; i++)
		snag_json_string(j, NULL, site->locks[i].is_shared ? "read" : "write");
	snag_json_end(j);
	snag_json_stack(j, "stack", s);
	if (r->is_tasks)
		task_object(j, r, site->thread);
	snag_json_end(j);
}

/* The other races of its cause (incident_group.h). */
static void more_array(struct snag_json *j, const struct snag_incident_report *r,
		       const struct snag_incident *in)
{
	char words[1000];
	snag_json_array(j, "more");
	for (size_t i = 0; i < in->nmore; i++) {
		const struct snag_race *race = in->more[i].race;
		const struct snag_site *site[2] = {&race->first, &race->second};
		snag_json_newline(j);
		snag_json_object(j, NULL);
		if (in->more[i].id[0])
			snag_json_string(j, "id", in->more[i].id);
		snag_json_string(j, "verdict", snag_verdict_text[race->verdict]);
		snag_variable_text(
			snag_name(r->report->names, SNAG_SPACE_VARIABLE, race->second.target),
			words, sizeof(words));
		snag_json_string(j, "variable", words);
		snag_json_array(j, "operations");
		for (int k = 0; k < 2; k++)
			snag_json_string(j, NULL, operation(site[k]));
		snag_json_end(j);
		snag_json_array(j, "locations");
		for (int k = 0; k < 2; k++) {
			snag_location_text(r->report->names, site[k]->loc, words, sizeof(words));
			snag_json_string(j, NULL, words);
		}
		snag_json_end(j);
		snag_json_end(j);
	}
	snag_json_end(j);
}

/* Where the block was allocated. */
static void allocation_object(struct snag_json *j, const struct snag_incident_report *r,
			      const struct snag_incident *in)
{
	struct snag_object_name o = snag_object_name(
		snag_name(r->report->names, SNAG_SPACE_VARIABLE, in->race->second.target));
	struct snag_callstack s;
	snag_json_object(j, "allocation");
	snag_json_uint(j, "size", o.nbytes);
	snag_json_string(j, "thread", snag_name(r->report->names, SNAG_SPACE_THREAD, o.thread));
	snag_callstack_read(r->report->names, o.loc, &s);
	snag_json_stack(j, "stack", &s);
	snag_callstack_done(&s);
	snag_json_end(j);
}

static void incident_object(struct snag_json *j, const struct snag_incident_report *r,
			    const struct snag_incident *in)
{
	static const char *const replay[] = {"not tried", "confirmed", "diverged"};
	struct snag_incident_access access[SNAG_INCIDENT_ACCESSES];
	size_t naccesses = snag_incident_accesses(in, access);
	char words[400];
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "id", in->id);
	snag_json_string(j, "kind", snag_incident_kind_name[snag_incident_shown_kind(r, in)]);
	snag_json_bool(j, "is_race", !in->race->is_atomicity && !in->race->is_behind);
	snag_json_string(j, "verdict", snag_verdict_text[in->race->verdict]);
	snag_json_string(j, "detector", in->found_by);
	snag_variable_text(
		snag_name(r->report->names, SNAG_SPACE_VARIABLE, in->race->second.target), words,
		sizeof(words));
	snag_json_string(j, "variable", in->name && !in->is_heap ? in->name : words);
	if (in->called || (in->name && in->is_heap))
		snag_json_string(j, "called", in->called ? in->called : in->name);
	if (in->type)
		snag_json_string(j, "type", in->type);
	if (in->field)
		snag_json_string(j, "field", in->field);
	snag_json_uint(j, "count", in->count);
	snag_json_uint(j, "stacks", in->stacks);
	snag_json_bool(j, "suppressed", in->is_suppressed);
	snag_json_string(j, "replay", replay[in->replay]);
	if (in->replay_words)
		snag_json_string(j, "replay_note", in->replay_words);
	if (in->severity) {
		snag_json_string(j, "severity", in->severity);
		snag_json_string(j, "effect", in->effect);
	}
	if (in->witness)
		snag_json_uint(j, "witness", in->witness);
	if (in->extent.places > 1)
		extent_object(j, r, in);
	if (r->is_tasks) {
		snag_incident_missing_edge(r, in->race, words, sizeof(words));
		snag_json_string(j, "missing_edge", words);
	}
	snag_json_array(j, "accesses");
	for (size_t i = 0; i < naccesses; i++)
		access_object(j, r, access[i].site, access[i].stack);
	snag_json_end(j);
	if (in->is_heap)
		allocation_object(j, r, in);
	if (in->nmore)
		more_array(j, r, in);
	snag_json_end(j);
}

void snag_incidents_program_json(char *const *arguments, int status, struct snag_json *j)
{
	snag_json_object(j, "program");
	snag_json_string(j, "path", arguments[0]);
	snag_json_array(j, "arguments");
	for (char *const *a = arguments; *a; a++)
		snag_json_string(j, NULL, *a);
	snag_json_end(j);
	snag_json_uint(j, "status", (uint64_t)status);
	snag_json_end(j);
	snag_json_newline(j);
}

static void replay_count(struct snag_json *j, const char *name, const struct snag_replay_count *c)
{
	snag_json_object(j, name);
	snag_json_uint(j, "tried", c->tried);
	snag_json_uint(j, "left", c->left);
	if (c->refuted)
		snag_json_uint(j, "refuted", c->refuted);
	snag_json_end(j);
}

/* How far the replays came. */
static void replays_object(struct snag_json *j, const struct snag_replay_tally *t)
{
	snag_json_object(j, "replays");
	replay_count(j, "predicted", &t->predicted);
	replay_count(j, "suspects", &t->suspects);
	snag_json_end(j);
	snag_json_newline(j);
}

void snag_incidents_json_list(struct snag_json *j, const struct snag_incident_report *r,
			      const char *key, bool is_apart)
{
	snag_json_array(j, key);
	for (size_t i = 0; i < r->incidents->n; i++)
		if (r->incidents->at[i].is_apart == is_apart)
			incident_object(j, r, &r->incidents->at[i]);
	if (r->deadlock && !is_apart)
		snag_task_deadlock_json(r, j);
	for (size_t i = 0; !is_apart && i < r->incidents->ndeadlocks; i++)
		snag_deadlock_incident_json(r, &r->incidents->deadlock[i], j);
	for (size_t i = 0; !is_apart && i < r->incidents->nmisuses; i++)
		snag_misuse_incident_json(r, &r->incidents->misuse[i], j);
	snag_json_end(j);
}

void snag_incidents_json(const struct snag_incident_report *r, struct snag_printer *to)
{
	struct snag_json j;
	snag_json_init(&j, to);
	snag_json_object(&j, NULL);
	snag_incidents_program_json(r->arguments, r->status, &j);
	if (r->has_seed)
		snag_json_uint(&j, "seed", r->seed);
	if (r->crash)
		snag_crash_json(r, &j);
	if (r->members)
		r->members(r->members_ctx, &j);
	if (r->replays)
		replays_object(&j, r->replays);
	if (r->is_tasks)
		snag_certificate_json(r->certificate, r->report->names, r->incidents->shown > 0,
				      &j);
	snag_incidents_json_list(&j, r, "incidents", false);
	if (r->incidents->apart)
		snag_incidents_json_list(&j, r, "unconfirmed", true);
	snag_json_newline(&j);
	snag_report_json_members(r->report, &j);
	snag_json_end(&j);
}
