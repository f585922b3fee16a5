/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragmas.c - makes the runtime see every iteration of OpenMP loops
 *
 * Idea.   Compilers run loops with the static schedule by themselves: the runtime does not see
 *         where an iteration begins.  With the dynamic schedule they ask it for every
 *         chunk.  So, in the preprocessed text, where macros are expanded and lines joined,
 *         static schedules become dynamic ones (monotonic, so that the compiler leaves the order
 *         inside a chunk), and what was said goes into the chunk size
 *         (omp/core.h: MP_CHUNK_STATIC and so on).  A loop without the clause is static.
 *
 * Rules.  [static]   schedule(static) and none     schedule(dynamic, STATIC)
 *                    schedule(static, c)           schedule(dynamic, STATIC | (c) & MASK)
 *         [nowait]   with that clause, | NOWAIT
 *         [simd]     #pragma omp simd becomes a parallel loop of a team that the runtime knows by
 *                    its number of threads, whose iterations are parallel; safelen goes into the
 *                    chunk size, what only guides code generation goes away.  The loop's
 *                    variable, if it is one from outside, has its last value afterwards
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
#define CHUNK_SIMD " | 0x10000000"
#define CHUNK_MASK "0x0fffffff"
#define SIMD_THREADS "0x51D0001"

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
	text_words(t, " schedule(monotonic : dynamic, " CHUNK_STATIC);
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

/* [simd] */
static void simd_rewrite(struct text *t, struct span line, struct span loop_variable)
{
	struct span name, value, safe = {0};
	text_words(t, "#pragma omp parallel for num_threads(" SIMD_THREADS ") ");
	for (int i = 0; clause_next(&line, &name, &value); i++) {
		if (span_is(name, "safelen"))
			safe = value;
		if (i < 3 || span_is(name, "safelen") || span_is(name, "simdlen") ||
		    span_is(name, "aligned") || span_is(name, "nontemporal") ||
		    span_is(name, "if") || span_is(name, "order"))
			continue;
		text_add(t, name.at, (size_t)(line.at - name.at));
		text_words(t, " ");
	}
	text_words(t, "schedule(monotonic : dynamic, " CHUNK_STATIC CHUNK_SIMD);
	if (safe.at < safe.end) {
		text_words(t, " | ((");
		text_add(t, safe.at, (size_t)(safe.end - safe.at));
		text_words(t, ") & " CHUNK_MASK ")");
	}
	text_words(t, ")");
	if (loop_variable.at < loop_variable.end) {
		text_words(t, " lastprivate(");
		text_add(t, loop_variable.at, (size_t)(loop_variable.end - loop_variable.at));
		text_words(t, ")");
	}
}

/* Whether the directive is simd and nothing else; with collapse or lastprivate the variables are
 * the program's affair. */
static bool is_simd(struct span line, bool *ret_is_simple)
{
	struct span name, value;
	bool is = false;
	*ret_is_simple = true;
	for (int i = 0; clause_next(&line, &name, &value); i++) {
		is |= i == 2 && span_is(name, "simd");
		*ret_is_simple &= !span_is(name, "collapse") && !span_is(name, "lastprivate") &&
				  !span_is(name, "linear") && !span_is(name, "private");
	}
	return is;
}

/* The variable that the loop after a pragma assigns to, unless it declares it. */
static struct span variable_of(const char *text, const char *end)
{
	struct span none = {text, text}, v;
	for (;;) { /* marks of lines, and blanks */
		while (text < end && isspace((unsigned char)*text))
			text++;
		if (text == end || *text != '#')
			break;
		while (text < end && *text != '\n')
			text++;
	}
	if (end - text < 4 || memcmp(text, "for", 3) != 0)
		return none;
	for (text += 3; text < end && (isspace((unsigned char)*text) || *text == '('); text++)
		;
	v.at = text;
	while (text < end && (isalnum((unsigned char)*text) || *text == '_'))
		text++;
	v.end = text;
	while (text < end && isspace((unsigned char)*text))
		text++;
	return text < end && *text == '=' ? v : none;
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
		const char *next = newline ? newline + 1 : end;
		bool is_simple;
		if (is_openmp(line) && is_simd(line, &is_simple))
			simd_rewrite(&t, line,
				     is_simple ? variable_of(next, end) : (struct span){0});
		else if (is_openmp(line))
			pragma_rewrite(&t, line);
		else
			text_add(&t, line.at, (size_t)(line.end - line.at));
		if (newline)
			text_add(&t, "\n", 1);
		text = next;
	}
	*ret_n = t.n;
	return t.at ? t.at : snag_alloc(1);
}
