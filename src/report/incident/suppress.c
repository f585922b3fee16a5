/* SPDX-License-Identifier: Apache-2.0
 *
 * suppress.c - races that the user suppresses
 */
#include "report/incident/suppress.h"

#include "base/memory.h"
#include "report/incident/suppress_terms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { RACE, RACE_TOP, CALLED_FROM_LIB, ID, THREAD, MUTEX, SIGNAL, DEADLOCK, KINDS };

static const char *const kind_name[KINDS] = {
	[RACE] = "race",     [RACE_TOP] = "race_top", [CALLED_FROM_LIB] = "called_from_lib",
	[ID] = "id",	     [THREAD] = "thread",     [MUTEX] = "mutex",
	[SIGNAL] = "signal", [DEADLOCK] = "deadlock",
};

struct suppression {
	enum kind kind;
	char *text;	     /* "race:pattern" */
	const char *pattern; /* in text */
	char *place;	     /* "file:line" */
	uint64_t matched;
	bool is_over; /* its terms have ended: it matches nothing */
};

struct snag_suppressions {
	struct suppression *at;
	size_t n, room;
};

struct snag_suppressions *snag_suppressions_new(void)
{
	return snag_calloc(1, sizeof(struct snag_suppressions));
}

void snag_suppressions_free(struct snag_suppressions *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		free(s->at[i].text);
		free(s->at[i].place);
	}
	free(s->at);
	free(s);
}

/* Returns whether the rest of the text matches the rest of the pattern; if `anywhere`, the match
 * may begin later in the text.  Only the last `*` is retried, which suffices. */
static bool match_from(const char *p, const char *t, bool anywhere)
{
	const char *retry_p = anywhere ? p : NULL, *retry_t = t;
	for (;;) {
		if (*p == '*') {
			retry_p = ++p;
			retry_t = t;
		} else if (!*p) {
			return true; /* the rest of the text may be anything */
		} else if (*p == '$' && !p[1] && !*t) {
			return true;
		} else if (*t && *p == *t && !(*p == '$' && !p[1])) {
			p++;
			t++;
		} else if (retry_p && *retry_t) {
			p = retry_p;
			t = ++retry_t;
		} else {
			return false;
		}
	}
}

bool snag_pattern_match(const char *pattern, const char *text)
{
	return *pattern == '^' ? match_from(pattern + 1, text, false)
			       : match_from(pattern, text, true);
}

static char *copy(const char *s, size_t n)
{
	char *c = snag_alloc(n + 1);
	memcpy(c, s, n);
	c[n] = 0;
	return c;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static int line_add(struct snag_suppressions *s, struct snag_terms *terms, const char *name,
		    uint64_t line, const char *text, size_t n, struct snag_error *err)
{
	while (n && is_blank(text[0]))
		text++, n--;
	while (n && is_blank(text[n - 1]))
		n--;
	if (!n)
		*terms = (struct snag_terms){0};
	if (n && text[0] == '#')
		return snag_terms_take(terms, name, line, text, n, err);
	int rc = n ? snag_terms_check(terms, name, line, err) : 0;
	if (!n || rc < 0)
		return rc;
	const char *colon = memchr(text, ':', n);
	if (!colon || memchr(text, 0, n))
		return snag_fail(err, SNAG_EINPUT, "%s:%llu: expected `type:pattern`", name,
				 (unsigned long long)line);
	for (int kind = 0; kind < KINDS; kind++) {
		size_t len = strlen(kind_name[kind]);
		if (len != (size_t)(colon - text) || memcmp(text, kind_name[kind], len) != 0)
			continue;
		char place[4096 + 24];
		int m = snprintf(place, sizeof(place), "%.4096s:%llu", name,
				 (unsigned long long)line);
		s->at = snag_grow(s->at, &s->room, s->n + 1, sizeof(*s->at));
		struct suppression *new = &s->at[s->n++];
		*new = (struct suppression){
			.kind = (enum kind)kind, .text = copy(text, n), .is_over = terms->is_over};
		new->pattern = new->text + len + 1;
		new->place = copy(place, (size_t)m);
		return 0;
	}
	return snag_fail(
		err, SNAG_EINPUT,
		"%s:%llu: unknown type '%.*s' (known: race, race_top, called_from_lib, id, "
		"thread, mutex, signal, deadlock)",
		name, (unsigned long long)line, (int)(colon - text > 40 ? 40 : colon - text), text);
}

int snag_suppressions_add(struct snag_suppressions *s, const char *name, const char *text,
			  size_t nbytes, struct snag_error *err)
{
	uint64_t line = 1;
	struct snag_terms terms = {0};
	for (size_t at = 0; at < nbytes; line++) {
		const char *end = memchr(text + at, '\n', nbytes - at);
		size_t n = end ? (size_t)(end - text) - at : nbytes - at;
		int r = line_add(s, &terms, name, line, text + at, n, err);
		if (r < 0)
			return r;
		at += n + 1;
	}
	return 0;
}

static bool name_matches(const char *pattern, const char *name)
{
	return name && snag_pattern_match(pattern, name);
}

static bool stacks_match(const struct suppression *s, const struct snag_suppressible *race)
{
	for (int side = 0; side < 2; side++) {
		size_t n = s->kind == RACE_TOP && race->frames[side] ? 1 : race->frames[side];
		for (size_t i = 0; i < n; i++) {
			const struct snag_frame *f = &race->frame[side][i];
			if (name_matches(s->pattern, f->module))
				return true;
			if (s->kind != CALLED_FROM_LIB && (name_matches(s->pattern, f->function) ||
							   name_matches(s->pattern, f->file)))
				return true;
		}
	}
	return false;
}

static bool matches(const struct suppression *s, const struct snag_suppressible *race)
{
	switch (s->kind) {
	case DEADLOCK:
		return race->is_deadlock && stacks_match(s, race);
	case THREAD:
	case MUTEX:
	case SIGNAL:
		return race->type && strcmp(race->type, kind_name[s->kind]) == 0 &&
		       (stacks_match(s, race) || name_matches(s->pattern, race->variable));
	case RACE:
	case RACE_TOP:
		return !race->is_deadlock && (!race->type || strcmp(race->type, "race") == 0) &&
		       (stacks_match(s, race) || name_matches(s->pattern, race->variable));
	case CALLED_FROM_LIB:
		return stacks_match(s, race);
	case ID:
		return race->id && strcmp(s->pattern, race->id) == 0;
	default:
		return false;
	}
}

bool snag_suppressions_match(struct snag_suppressions *s, const struct snag_suppressible *race)
{
	for (size_t i = 0; i < s->n; i++)
		if (!s->at[i].is_over && matches(&s->at[i], race)) {
			s->at[i].matched++;
			return true;
		}
	return false;
}

void snag_suppressions_each(const struct snag_suppressions *s,
			    void (*at)(void *ctx, const char *text, const char *place,
				       uint64_t matched, bool is_over),
			    void *ctx)
{
	for (size_t i = 0; i < s->n; i++)
		at(ctx, s->at[i].text, s->at[i].place, s->at[i].matched, s->at[i].is_over);
}
