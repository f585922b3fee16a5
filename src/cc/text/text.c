/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c - stretches of preprocessed text: lines, words, clauses of pragmas
 */
#include "cc/text/text.h"

#include "base/memory.h"
#include "cc/text/scanner.h"

#include <ctype.h>
#include <string.h>

void cc_text_add(struct cc_text *t, const char *from, size_t n)
{
	t->at = snag_grow(t->at, &t->room, t->n + n + 1, 1);
	if (n) /* otherwise `from` may be NULL */
		memcpy(t->at + t->n, from, n);
	t->n += n;
}

void cc_text_words(struct cc_text *t, const char *words)
{
	cc_text_add(t, words, strlen(words));
}

struct cc_span cc_span_trim(struct cc_span s)
{
	while (s.at < s.end && isspace((unsigned char)*s.at))
		s.at++;
	while (s.at < s.end && isspace((unsigned char)s.end[-1]))
		s.end--;
	return s;
}

bool cc_span_is(struct cc_span s, const char *word)
{
	return (size_t)(s.end - s.at) == strlen(word) &&
	       memcmp(s.at, word, (size_t)(s.end - s.at)) == 0;
}

bool cc_clause_next(struct cc_span *line, struct cc_span *ret_name, struct cc_span *ret_value)
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
	*ret_value = (struct cc_span){p, p};
	if (p < line->end && *p == '(') {
		ret_value->at = p + 1;
		p = cc_closed_end((struct cc_span){p, line->end}, '(', ')');
		ret_value->end = p > ret_value->at && p[-1] == ')' ? p - 1 : p;
	}
	line->at = p;
	return ret_name->at < ret_name->end || ret_value->at < ret_value->end;
}

struct cc_span cc_modifier_next(struct cc_span *value)
{
	bool is_word = false;
	struct cc_span word = cc_span_trim(*value), none = {0};
	if (word.at < word.end)
		word.end = cc_token_end(word, &is_word);
	const char *colon = cc_span_trim((struct cc_span){word.end, value->end}).at;
	if (!is_word || colon == value->end || *colon != ':' ||
	    (colon + 1 < value->end && colon[1] == ':'))
		return none;
	value->at = colon + 1;
	return word;
}

void cc_text_span(struct cc_text *t, struct cc_span s)
{
	cc_text_add(t, s.at, (size_t)(s.end - s.at));
}

bool cc_is_openmp(struct cc_span line, struct cc_span *ret_word)
{
	struct cc_span s = cc_span_trim(line), name, value;
	if (s.at == s.end || *s.at != '#')
		return false;
	s.at++;
	return cc_clause_next(&s, &name, &value) && cc_span_is(name, "pragma") &&
	       cc_clause_next(&s, &name, &value) && cc_span_is(name, "omp") &&
	       cc_clause_next(&s, ret_word, &value);
}
