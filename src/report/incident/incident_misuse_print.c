/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_misuse_print.c - a mistake of a program, as text, JSON and SARIF
 *
 * Text has ThreadSanitizer's first and last line, and between them what the thread did, what came
 * before, and which object it is about.
 */
#include "report/incident/incident_misuse.h"

#include "report/incident/incident_parts.h"

#include <stdio.h>
#include <string.h>

static const struct snag_misuse_info *info_of(const struct snag_misuse_incident *in)
{
	return &snag_misuse_info[in->misuse->kind];
}

static void object_words(const struct snag_misuse_incident *in, char *buf, size_t room)
{
	snag_variable_text(in->misuse->object, buf, room);
}

/* "Destroy of m by T1" */
static void act_words(const struct snag_incident_report *r, const struct snag_misuse_incident *in,
		      char *buf, size_t room)
{
	char object[200];
	object_words(in, object, sizeof(object));
	snprintf(buf, room, "%s %s by %.100s", info_of(in)->act, object,
		 snag_name(r->report->names, SNAG_SPACE_THREAD, in->misuse->thread));
}

static void before_words(const struct snag_incident_report *r,
			 const struct snag_misuse_incident *in, char *buf, size_t room)
{
	snprintf(buf, room, "%s by %.100s", info_of(in)->before,
		 snag_name(r->report->names, SNAG_SPACE_THREAD, in->misuse->before_thread));
}

/* ThreadSanitizer's title of this kind names the thread. */
static void title_words(const struct snag_incident_report *r, const struct snag_misuse_incident *in,
			char *buf, size_t room)
{
	const struct snag_misuse_info *info = info_of(in);
	const char *thread = snag_name(r->report->names, SNAG_SPACE_THREAD, in->misuse->thread);
	const bool is_main = strcmp(thread, "T0") == 0;
	if (in->misuse->kind != SNAG_MISUSE_IGNORES)
		snprintf(buf, room, "%s", info->title);
	else if (is_main)
		snprintf(buf, room, "main %s", info->title);
	else
		snprintf(buf, room, "thread %.100s%s", thread, info->title + strlen("thread"));
}

/* One sentence about what the program does wrong. */
static const char *why(enum snag_misuse_kind kind)
{
	switch (kind) {
	case SNAG_MISUSE_DESTROY_LOCKED:
		return "A thread that holds or waits for the mutex uses it after its end";
	case SNAG_MISUSE_UNLOCK:
		return "Only the thread that locked the mutex may unlock it";
	case SNAG_MISUSE_DOUBLE_LOCK:
		return "The thread waits for itself";
	case SNAG_MISUSE_INVALID:
		return "The mutex was destroyed, or never initialised";
	case SNAG_MISUSE_READ_LOCK:
	case SNAG_MISUSE_READ_UNLOCK:
		return "The thread holds the lock to write";
	case SNAG_MISUSE_WAIT_UNLOCKED:
		return "The thread that waits for a condition must hold the mutex";
	case SNAG_MISUSE_WAIT_OTHER:
		return "All threads that wait for a condition at the same time must use one mutex";
	case SNAG_MISUSE_DESTROY_WAITED:
		return "A thread that waits for the condition uses it after its end";
	case SNAG_MISUSE_KEPT:
		return "The thread has ended, and no other thread may unlock the mutex";
	case SNAG_MISUSE_THREAD_LEAK:
		return "The thread has ended, and nothing joined or detached it";
	case SNAG_MISUSE_NOT_JOINABLE:
		return "The thread is detached, or was joined before: its number may be that of "
		       "another thread now";
	case SNAG_MISUSE_IGNORES:
		return "The thread has ended, and its races were not looked for since then";
	case SNAG_MISUSE_SIGNAL_UNSAFE:
		return "The handler may interrupt the allocator, which is then called a second "
		       "time";
	case SNAG_MISUSE_SIGNAL_ERRNO:
		return "The code that the handler interrupts sees the changed value";
	case SNAG_MISUSE_STUCK:
		return "No thread can run, so nothing ends this wait";
	case SNAG_MISUSE_USE_AFTER_FREE:
		return "The block had been freed when this access came";
	default:
		return "The block had been freed already";
	}
}

static void object_text(struct snag_printer *to, const struct snag_incident_report *r,
			const struct snag_misuse_incident *in)
{
	const struct snag_object_name o = snag_object_name(in->misuse->object);
	if (o.kind == SNAG_OBJECT_HEAP) {
		snag_printf(to, "  Location is heap block of size %llu allocated by ",
			    (unsigned long long)o.nbytes);
		snag_text_thread(to, r, o.thread);
		snag_print(to, ":\n");
		snag_text_stack_of(to, r, o.loc);
	}
}

void snag_misuse_incident_text(const struct snag_incident_report *r,
			       const struct snag_misuse_incident *in, struct snag_printer *to)
{
	const struct snag_misuse_info *info = info_of(in);
	char object[200], title[200];
	object_words(in, object, sizeof(object));
	title_words(r, in, title, sizeof(title));
	snag_text_begin(to, r, title, NULL);
	snag_printf(to, "  %s ", info->act);
	snag_print_name(to, object);
	snag_print(to, " by ");
	snag_text_thread(to, r, in->misuse->thread);
	snag_print(to, ":\n");
	snag_text_stack(to, r, &in->at);
	if (in->before.n) {
		snag_printf(to, "  %s by ", info->before);
		snag_text_thread(to, r, in->misuse->before_thread);
		snag_print(to, ":\n");
		snag_text_stack(to, r, &in->before);
	}
	snag_printf(to, "  Observed: %s.\n", why(in->misuse->kind));
	if (in->count > 1)
		snag_printf(to, "  Seen: %llu times\n", (unsigned long long)in->count);
	snag_printf(to, "  Id: %s\n\n", in->id);
	object_text(to, r, in);
	snag_text_end(to, r, info->title, &in->at.frame[0]);
}

void snag_misuse_incident_json(const struct snag_incident_report *r,
			       const struct snag_misuse_incident *in, struct snag_json *j)
{
	const struct snag_names *names = r->report->names;
	const struct snag_misuse *m = in->misuse;
	char object[200], words[400];
	object_words(in, object, sizeof(object));
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "id", in->id);
	snag_json_string(j, "kind", info_of(in)->kind);
	snag_json_string(j, "title", info_of(in)->title);
	snag_json_string(j, "verdict", snag_verdict_text[SNAG_OBSERVED]);
	act_words(r, in, words, sizeof(words));
	snag_json_string(j, "summary", words);
	snag_json_string(j, "why", why(in->misuse->kind));
	snag_json_string(j, "act", info_of(in)->act);
	snag_json_string(j, "object", object);
	snag_json_uint(j, "count", in->count);
	snag_json_bool(j, "suppressed", in->is_suppressed);
	snag_json_string(j, "thread", snag_name(names, SNAG_SPACE_THREAD, m->thread));
	snag_json_stack(j, "stack", &in->at);
	if (in->before.n) {
		snag_json_object(j, "before");
		snag_json_string(j, "act", info_of(in)->before);
		snag_json_string(j, "thread",
				 snag_name(names, SNAG_SPACE_THREAD, m->before_thread));
		snag_json_stack(j, "stack", &in->before);
		snag_json_end(j);
	}
	snag_json_end(j);
}

/* "mutex-misuse.destroy-locked" */
void snag_misuse_rule_id(enum snag_misuse_kind kind, char *buf, size_t room)
{
	size_t n = (size_t)snprintf(buf, room, "%s.", snag_misuse_info[kind].kind);
	const char *name = snag_misuse_info[kind].name;
	for (; *name && n + 1 < room; name++)
		buf[n++] = *name == '_' ? '-' : (char)(*name | ' ');
	buf[n] = 0;
}

void snag_misuse_sarif_rules(struct snag_json *j)
{
	for (int k = 0; k < SNAG_MISUSES; k++) {
		char id[80], tag[40];
		snag_misuse_rule_id((enum snag_misuse_kind)k, id, sizeof(id));
		snprintf(tag, sizeof(tag), "external/cwe/cwe-%u", snag_misuse_info[k].cwe);
		snag_sarif_rule(j,
				&(struct snag_sarif_rule){id, snag_misuse_info[k].title, "error",
							  "very-high"},
				tag);
	}
}

void snag_misuse_sarif_result(const struct snag_incident_report *r,
			      const struct snag_misuse_incident *in, unsigned first_rule,
			      struct snag_json *j)
{
	const enum snag_misuse_kind kind = in->misuse->kind;
	char act[400], before[200], text[800], id[80];
	act_words(r, in, act, sizeof(act));
	snprintf(text, sizeof(text), "%s: %s. %s.", info_of(in)->title, act, why(kind));
	snag_misuse_rule_id(kind, id, sizeof(id));
	snag_json_newline(j);
	snag_json_object(j, NULL);
	snag_json_string(j, "ruleId", id);
	snag_json_uint(j, "ruleIndex", first_rule + kind);
	snag_json_string(j, "level", "error");
	snag_sarif_message(j, "message", text);
	snag_json_array(j, "locations");
	snag_sarif_location(j, NULL, r, &in->at.frame[0], NULL);
	snag_json_end(j);
	snag_json_array(j, "stacks");
	snag_sarif_stack(j, r, &in->at, act);
	if (in->before.n) {
		before_words(r, in, before, sizeof(before));
		snag_sarif_stack(j, r, &in->before, before);
	}
	snag_json_end(j);
	snag_sarif_identity(j, "misuse/v1", in->id, in->is_suppressed);
	snag_json_end(j);
}
