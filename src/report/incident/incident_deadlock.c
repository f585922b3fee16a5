/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_deadlock.c - a deadlock of a program, as its authors think of it
 */
#include "report/incident/incident_deadlock.h"

#include "base/memory.h"
#include "base/strtab.h"
#include "report/deadlocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 4096 };

/* The text of one request: its line, or for the id its function. */
static char *part_text(const struct snag_callstack *s, bool is_id)
{
	const struct snag_frame *f = &s->frame[0];
	const char *where = f->file ? f->file : f->module ? f->module : "";
	char *text = snag_alloc(KEY);
	if (is_id)
		snprintf(text, KEY, "%s:%s", basename(where), f->function ? f->function : "");
	else
		snprintf(text, KEY, "%s:%u:%u+%llx", where, f->line, f->column,
			 f->file ? 0 : (unsigned long long)f->offset);
	return text;
}

static int text_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The texts of all requests, sorted, as one; to be freed. */
static char *key_make(const struct snag_callstack *at, size_t n, bool is_id)
{
	char **part = snag_calloc(n, sizeof(*part));
	size_t nbytes = 1;
	for (size_t i = 0; i < n; i++) {
		part[i] = part_text(&at[i], is_id);
		nbytes += strlen(part[i]) + 1;
	}
	qsort(part, n, sizeof(*part), text_compare);
	char *key = snag_alloc(nbytes), *to = key;
	for (size_t i = 0; i < n; i++) {
		to = stpcpy(stpcpy(to, part[i]), "/");
		free(part[i]);
	}
	free(part);
	return key;
}

static void id_make(struct snag_deadlock_incident *in, struct snag_strtab *taken)
{
	char *key = key_make(in->at, in->deadlock->n, true);
	int len = snprintf(in->id, sizeof(in->id), "D-%08x", snag_strtab_hash(key, strlen(key)));
	free(key);
	for (unsigned again = 2;; again++) {
		uint32_t before = taken->n;
		snag_strtab_intern(taken, in->id, strlen(in->id));
		if (taken->n > before)
			return;
		snprintf(in->id + len, sizeof(in->id) - (size_t)len, "-%u", again);
	}
}

static bool is_suppressed(const struct snag_deadlock_incident *in, struct snag_suppressions *s)
{
	for (size_t i = 0; s && i < in->deadlock->n; i++) {
		struct snag_suppressible d = {.frame = {in->at[i].frame, in->held[i].frame},
					      .frames = {in->at[i].n, in->held[i].n},
					      .id = in->id,
					      .is_deadlock = true};
		if (snag_suppressions_match(s, &d))
			return true;
	}
	return false;
}

static void stacks_done(struct snag_deadlock_incident *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		snag_callstack_done(&in->at[i]);
		snag_callstack_done(&in->held[i]);
	}
	free(in->at);
	free(in->held);
}

static void stacks_read(struct snag_deadlock_incident *in, const struct snag_names *names,
			const struct snag_deadlock *d)
{
	in->at = snag_calloc(d->n, sizeof(*in->at));
	in->held = snag_calloc(d->n, sizeof(*in->held));
	for (size_t i = 0; i < d->n; i++) {
		snag_callstack_read(names, d->wait[i].at.loc, &in->at[i]);
		if (d->wait[i].held.event != SNAG_NO_EVENT)
			snag_callstack_read(names, d->wait[i].held.loc, &in->held[i]);
	}
}

void snag_deadlock_incidents_build(struct snag_incidents *to, const struct snag_report *report,
				   struct snag_suppressions *suppressions)
{
	const struct snag_findings *f = snag_report_deadlocks(report);
	struct snag_strtab lines, ids;
	snag_strtab_init(&lines);
	snag_strtab_init(&ids);
	to->deadlock = snag_calloc(f ? f->ndeadlocks : 0, sizeof(*to->deadlock));
	for (size_t i = 0; f && i < f->ndeadlocks; i++) {
		const struct snag_deadlock *d = &f->deadlock[i];
		struct snag_deadlock_incident new = {
			.deadlock = d,
			.found_by = f->name,
			.witness = d->proof.verdict == SNAG_PREDICTED ? i + 1 : 0};
		stacks_read(&new, report->names, d);
		char *key = key_make(new.at, d->n, false);
		uint32_t at = snag_strtab_intern(&lines, key, strlen(key));
		free(key);
		if (at < to->ndeadlocks) {
			to->deadlock[at].count += d->proof.count;
			stacks_done(&new, d->n);
			continue;
		}
		id_make(&new, &ids);
		new.count = d->proof.count;
		new.is_suppressed = is_suppressed(&new, suppressions);
		to->deadlocks_shown += !new.is_suppressed;
		to->by_verdict[d->proof.verdict] += !new.is_suppressed;
		to->deadlock[to->ndeadlocks++] = new;
	}
	snag_strtab_done(&lines);
	snag_strtab_done(&ids);
}

void snag_deadlock_incidents_done(struct snag_incidents *in)
{
	for (size_t i = 0; i < in->ndeadlocks; i++) {
		stacks_done(&in->deadlock[i], in->deadlock[i].deadlock->n);
		free(in->deadlock[i].replay_words);
	}
	free(in->deadlock);
}

static void thing_words(const struct snag_incident_report *r, const struct snag_site *site,
			char *buf, size_t room)
{
	const struct snag_names *names = r->report->names;
	if (site->op == SNAG_OP_JOIN)
		snprintf(buf, room, "the end of %.100s",
			 snag_name(names, SNAG_SPACE_THREAD, site->target));
	else
		snprintf(buf, room, "%s", snag_incidents_lock(r->incidents, names, site->target));
}

void snag_deadlock_wait_words(const struct snag_incident_report *r,
			      const struct snag_deadlock_wait *w, char *buf, size_t room)
{
	char thing[200];
	thing_words(r, &w->at, thing, sizeof(thing));
	snprintf(buf, room, "%.100s waits for %s",
		 snag_name(r->report->names, SNAG_SPACE_THREAD, w->at.thread), thing);
}

void snag_deadlock_things(const struct snag_incident_report *r, const struct snag_deadlock *d,
			  char *buf, size_t room)
{
	size_t n = 0;
	buf[0] = 0;
	for (size_t i = 0; i < d->n && n + 210 < room; i++) {
		char thing[200];
		thing_words(r, &d->wait[i].at, thing, sizeof(thing));
		n += (size_t)snprintf(buf + n, room - n, "%s%s", i ? ", " : "", thing);
	}
}

const char *snag_deadlock_why(const struct snag_deadlock *d)
{
	switch (d->proof.verdict) {
	case SNAG_OBSERVED:
		return "Observed: in this run these threads waited for each other without end";
	case SNAG_PREDICTED:
		return "Predicted: in this run the threads got past each other, but another "
		       "schedule of the same\n  execution has each of them wait for the next";
	default:
		return "Unverified: no schedule that has them wait for each other was found or "
		       "excluded";
	}
}
