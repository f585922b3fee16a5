/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran_source.c - the statements and OpenMP directives of a Fortran source
 */
#include "cc/fortran/fortran_source.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The position of the reader. */
struct reader {
	struct cc_fortran *f;
	struct cc_span rest;
	unsigned long next;
	struct cc_span file;
};

static struct cc_span line_of(struct cc_span rest)
{
	const char *end = memchr(rest.at, '\n', (size_t)(rest.end - rest.at));
	return (struct cc_span){rest.at, end ? end : rest.end};
}

static struct cc_span blanks_skip(struct cc_span s)
{
	while (s.at < s.end && (*s.at == ' ' || *s.at == '\t' || *s.at == '\r'))
		s.at++;
	return s;
}

static bool is_like(struct cc_span s, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(s.end - s.at) >= n && strncasecmp(s.at, word, n) == 0;
}

/* Skips the sentinel of a directive; returns whether there is one. */
static bool sentinel_skip(const struct cc_fortran *f, struct cc_span *line)
{
	struct cc_span s = f->is_fixed ? *line : blanks_skip(*line);
	if (!is_like(s, "!$omp") && !(f->is_fixed && (is_like(s, "c$omp") || is_like(s, "*$omp"))))
		return false;
	s.at += 5;
	if (s.at < s.end && *s.at != ' ' && *s.at != '\t' && *s.at != '&' && *s.at != '\r' &&
	    !f->is_fixed)
		return false;
	*line = s;
	return true;
}

/* [condition] */
static bool is_conditional(const struct cc_fortran *f, struct cc_span line)
{
	struct cc_span s = f->is_fixed ? line : blanks_skip(line);
	bool is_mark = is_like(s, "!$") || (f->is_fixed && (is_like(s, "c$") || is_like(s, "*$")));
	return is_mark && s.end - s.at > 2 &&
	       (s.at[2] == ' ' || (f->is_fixed && isdigit((unsigned char)s.at[2])));
}

static bool is_comment(const struct cc_fortran *f, struct cc_span line)
{
	struct cc_span s = blanks_skip(line);
	if (s.at == s.end || *s.at == '!' || *line.at == '#')
		return true;
	return f->is_fixed && strchr("cC*dD", *line.at);
}

/* The part that a line plays in its statement. */
struct part {
	enum cc_fortran_kind kind;
	bool goes_on; /* [fixed] it continues the statement before it */
	struct cc_span is;
};

/* [fixed] Skips the first five columns; a tab stands for all of them. */
static struct part fixed_part(const struct cc_fortran *f, struct cc_span line, bool is_directive)
{
	struct part p = {is_directive ? CC_FORTRAN_OPENMP : CC_FORTRAN_CODE, false, line};
	const char *tab = memchr(line.at, '\t', (size_t)(line.end - line.at));
	if (tab && tab - line.at < 6 && !is_directive) {
		p.is.at = tab + 1;
		p.goes_on = p.is.at < line.end && *p.is.at >= '1' && *p.is.at <= '9';
		p.is.at += p.goes_on;
		return p;
	}
	if ((size_t)(line.end - line.at) > f->columns)
		p.is.end = line.at + f->columns;
	if (p.is.end - p.is.at > 5) {
		p.goes_on = line.at[5] != ' ' && line.at[5] != '0';
		p.is.at += 6;
	} else {
		p.is.at = p.is.end;
	}
	return p;
}

static struct part part_of(const struct cc_fortran *f, struct cc_span line)
{
	struct cc_span behind = line;
	bool is_directive = sentinel_skip(f, &behind);
	if (!is_directive && !is_conditional(f, line) && is_comment(f, line))
		return (struct part){.kind = CC_FORTRAN_OTHER, .is = line};
	if (f->is_fixed)
		return fixed_part(f, line, is_directive);
	if (is_directive)
		return (struct part){.kind = CC_FORTRAN_OPENMP, .is = behind};
	struct part p = {.kind = CC_FORTRAN_CODE, .is = blanks_skip(line)};
	if (is_conditional(f, line))
		p.is.at += 2;
	return p;
}

/* Adds a line to the text, without its comment and its &, and with literals unchanged. Returns
 * whether the next line continues the statement. */
static bool part_add(struct cc_text *t, struct cc_span s, bool is_fixed, char *quote)
{
	struct cc_span begin = blanks_skip(s);
	if (!is_fixed && t->n && begin.at < begin.end && *begin.at == '&')
		s.at = begin.at + 1;
	for (; s.at < s.end; s.at++) {
		char c = *s.at;
		if (*quote) {
			*quote = c == *quote ? 0 : *quote;
		} else if (c == '!') {
			s.end = s.at;
			break;
		} else if (c == '\'' || c == '"') {
			*quote = c;
		} else {
			c = c == '\t' || c == '\r' ? ' ' : (char)tolower((unsigned char)c);
		}
		cc_text_add(t, &c, 1);
	}
	while (t->n && t->at[t->n - 1] == ' ' && !*quote)
		t->n--;
	if (is_fixed || !t->n || t->at[t->n - 1] != '&')
		return false;
	t->n--;
	return true;
}

/* [mark] */
static void mark_read(struct reader *r, struct cc_span line)
{
	char *end;
	unsigned long number = strtoul(line.at + 1, &end, 10);
	struct cc_span name = blanks_skip((struct cc_span){end, line.end});
	if (end == line.at + 1 || name.at >= name.end || *name.at != '"')
		return;
	r->file = name;
	r->next = number;
}

static void line_take(struct reader *r, struct cc_span line)
{
	r->rest.at = line.end < r->rest.end ? line.end + 1 : line.end;
	r->next++;
}

static struct cc_fortran_statement *statement_new(struct reader *r, enum cc_fortran_kind kind)
{
	struct cc_fortran *f = r->f;
	f->at = snag_grow(f->at, &f->cap, f->n + 1, sizeof(*f->at));
	f->at[f->n] = (struct cc_fortran_statement){
		.kind = kind, .lines = {r->rest.at, r->rest.at}, .file = r->file};
	return &f->at[f->n++];
}

/* Reads the lines that continue a statement, with comments between them. */
static void rest_read(struct reader *r, struct cc_fortran_statement *s, bool goes_on)
{
	const bool is_fixed = r->f->is_fixed;
	struct reader ahead = *r;
	char quote = 0;
	while (ahead.rest.at < ahead.rest.end) {
		struct cc_span line = line_of(ahead.rest);
		struct part p = part_of(r->f, line);
		if (*line.at == '#' || (p.kind != CC_FORTRAN_OTHER && p.kind != s->kind))
			return;
		if (p.kind != CC_FORTRAN_OTHER && (is_fixed ? !p.goes_on : !goes_on))
			return;
		line_take(&ahead, line);
		if (p.kind == CC_FORTRAN_OTHER)
			continue;
		goes_on = part_add(&s->text, p.is, is_fixed, &quote);
		*r = ahead;
		if (!is_fixed && !goes_on)
			return;
	}
}

static void label_read(struct cc_fortran_statement *s, struct cc_span line, bool is_fixed)
{
	struct cc_span t = is_fixed ? line : cc_fortran_text(s);
	const char *end = is_fixed && line.end - line.at > 5 ? line.at + 5 : t.end;
	t = blanks_skip(t);
	for (; t.at < end && isdigit((unsigned char)*t.at); t.at++)
		s->label = 10 * s->label + (unsigned)(*t.at - '0');
	if (is_fixed || !s->label)
		return;
	t = blanks_skip(t);
	size_t gone = (size_t)(t.at - s->text.at);
	memmove(s->text.at, t.at, s->text.n - gone);
	s->text.n -= gone;
}

void cc_fortran_read(struct cc_fortran *f, struct cc_span source)
{
	struct reader r = {.f = f, .rest = source, .next = 1};
	while (r.rest.at < r.rest.end) {
		struct cc_span line = line_of(r.rest);
		struct part p = part_of(f, line);
		struct cc_fortran_statement *s = statement_new(&r, p.kind);
		char quote = 0;
		line_take(&r, line);
		if (line.at < line.end && *line.at == '#')
			mark_read(&r, line);
		if (p.kind != CC_FORTRAN_OTHER)
			rest_read(&r, s,
				  part_add(&s->text, blanks_skip(p.is), f->is_fixed, &quote));
		if (p.kind == CC_FORTRAN_CODE)
			label_read(s, line, f->is_fixed);
		s->lines.end = r.rest.at;
		s->next = r.next;
		s->file = r.file;
	}
}

void cc_fortran_done(struct cc_fortran *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->at[i].text.at);
	free(f->at);
}

struct cc_span cc_fortran_text(const struct cc_fortran_statement *s)
{
	static const char none[] = "";
	return s->text.n ? (struct cc_span){s->text.at, s->text.at + s->text.n}
			 : (struct cc_span){none, none};
}

size_t cc_fortran_next(const struct cc_fortran *f, size_t i)
{
	while (i < f->n && f->at[i].kind == CC_FORTRAN_OTHER)
		i++;
	return i;
}
