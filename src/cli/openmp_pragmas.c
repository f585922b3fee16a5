/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragmas.c - makes the runtime see every iteration of OpenMP loops
 *
 * Idea.   Compilers run loops with the static schedule by themselves: the runtime does not see
 *         where an iteration begins.  With the dynamic schedule they ask it for every
 *         chunk.  So, in the preprocessed text, where macros are expanded and lines joined,
 *         static schedules become dynamic ones, and what was said goes into the chunk size
 *         (omp/core.h: MP_CHUNK_STATIC and so on).  A loop without the clause is static.
 *
 * Rules.  [static]   schedule(static) and none     schedule(dynamic, STATIC)
 *                    schedule(static, c)           schedule(dynamic, STATIC | (c) & MASK)
 *         [nowait]   with that clause, | NOWAIT
 *         Everything else is left as it is, lines included.
 */
#include "cli/openmp_pragmas.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_STATIC "0x40000000"
#define CHUNK_NOWAIT " | 0x20000000"
#define CHUNK_MASK "0x0fffffff"

struct text {
	char *at;
	size_t n, room;
};

static void text_add(struct text *t, const char *from, size_t n)
{
	t->at = snag_grow(t->at, &t->room, t->n + n + 1, 1);
	memcpy(t->at + t->n, from, n);
	t->n += n;
}

static void text_words(struct text *t, const char *words)
{
	text_add(t, words, strlen(words));
}

/* A stretch of a line. */
struct span {
	const char *at, *end;
};

static struct span span_trim(struct span s)
{
	while (s.at < s.end && isspace((unsigned char)*s.at))
		s.at++;
	while (s.at < s.end && isspace((unsigned char)s.end[-1]))
		s.end--;
	return s;
}

static bool span_is(struct span s, const char *word)
{
	return (size_t)(s.end - s.at) == strlen(word) &&
	       memcmp(s.at, word, (size_t)(s.end - s.at)) == 0;
}

/* The next word of a line, and, if there is one, what is in parentheses behind it.  False: none. */
static bool clause_next(struct span *line, struct span *ret_name, struct span *ret_value)
{
	const char *p = line->at;
	while (p < line->end && !isalpha((unsigned char)*p) && *p != '_' && *p != '(')
		p++;
	ret_name->at = p;
	while (p < line->end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	ret_name->end = p;
	while (p < line->end && (*p == ' ' || *p == '\t'))
		p++;
	*ret_value = (struct span){p, p};
	if (p < line->end && *p == '(') {
		int depth = 0;
		ret_value->at = p + 1;
		do {
			depth += (*p == '(') - (*p == ')');
			p++;
		} while (p < line->end && depth);
		ret_value->end = depth ? p : p - 1;
	}
	line->at = p;
	return ret_name->at < ret_name->end || ret_value->at < ret_value->end;
}

static bool is_directive_word(struct span name)
{
	static const char *const word[] = {"parallel", "for",	 "simd",       "target", "teams",
					   "masked",   "master", "distribute", "omp",	 "pragma"};
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (span_is(name, word[i]))
			return true;
	return false;
}

/* What a pragma says about a loop. */
struct loop {
	bool is_loop, is_nowait;
	bool is_other;	    /* a schedule that the runtime sees anyway */
	struct span clause; /* schedule(...); empty: none */
	struct span chunk;  /* empty: none */
};

static void schedule_read(struct loop *l, struct span value)
{
	const char *colon = memchr(value.at, ':', (size_t)(value.end - value.at));
	struct span kind = {colon ? colon + 1 : value.at, value.end};
	const char *comma = memchr(kind.at, ',', (size_t)(kind.end - kind.at));
	if (comma) {
		l->chunk = span_trim((struct span){comma + 1, kind.end});
		kind.end = comma;
	}
	l->is_other = !span_is(span_trim(kind), "static");
}

static struct loop loop_read(struct span line)
{
	struct loop l = {0};
	struct span name, value;
	bool is_directive = true;
	while (clause_next(&line, &name, &value)) {
		is_directive = is_directive && is_directive_word(name);
		l.is_loop |= is_directive && span_is(name, "for");
		l.is_nowait |= span_is(name, "nowait");
		if (span_is(name, "schedule")) {
			l.clause = (struct span){name.at, line.at};
			schedule_read(&l, value);
		}
	}
	return l;
}

static void pragma_rewrite(struct text *t, struct span line)
{
	struct loop l = loop_read(line);
	if (!l.is_loop || l.is_other) {
		text_add(t, line.at, (size_t)(line.end - line.at));
		return;
	}
	struct span before = {line.at, l.clause.at ? l.clause.at : line.end};
	struct span after = {l.clause.at ? l.clause.end : line.end, line.end};
	text_add(t, before.at, (size_t)(before.end - before.at));
	text_words(t, " schedule(dynamic, " CHUNK_STATIC);
	if (l.is_nowait)
		text_words(t, CHUNK_NOWAIT);
	if (l.chunk.at < l.chunk.end) {
		text_words(t, " | ((");
		text_add(t, l.chunk.at, (size_t)(l.chunk.end - l.chunk.at));
		text_words(t, ") & " CHUNK_MASK ")");
	}
	text_words(t, ") ");
	text_add(t, after.at, (size_t)(after.end - after.at));
}

static bool is_openmp(struct span line)
{
	struct span s = span_trim(line), name, value;
	if (s.at == s.end || *s.at != '#')
		return false;
	s.at++;
	return clause_next(&s, &name, &value) && span_is(name, "pragma") &&
	       clause_next(&s, &name, &value) && span_is(name, "omp");
}

char *cli_openmp_rewrite(const char *text, size_t n, size_t *ret_n)
{
	struct text t = {0};
	const char *end = text + n;
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		struct span line = {text, newline ? newline : end};
		if (is_openmp(line))
			pragma_rewrite(&t, line);
		else
			text_add(&t, line.at, (size_t)(line.end - line.at));
		if (newline)
			text_add(&t, "\n", 1);
		text = newline ? newline + 1 : end;
	}
	*ret_n = t.n;
	return t.at ? t.at : snag_alloc(1);
}
