/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_deadlock_print.c - a deadlock of a program, as text, JSON and SARIF
 *
 * Text has ThreadSanitizer's first and last line.  For each thread it says where the thread waits,
 * for what, and where it took what another one waits for.
 */
#include "report/incident/incident_deadlock.h"

#include "report/deadlocks.h"
#include "report/incident/incident_parts.h"
#include "report/incident/schedule.h"

#include <stdio.h>

static const char *const replay_text[] = {"not tried", "confirmed", "diverged"};

static const char *title(const struct snag_deadlock *d)
{
	return d->proof.verdict == SNAG_OBSERVED ? "deadlock"
						 : "lock-order-inversion (potential deadlock)";
}

/* "a", or what is held and how. */
static void held_words(const struct snag_incident_report *r, const struct snag_deadlock_wait *w,
		       char *buf, size_t room)
{
	snprintf(buf, room, "%.200s%s",
		 snag_incidents_lock(r->incidents, r->report->names, w->held.target),
		 w->held.op == SNAG_OP_ACQUIRE_SHARED ? " (shared)" : "");
}

static void waits(struct snag_printer *to, const struct snag_incident_report *r,
		  const struct snag_deadlock_incident *in, size_t i)
{
	const struct snag_deadlock_wait *w = &in->deadlock->wait[i];
	char words[400];
	snag_deadlock_wait_words(r, w, words, sizeof(words));
	snag_print(to, "  Thread ");
	snag_print_name(to, words);
	snag_print(to, " at:\n");
	snag_text_stack(to, r, &in->at[i]);
	if (!in->held[i].n)
		return;
	held_words(r, w, words, sizeof(words));
	snag_print(to, "  and holds ");
	snag_print_name(to, words);
	snag_print(to, " since:\n");
	snag_text_stack(to, r, &in->held[i]);
}

void snag_deadlock_incident_text(const struct snag_incident_report *r,
				 const struct snag_deadlock_incident *in, struct snag_printer *to)
{
	const struct snag_deadlock *d = in->deadlock;
	char things[1000];
	snag_text_begin(to, r, title(d), NULL);
	snag_deadlock_things(r, d, things, sizeof(things));
	snag_print(to, "  Threads that wait for each other: ");
	snag_print_name(to, things);
	snag_print(to, "\n\n");
	for (size_t i = 0; i < d->n; i++)
		waits(to, r, in, i);
	snag_printf(to, "  %s (%s).\n", snag_deadlock_why(d), in->found_by);
	if (in->witness && r->witness_dir) {
		snag_print(to, "  Witness: ");
		snag_print_name(to, r->witness_dir);
		snag_printf(to, "/deadlock-%zu.json, %llu events\n", in->witness,
			    (unsigned long long)snag_report_witness_length(r->report, &d->proof));
	}
	if (in->replay != SNAG_REPLAY_NOT_TRIED)
		snag_printf(to, "  Replay: %s%s%s\n", replay_text[in->replay],
			    in->replay_words ? ", " : "", in->replay_words ? in->replay_words : "");
	if (in->count > 1)
		snag_printf(to, "  Seen: %llu circles of locks\n", (unsigned long long)in->count);
	snag_printf(to, "  Id: %s\n\n", in->id);
	snag_text_end(to, r, title(d), &in->at[0].frame[0]);
}

static void wait_object(struct snag_json *j, const struct snag_incident_report *r,
			const struct snag_deadlock_incident *in, size_t i)
{
	const struct snag_deadlock_wait *w = &in->deadlock->wait[i];
	const struct snag_names *names = r->report->names;
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "thread", snag_name(names, SNAG_SPACE_THREAD, w->at.thread));
	if (w->at.op == SNAG_OP_JOIN)
		snag_json_string(j, "waits_for_thread",
				 snag_name(names, SNAG_SPACE_THREAD, w->at.target));
	else
		snag_json_string(j, "waits_for",
				 snag_incidents_lock(r->incidents, names, w->at.target));
	if (w->at.event != SNAG_NO_EVENT)
		snag_json_uint(j, "event", w->at.event);
	snag_json_stack(j, "stack", &in->at[i]);
	if (in->held[i].n) {
		snag_json_string(j, "holds",
				 snag_incidents_lock(r->incidents, names, w->held.target));
		snag_json_bool(j, "shared", w->held.op == SNAG_OP_ACQUIRE_SHARED);
		snag_json_stack(j, "held_since", &in->held[i]);
	}
	snag_json_end(j);
}

void snag_deadlock_incident_json(const struct snag_incident_report *r,
				 const struct snag_deadlock_incident *in, struct snag_json *j)
{
	const struct snag_deadlock *d = in->deadlock;
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "id", in->id);
	snag_json_string(j, "kind", "deadlock");
	snag_json_string(j, "verdict", snag_verdict_text[d->proof.verdict]);
	snag_json_string(j, "detector", in->found_by);
	snag_json_array(j, "locks");
	for (size_t i = 0; i < d->n; i++)
		if (d->wait[i].at.op != SNAG_OP_JOIN)
			snag_json_string(j, NULL,
					 snag_incidents_lock(r->incidents, r->report->names,
							     d->wait[i].at.target));
	snag_json_end(j);
	snag_json_uint(j, "count", in->count);
	snag_json_bool(j, "suppressed", in->is_suppressed);
	snag_json_string(j, "replay", replay_text[in->replay]);
	if (in->replay_words)
		snag_json_string(j, "replay_note", in->replay_words);
	if (in->witness)
		snag_json_uint(j, "witness", in->witness);
	snag_json_array(j, "waits");
	for (size_t i = 0; i < d->n; i++)
		wait_object(j, r, in, i);
	snag_json_end(j);
	snag_json_end(j);
}

static const struct snag_sarif_rule rule[SNAG_VERDICTS] = {
	[SNAG_OBSERVED] = {"deadlock.observed", "Deadlock: the threads waited for each other.",
			   "error", "very-high"},
	[SNAG_PREDICTED] = {"deadlock.predicted",
			    "Deadlock: another schedule of the same execution has the threads wait "
			    "for each other.",
			    "error", "very-high"},
	[SNAG_CONFIRMED] = {"deadlock.confirmed",
			    "Deadlock: another run of the program had the threads wait for each "
			    "other.",
			    "error", "very-high"},
	[SNAG_UNVERIFIED] = {"deadlock.unverified",
			     "Possible deadlock: no schedule that shows it was found or excluded.",
			     "warning", "medium"},
	[SNAG_UNCONFIRMED] =
		{"deadlock.unconfirmed",
		 "Possible deadlock: the program did not follow the schedule that has it.", "note",
		 "low"},
};

void snag_deadlock_sarif_rules(struct snag_json *j)
{
	for (int v = 0; v < SNAG_VERDICTS; v++)
		snag_sarif_rule(j, &rule[v], "external/cwe/cwe-833");
}

/* All stacks: where threads wait, and where they took what is waited for. */
static void sarif_stacks(struct snag_json *j, const struct snag_incident_report *r,
			 const struct snag_deadlock_incident *in)
{
	char words[400], held[300];
	snag_json_array(j, "stacks");
	for (size_t i = 0; i < in->deadlock->n; i++) {
		const struct snag_deadlock_wait *w = &in->deadlock->wait[i];
		snag_deadlock_wait_words(r, w, words, sizeof(words));
		snag_sarif_stack(j, r, &in->at[i], words);
		if (!in->held[i].n)
			continue;
		held_words(r, w, held, sizeof(held));
		snprintf(words, sizeof(words), "%.90s holds %s",
			 snag_name(r->report->names, SNAG_SPACE_THREAD, w->at.thread), held);
		snag_sarif_stack(j, r, &in->held[i], words);
	}
	snag_json_end(j);
}

void snag_deadlock_sarif_result(const struct snag_incident_report *r, struct snag_step_names *names,
				const struct snag_deadlock_incident *in, unsigned first_rule,
				struct snag_json *j)
{
	const struct snag_deadlock *d = in->deadlock;
	enum snag_verdict v = d->proof.verdict;
	char things[1000], text[1200], words[400];
	snag_deadlock_things(r, d, things, sizeof(things));
	snprintf(text, sizeof(text), "Deadlock (%s): threads wait for each other: %s.",
		 snag_verdict_text[v], things);
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "ruleId", rule[v].id);
	snag_json_uint(j, "ruleIndex", first_rule + v);
	snag_json_string(j, "level", rule[v].level);
	snag_sarif_message(j, "message", text);
	snag_json_array(j, "locations");
	snag_sarif_location(j, NULL, r, &in->at[0].frame[0], NULL);
	snag_json_end(j);
	snag_json_array(j, "relatedLocations");
	for (size_t i = 0; i < d->n; i++) {
		snag_deadlock_wait_words(r, &d->wait[i], words, sizeof(words));
		snag_sarif_location(j, NULL, r, &in->at[i].frame[0], words);
	}
	snag_json_end(j);
	sarif_stacks(j, r, in);
	if (r->schedules)
		snag_sarif_flow(j, r, names, &r->schedules->deadlock[in - r->incidents->deadlock],
				d->n);
	snag_sarif_identity(j, "deadlock/v1", in->id, in->is_suppressed);
	snag_json_object(j, "properties");
	snag_json_string(j, "detector", in->found_by);
	snag_json_bool(j, "replayed", in->replay == SNAG_REPLAY_CONFIRMED);
	snag_json_end(j);
	snag_json_end(j);
}
