/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran_statement.c - what a Fortran statement is: a loop, a block, the head of a procedure
 *
 * Fortran has no reserved words.  A statement is what it looks like, unless it assigns to a
 * variable of that name.
 */
#include "cc/fortran/fortran_source.h"

#include "cc/text/scanner.h"

#include <ctype.h>
#include <string.h>

static bool is_name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static struct cc_span blanks_skip(struct cc_span s)
{
	while (s.at < s.end && *s.at == ' ')
		s.at++;
	return s;
}

bool cc_fortran_word(struct cc_span *text, const char *word)
{
	struct cc_span s = *text;
	for (; *word; word++) {
		if (*word == ' ') {
			s = blanks_skip(s);
			continue;
		}
		if (s.at == s.end || *s.at != *word)
			return false;
		s.at++;
	}
	if (s.at < s.end && is_name_part(*s.at))
		return false;
	*text = blanks_skip(s);
	return true;
}

/* Skips the name of a construct, `name :`, if the text begins with one. */
static struct cc_span name_skip(struct cc_span text)
{
	struct cc_span s = text;
	while (s.at < s.end && is_name_part(*s.at))
		s.at++;
	s = blanks_skip(s);
	if (s.at == text.at || s.at == s.end || *s.at != ':' ||
	    (s.at + 1 < s.end && s.at[1] == ':'))
		return text;
	s.at++;
	return blanks_skip(s);
}

static struct cc_span name_of(struct cc_span s)
{
	const char *at = s.at;
	while (at < s.end && is_name_part(*at))
		at++;
	return (struct cc_span){s.at, at};
}

static unsigned number_skip(struct cc_span *s)
{
	unsigned n = 0;
	for (; s->at < s->end && isdigit((unsigned char)*s->at); s->at++)
		n = 10 * n + (unsigned)(*s->at - '0');
	*s = blanks_skip(*s);
	return n;
}

bool cc_fortran_is_do(const struct cc_fortran_statement *s, struct cc_fortran_do *ret_do)
{
	struct cc_span t = name_skip(cc_fortran_text(s));
	struct cc_fortran_do is = {0};
	if (s->kind != CC_FORTRAN_CODE || t.end - t.at < 2 || t.at[0] != 'd' || t.at[1] != 'o')
		return false;
	t.at += 2;
	bool is_joined = t.at < t.end && is_name_part(*t.at);
	if (is_joined && !isdigit((unsigned char)*t.at))
		return false;
	t = blanks_skip(t);
	is.label = number_skip(&t);
	if (t.at < t.end && *t.at == ',')
		t = blanks_skip((struct cc_span){t.at + 1, t.end});
	struct cc_span rest = t, name = name_of(t);
	if (cc_fortran_word(&rest, "while") || cc_fortran_word(&rest, "concurrent")) {
		*ret_do = is;
		return rest.at < rest.end && *rest.at == '(';
	}
	rest = blanks_skip((struct cc_span){name.end, t.end});
	if (name.at == name.end ? rest.at < rest.end : rest.at == rest.end || *rest.at != '=')
		return false;
	is.variable = name;
	*ret_do = is;
	return true;
}

static bool is_end_do(const struct cc_fortran_statement *s)
{
	struct cc_span t = cc_fortran_text(s);
	return s->kind == CC_FORTRAN_CODE && cc_fortran_word(&t, "end do") &&
	       (t.at == t.end || is_name_part(*t.at));
}

size_t cc_fortran_loop_end(const struct cc_fortran *f, size_t i)
{
	enum { MOST = 64 };
	unsigned open[MOST], depth = 0;
	for (; i < f->n; i++) {
		const struct cc_fortran_statement *s = &f->at[i];
		struct cc_fortran_do is;
		if (s->kind != CC_FORTRAN_CODE)
			continue;
		if (cc_fortran_is_do(s, &is)) {
			if (depth == MOST)
				return f->n;
			open[depth++] = is.label;
		} else if (is_end_do(s)) {
			depth--;
		} else {
			while (depth && s->label && open[depth - 1] == s->label)
				depth--;
		}
		if (depth == 0)
			return i;
	}
	return f->n;
}

/* Returns the text after the parentheses that it begins with; NULL: it begins with none. */
static const char *parentheses_end(struct cc_span t)
{
	return t.at < t.end && *t.at == '(' ? cc_closed_end(t, '(', ')') : NULL;
}

int cc_fortran_depth(const struct cc_fortran_statement *s)
{
	static const char *const ends[] = {"end if",	"end do",      "end select",
					   "end where", "end forall",  "end associate",
					   "end block", "end critical"};
	static const char *const begins[] = {"select case", "select type", "select rank",
					     "associate"};
	struct cc_fortran_do is;
	struct cc_span t = name_skip(cc_fortran_text(s)), rest;
	const char *end;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (rest = t, cc_fortran_word(&rest, ends[i]) &&
				      (rest.at == rest.end || is_name_part(*rest.at)))
			return -1;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (rest = t, cc_fortran_word(&rest, begins[i]) && parentheses_end(rest))
			return 1;
	rest = t;
	if (cc_fortran_word(&rest, "block") && rest.at == rest.end)
		return 1;
	if (cc_fortran_is_do(s, &is))
		return is.label == 0; /* the other loops end with their label */
	rest = t;
	if (cc_fortran_word(&rest, "if") && (end = parentheses_end(rest))) {
		rest = blanks_skip((struct cc_span){end, rest.end});
		return cc_fortran_word(&rest, "then") && rest.at == rest.end;
	}
	rest = t;
	if ((cc_fortran_word(&rest, "where") || cc_fortran_word(&rest, "forall")) &&
	    (end = parentheses_end(rest)))
		return cc_span_trim((struct cc_span){end, rest.end}).at == rest.end;
	return 0;
}

/* Skips a word that may stand before `function` or `subroutine`. */
static bool prefix_skip(struct cc_span *t)
{
	static const char *const words[] = {
		"integer", "real",	"complex",	    "logical",	    "type",
		"class",   "character", "double precision", "pure",	    "elemental",
		"impure",  "recursive", "module",	    "non_recursive"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!cc_fortran_word(t, words[i]))
			continue;
		if (t->at < t->end && *t->at == '*') {
			*t = blanks_skip((struct cc_span){t->at + 1, t->end});
			number_skip(t);
		}
		const char *end = parentheses_end(*t);
		if (end)
			*t = blanks_skip((struct cc_span){end, t->end});
		return true;
	}
	return false;
}

bool cc_fortran_is_head(const struct cc_fortran_statement *s)
{
	struct cc_span t = cc_fortran_text(s), rest;
	if (s->kind != CC_FORTRAN_CODE)
		return false;
	rest = t;
	if (cc_fortran_word(&rest, "module") && cc_fortran_word(&rest, "procedure"))
		return rest.at < rest.end && name_of(rest).end == rest.end;
	while (prefix_skip(&t))
		;
	if (cc_fortran_word(&t, "program"))
		return t.at < t.end && name_of(t).end == t.end;
	bool is_function = cc_fortran_word(&t, "function");
	if (!is_function && !cc_fortran_word(&t, "subroutine"))
		return false;
	struct cc_span name = name_of(t);
	t.at = name.end;
	t = blanks_skip(t);
	return name.at < name.end &&
	       (t.at < t.end ? *t.at == '(' || (!is_function && *t.at == 'b') : !is_function);
}
