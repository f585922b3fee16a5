/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran_directive.c - the words and clauses of a directive of Fortran, and the loops behind it
 */
#include "cc/fortran/fortran_directive.h"

#include <ctype.h>
#include <string.h>

/* Fortran allows some of them without a blank between. */
static const char *const words[] = {"parallel", "distribute", "sections", "workshare", "taskloop",
				    "master",	"masked",     "target",	  "teams",     "scope",
				    "single",	"simd",	      "loop",	  "do"};

const char *cc_fortran_directive_next(struct cc_span *text)
{
	struct cc_span t = cc_span_trim(*text);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);
		if ((size_t)(t.end - t.at) < n || memcmp(t.at, words[i], n) != 0)
			continue;
		struct cc_span rest = {t.at + n, t.end};
		bool is_whole = rest.at == rest.end ||
				!(isalnum((unsigned char)*rest.at) || *rest.at == '_');
		if (is_whole || cc_fortran_directive_next(&(struct cc_span){rest.at, rest.end})) {
			*text = rest;
			return words[i];
		}
	}
	return NULL;
}

bool cc_fortran_has_clause(struct cc_span text, const char *word)
{
	struct cc_span name, value;
	while (cc_clause_next(&text, &name, &value))
		if (cc_span_is(name, word))
			return true;
	return false;
}

bool cc_fortran_is_directive(const struct cc_fortran_statement *s, const char *word)
{
	struct cc_span t = cc_span_trim(cc_fortran_text(s));
	return s->kind == CC_FORTRAN_OPENMP && cc_fortran_word(&t, word);
}

/* Fortran allows directives without blanks: "enddo". */
bool cc_fortran_is_end(const struct cc_fortran_statement *s, struct cc_span *ret_rest)
{
	struct cc_span t = cc_span_trim(cc_fortran_text(s));
	if (s->kind != CC_FORTRAN_OPENMP || t.end - t.at < 3 || memcmp(t.at, "end", 3) != 0)
		return false;
	*ret_rest = (struct cc_span){t.at + 3, t.end};
	return true;
}

bool cc_fortran_is_same(struct cc_span a, struct cc_span b)
{
	const char *word;
	a = cc_span_trim(a);
	b = cc_span_trim(b);
	if (cc_fortran_word(&(struct cc_span){a.at, a.end}, "task"))
		return cc_fortran_word(&b, "task");
	while ((word = cc_fortran_directive_next(&a)))
		if (cc_fortran_directive_next(&b) != word)
			return false;
	return !cc_fortran_directive_next(&b);
}

struct cc_fortran_loops cc_fortran_loops(const struct cc_fortran *f, size_t directive)
{
	struct cc_fortran_loops l = {0};
	struct cc_fortran_do is;
	struct cc_span rest;
	size_t i = cc_fortran_next(f, directive + 1);
	for (; i < f->n && l.n < CC_FORTRAN_MOST_LOOPS && cc_fortran_is_do(&f->at[i], &is) &&
	       is.variable.at < is.variable.end;
	     i = cc_fortran_next(f, i + 1)) {
		l.at[l.n] = i;
		l.variable[l.n++] = is.variable;
	}
	if (!l.n)
		return l;
	l.last = cc_fortran_loop_end(f, l.at[0]);
	for (i = l.at[0]; i < l.last && i < f->n; i++)
		l.is_ordered |= cc_fortran_is_directive(&f->at[i], "ordered");
	i = cc_fortran_next(f, l.last + 1);
	if (i < f->n && cc_fortran_is_end(&f->at[i], &rest) &&
	    cc_fortran_is_same(cc_fortran_text(&f->at[directive]), rest))
		l.end = i;
	return l;
}

unsigned cc_fortran_collapsed(struct cc_span text)
{
	const unsigned most = CC_FORTRAN_MOST_LOOPS;
	struct cc_span name, value;
	while (cc_clause_next(&text, &name, &value)) {
		unsigned n = 0;
		if (!cc_span_is(name, "collapse"))
			continue;
		for (value = cc_span_trim(value); value.at < value.end && n < most; value.at++)
			n = isdigit((unsigned char)*value.at) ? 10 * n + (unsigned)(*value.at - '0')
							      : most;
		return n ? n : 1;
	}
	return 1;
}
