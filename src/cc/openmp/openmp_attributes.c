/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_attributes.c - directives of OpenMP that are attributes of C++, as pragmas
 */
#include "cc/openmp/openmp_attributes.h"

#include "cc/text/lines.h"
#include "cc/text/scanner.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void blanks_skip(struct cc_span *s)
{
	while (s->at < s->end && isspace((unsigned char)*s->at))
		s->at++;
}

/* Skips the word if it comes next. */
static bool word_next(struct cc_span *s, const char *word)
{
	struct cc_span rest = *s;
	blanks_skip(&rest);
	size_t n = strlen(word);
	if ((size_t)(rest.end - rest.at) < n || memcmp(rest.at, word, n) != 0)
		return false;
	s->at = rest.at + n;
	return true;
}

/* Skips the parentheses that come next; *ret_inside is the text in them. */
static bool closed_next(struct cc_span *s, struct cc_span *ret_inside)
{
	blanks_skip(s);
	if (s->at == s->end || *s->at != '(')
		return false;
	const char *end = cc_closed_end(*s, '(', ')');
	*ret_inside = (struct cc_span){s->at + 1, end - 1};
	s->at = end;
	return end[-1] == ')' && ret_inside->at <= ret_inside->end;
}

static bool is_declarative(struct cc_span directive)
{
	static const char *const word[] = {"declare",  "begin",	  "end",     "threadprivate",
					   "requires", "assumes", "allocate"};
	struct cc_span name, value;
	if (!cc_clause_next(&directive, &name, &value))
		return true;
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (cc_span_is(name, word[i]))
			return true;
	return false;
}

/* Adds the directive on one line, without the marks of attributes, and without commas between
 * clauses: gcc accepts no comma before the first clause of a pragma. */
static void directive_add(struct cc_text *t, struct cc_span text)
{
	struct cc_lines l = cc_lines_of(cc_span_trim(text));
	struct cc_span line;
	int depth = 0;
	while (cc_lines_next(&l, &line)) {
		if (cc_is_mark(line))
			continue;
		cc_text_words(t, " ");
		for (const char *next; line.at < line.end; line.at = next) {
			bool is_word;
			next = cc_token_end(line, &is_word);
			depth += (*line.at == '(') - (*line.at == ')');
			if (*line.at == ',' && depth == 0)
				cc_text_words(t, " ");
			else
				cc_text_span(t, (struct cc_span){line.at, next});
		}
	}
	cc_text_words(t, "\n");
}

/* Adds the directives of a list, a line each. Returns false if the list holds something else
 * too. */
static bool list_read(struct cc_text *t, struct cc_span list, bool is_using, unsigned depth)
{
	enum { DEEPEST = 32 };
	do {
		struct cc_span inside;
		if (word_next(&list, "omp"))
			is_using = word_next(&list, "::");
		if (!is_using)
			return false;
		if (word_next(&list, "directive")) {
			if (!closed_next(&list, &inside) || is_declarative(inside))
				return false;
			directive_add(t, inside);
		} else if (depth == DEEPEST || !word_next(&list, "sequence") ||
			   !closed_next(&list, &inside) || !list_read(t, inside, true, depth + 1)) {
			return false;
		}
	} while (word_next(&list, ","));
	blanks_skip(&list);
	return list.at == list.end;
}

/* Adds the directives of the attribute that the text begins with; it ends before *ret_end. */
static bool attribute_read(struct cc_text *t, struct cc_span text, const char **ret_end)
{
	if (text.end - text.at < 2 || text.at[1] != '[')
		return false;
	*ret_end = cc_closed_end(text, '[', ']');
	struct cc_span list = {text.at + 2, *ret_end - 2};
	if (list.at > list.end || memcmp(list.end, "]]", 2) != 0)
		return false;
	bool is_using = word_next(&list, "using");
	if (is_using && !(word_next(&list, "omp") && word_next(&list, ":")))
		return false;
	return list_read(t, list, is_using, 0);
}

struct attributes {
	struct cc_text *t;
	struct cc_lines l;
	const char *begin; /* the beginning of the text */
	bool is_statement; /* a statement may begin here */
};

static void directives_put(struct attributes *a, struct cc_span directives)
{
	struct cc_lines d = cc_lines_of(directives);
	struct cc_span line;
	while (cc_lines_next(&d, &line)) {
		cc_text_words(a->t, "\n");
		cc_lines_mark(&a->l, a->t);
		cc_text_words(a->t, "#pragma omp");
		cc_text_span(a->t, line);
	}
}

/* Continues after the attribute, in its line and column. */
static struct cc_span attribute_put(struct attributes *a, struct cc_span line,
				    struct cc_span directives, const char *end)
{
	directives_put(a, directives);
	while (line.end < end && cc_lines_next(&a->l, &line))
		;
	cc_text_words(a->t, "\n");
	cc_lines_mark(&a->l, a->t);
	for (const char *at = end; at > a->begin && at[-1] != '\n'; at--)
		cc_text_words(a->t, " ");
	return (struct cc_span){end, line.end};
}

static void token_copy(struct attributes *a, struct cc_span token)
{
	if (!isspace((unsigned char)*token.at))
		a->is_statement = strchr(";{}):", *token.at) || cc_span_is(token, "else") ||
				  cc_span_is(token, "do");
	cc_text_span(a->t, token);
}

static void code_copy(struct attributes *a, struct cc_span line)
{
	while (line.at < line.end) {
		struct cc_text d = {0};
		bool is_word;
		const char *next = cc_token_end(line, &is_word), *end;
		if (a->is_statement && *line.at == '[' &&
		    attribute_read(&d, (struct cc_span){line.at, a->l.rest.end}, &end)) {
			line = attribute_put(a, line, (struct cc_span){d.at, d.at + d.n}, end);
		} else {
			token_copy(a, (struct cc_span){line.at, next});
			line.at = next;
		}
		free(d.at);
	}
}

void cc_attributes_rewrite(struct cc_text *t, struct cc_span text)
{
	struct attributes a = {.t = t, .l = cc_lines_of(text), .begin = text.at};
	struct cc_span line;
	while (cc_lines_next(&a.l, &line)) {
		if (cc_is_mark(line))
			cc_text_span(t, line);
		else
			code_copy(&a, line);
		if (a.l.rest.at > text.at && a.l.rest.at[-1] == '\n')
			cc_text_words(t, "\n");
	}
}
