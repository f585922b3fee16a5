/* SPDX-License-Identifier: Apache-2.0
 *
 * scanner.c - the scanner of preprocessed C and C++: tokens, and what they enclose
 */
#include "cc/text/scanner.h"

#include <ctype.h>
#include <string.h>

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

const char *cc_raw_end(struct cc_span s)
{
	enum { MOST = 16 };
	static const char *const prefix[] = {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""};
	if (s.at == s.end || !strchr("RLuU", *s.at))
		return NULL;
	for (size_t i = 0; i < sizeof(prefix) / sizeof(prefix[0]); i++) {
		size_t n = strlen(prefix[i]);
		if ((size_t)(s.end - s.at) <= n || memcmp(s.at, prefix[i], n) != 0)
			continue;
		const char *mark = s.at + n;
		const char *open = memchr(mark, '(', (size_t)(s.end - mark));
		if (!open || open - mark > MOST)
			return NULL;
		char close[MOST + 2] = ")";
		n = (size_t)(open - mark);
		memcpy(close + 1, mark, n);
		close[n + 1] = '"';
		const char *end = memmem(open, (size_t)(s.end - open), close, n + 2);
		return end ? end + n + 2 : NULL;
	}
	return NULL;
}

/* A number may hold quotes, and begins a word here. */
const char *cc_token_end(struct cc_span s, bool *ret_is_word)
{
	const char *p = s.at + 1, *raw = cc_raw_end(s);
	*ret_is_word = false;
	if (raw)
		return raw;
	bool is_number = isdigit((unsigned char)*s.at);
	*ret_is_word = is_of_word(*s.at);
	if (*ret_is_word)
		while (p < s.end && (is_of_word(*p) || (is_number && *p == '\'')))
			p++;
	if (*s.at != '"' && *s.at != '\'')
		return p;
	while (p < s.end && *p != *s.at)
		p += *p == '\\' && p + 1 < s.end ? 2 : 1;
	return p < s.end ? p + 1 : p;
}

struct cc_span cc_line_skip(struct cc_span text)
{
	const char *newline = memchr(text.at, '\n', (size_t)(text.end - text.at));
	return (struct cc_span){newline ? newline + 1 : text.end, text.end};
}

struct cc_span cc_blanks_skip(struct cc_span text)
{
	while (text.at < text.end && (isspace((unsigned char)*text.at) || *text.at == '#'))
		if (*text.at == '#')
			text = cc_line_skip(text);
		else
			text.at++;
	return text;
}

struct cc_token cc_token_next(struct cc_span *text)
{
	struct cc_token t = {0};
	*text = cc_blanks_skip(*text);
	t.is = (struct cc_span){text->at, text->at};
	if (text->at < text->end)
		t.is.end = text->at = cc_token_end(*text, &t.is_word);
	return t;
}

bool cc_token_skip(struct cc_span *text, const char *token)
{
	struct cc_span rest = *text;
	if (!cc_span_is(cc_token_next(&rest).is, token))
		return false;
	*text = rest;
	return true;
}

const char *cc_closed_end(struct cc_span s, char opens, char closes)
{
	int depth = 0;
	bool is_word;
	do {
		depth += (*s.at == opens) - (*s.at == closes);
		s.at = cc_token_end(s, &is_word);
	} while (s.at < s.end && depth > 0);
	return s.at;
}

const char *cc_word_find(struct cc_span text, struct cc_span word)
{
	const size_t n = (size_t)(word.end - word.at);
	bool is_word;
	for (const char *next; text.at < text.end; text.at = next) {
		next = cc_token_end(text, &is_word);
		if (is_word && (size_t)(next - text.at) == n && memcmp(text.at, word.at, n) == 0)
			return text.at;
	}
	return NULL;
}

const char *cc_colon_find(struct cc_span s)
{
	bool is_word;
	for (int depth = 0; s.at < s.end; s.at = cc_token_end(s, &is_word)) {
		depth += (*s.at == '(' || *s.at == '{') - (*s.at == ')' || *s.at == '}');
		if (*s.at == ':' && depth == 0)
			return s.at;
	}
	return NULL;
}
