/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.c - the lines of preprocessed text, and which lines of sources they are
 */
#include "cc/text/lines.h"

#include "cc/text/scanner.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct cc_lines cc_lines_of(struct cc_span text)
{
	return (struct cc_lines){.rest = text, .before = {text.at, text.at}, .next = 1};
}

bool cc_is_mark(struct cc_span line)
{
	struct cc_span trimmed = cc_span_trim(line);
	return trimmed.at < trimmed.end && *trimmed.at == '#';
}

static const char *newline_of(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	return newline ? newline : end;
}

/* A literal ends with its line, unless it is raw. */
static const char *line_end(struct cc_span text)
{
	const char *end = newline_of(text.at, text.end);
	if (!memmem(text.at, (size_t)(end - text.at), "R\"", 2))
		return end;
	while (text.at < end) {
		bool is_word;
		const char *raw = cc_raw_end(text);
		if (raw > end)
			end = newline_of(raw, text.end);
		text.at = raw ? raw : cc_token_end((struct cc_span){text.at, end}, &is_word);
	}
	return end;
}

/* Reads a mark, which describes the next line. */
static void mark_read(struct cc_lines *l, struct cc_span line)
{
	unsigned long number = 0;
	const char *at = cc_span_trim(line).at + 1;
	while (at < line.end && *at == ' ')
		at++;
	for (; at < line.end && isdigit((unsigned char)*at); at++)
		number = 10 * number + (unsigned long)(*at - '0');
	while (at < line.end && *at == ' ')
		at++;
	if (at == line.end || *at != '"')
		return;
	l->file = (struct cc_span){at, line.end};
	l->next = number;
}

bool cc_lines_next(struct cc_lines *l, struct cc_span *ret_line)
{
	if (l->rest.at == l->rest.end)
		return false;
	struct cc_span line = {l->rest.at, line_end(l->rest)};
	l->before.end = line.at;
	l->number = l->next++;
	for (const char *at = line.at; (at = newline_of(at, line.end)) < line.end; at++)
		l->next++;
	l->rest.at = line.end < l->rest.end ? line.end + 1 : line.end;
	if (cc_is_mark(line))
		mark_read(l, line);
	*ret_line = line;
	return true;
}

/* The flags 1 and 2 say that a file begins or continues. */
void cc_lines_mark(const struct cc_lines *l, struct cc_text *t)
{
	char number[32];
	bool is_word;
	struct cc_span rest = l->file;
	if (rest.at == rest.end)
		return;
	snprintf(number, sizeof(number), "# %lu ", l->number);
	cc_text_words(t, number);
	rest.at = cc_token_end(rest, &is_word);
	cc_text_span(t, (struct cc_span){l->file.at, rest.at});
	for (; rest.at < rest.end; rest.at++)
		if (*rest.at == '3' || *rest.at == '4') {
			cc_text_words(t, " ");
			cc_text_add(t, rest.at, 1);
		}
	cc_text_words(t, "\n");
}
