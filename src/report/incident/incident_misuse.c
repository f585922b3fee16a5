/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_misuse.c - mistakes of a program as incidents
 */
#include "report/incident/incident_misuse.h"

#include "base/memory.h"
#include "base/strtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 4096 };

const struct snag_misuse_info snag_misuse_info[SNAG_MISUSES] = {
#define MISUSE(name, kind, title, act, before, suppression, cwe) \
	[SNAG_MISUSE_##name] = {#name, kind, title, act, before, suppression, cwe},
#include "trace/misuses.def"
#undef MISUSE
};

static const struct snag_frame *top(const struct snag_callstack *s)
{
	static const struct snag_frame none;
	return s->n ? &s->frame[0] : &none;
}

/* The lines of an incident; for its id the functions. */
static size_t key_make(const struct snag_misuse_incident *in, bool is_id, char key[KEY])
{
	const struct snag_callstack *stack[2] = {&in->at, &in->before};
	size_t n = (size_t)snprintf(key, KEY, "%d", (int)in->misuse->kind);
	for (int i = 0; i < 2; i++) {
		const struct snag_frame *f = top(stack[i]);
		const char *where = f->file ? f->file : f->module ? f->module : "";
		if (is_id)
			n += (size_t)snprintf(key + n, KEY - n, "/%.900s:%.900s", basename(where),
					      f->function ? f->function : "");
		else
			n += (size_t)snprintf(key + n, KEY - n, "/%.1800s:%u:%u+%llx", where,
					      f->line, f->column,
					      f->file ? 0 : (unsigned long long)f->offset);
	}
	return n;
}

static void id_make(struct snag_misuse_incident *in, struct snag_strtab *taken)
{
	char key[KEY];
	size_t n = key_make(in, true, key);
	int len = snprintf(in->id, sizeof(in->id), "M-%08x", snag_strtab_hash(key, n));
	for (unsigned again = 2;; again++) {
		uint32_t before = taken->n;
		snag_strtab_intern(taken, in->id, strlen(in->id));
		if (taken->n > before)
			return;
		snprintf(in->id + len, sizeof(in->id) - (size_t)len, "-%u", again);
	}
}

static bool is_line(const struct snag_callstack *a, const struct snag_callstack *b)
{
	const struct snag_frame *f = top(a), *g = top(b);
	return f->line == g->line && f->file && g->file && strcmp(f->file, g->file) == 0;
}

/* A race of the same two places: an access or a free, and the free that came before. */
static bool is_race(const struct snag_misuse_incident *in, const struct snag_incidents *all)
{
	enum snag_misuse_kind kind = in->misuse->kind;
	if (kind != SNAG_MISUSE_USE_AFTER_FREE && kind != SNAG_MISUSE_DOUBLE_FREE)
		return false;
	for (size_t i = 0; i < all->n; i++) {
		const struct snag_incident *race = &all->at[i];
		const struct snag_site *site[2] = {&race->race->first, &race->race->second};
		for (int f = 0; f < 2; f++)
			if (snag_site_is_free(site[f]) &&
			    snag_site_is_free(site[!f]) == (kind == SNAG_MISUSE_DOUBLE_FREE) &&
			    is_line(&race->stack[f], &in->before) &&
			    is_line(&race->stack[!f], &in->at))
				return true;
	}
	return false;
}

static void stacks_done(struct snag_misuse_incident *in)
{
	snag_callstack_done(&in->at);
	snag_callstack_done(&in->before);
}

static bool is_suppressed(const struct snag_misuse_incident *in, struct snag_suppressions *s)
{
	const struct snag_suppressible what = {
		.frame = {in->at.frame, in->before.frame},
		.frames = {in->at.n, in->before.n},
		.variable = in->misuse->object,
		.id = in->id,
		.is_deadlock = in->misuse->kind == SNAG_MISUSE_STUCK,
		.type = snag_misuse_info[in->misuse->kind].suppression};
	return s && snag_suppressions_match(s, &what);
}

void snag_misuse_incidents_build(struct snag_incidents *to, const struct snag_report *report,
				 struct snag_suppressions *suppressions)
{
	struct snag_strtab lines, ids;
	char key[KEY];
	snag_strtab_init(&lines);
	snag_strtab_init(&ids);
	to->misuse = snag_calloc(report->nmisuses, sizeof(*to->misuse));
	for (size_t i = 0; i < report->nmisuses; i++) {
		const struct snag_misuse *m = &report->misuse[i];
		struct snag_misuse_incident new = {.misuse = m, .count = m->count};
		snag_callstack_read(report->names, m->loc, &new.at);
		if (m->has_before)
			snag_callstack_read(report->names, m->before, &new.before);
		uint32_t n = lines.n, at = 0;
		bool is_known = is_race(&new, to);
		if (!is_known)
			at = snag_strtab_intern(&lines, key, key_make(&new, false, key));
		if (is_known || at < n) {
			to->misuse[at].count += is_known ? 0 : m->count;
			stacks_done(&new);
			continue;
		}
		id_make(&new, &ids);
		new.is_suppressed = is_suppressed(&new, suppressions);
		to->misuses_shown += !new.is_suppressed;
		to->by_verdict[SNAG_OBSERVED] += !new.is_suppressed;
		to->misuse[to->nmisuses++] = new;
	}
	snag_strtab_done(&lines);
	snag_strtab_done(&ids);
}

void snag_misuse_incidents_done(struct snag_incidents *in)
{
	for (size_t i = 0; i < in->nmisuses; i++)
		stacks_done(&in->misuse[i]);
	free(in->misuse);
}
