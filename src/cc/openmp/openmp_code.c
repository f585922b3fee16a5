/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_code.c - what snag cc rewrites between the pragmas of OpenMP
 */
#include "cc/openmp/openmp_code.h"

#include "base/memory.h"
#include "cc/text/lines.h"
#include "cc/text/scanner.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_asking(struct cc_span word)
{
	static const char *const name[] = {"omp_get_thread_num", "omp_get_num_threads",
					   "omp_get_team_num", "omp_get_num_teams"};
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (cc_span_is(word, name[i]))
			return true;
	return false;
}

/* A literal ends with its line. */
void cc_calls_rename(struct cc_text *t, struct cc_span text)
{
	struct cc_span same = {text.at, text.at}, line;
	struct cc_lines l = cc_lines_of(text);
	while (cc_lines_next(&l, &line)) {
		while (line.at < line.end) {
			bool is_word;
			struct cc_span token = {line.at, cc_token_end(line, &is_word)};
			if (is_word && is_asking(token)) {
				cc_text_span(t, (struct cc_span){same.at, token.at});
				cc_text_words(t, "__snag_");
				same.at = token.at;
			}
			line.at = token.end;
		}
	}
	cc_text_span(t, (struct cc_span){same.at, text.end});
}

/* Returns the innermost block if the place is directly inside it; NULL: it is not. */
static struct sections_open *innermost(const struct cc_sections *s)
{
	struct sections_open *o = s->n ? &s->open[s->n - 1] : NULL;
	return o && s->depth == o->depth + 1 ? o : NULL;
}

/* Returns how many sections the block has that the text begins with; 0: it is no such block. */
static unsigned sections_count(struct cc_span text)
{
	unsigned depth = 0, pragmas = 0;
	bool has_first = false; /* a section without a pragma */
	struct cc_lines l = cc_lines_of(text);
	struct cc_span line;
	while (cc_lines_next(&l, &line)) {
		struct cc_span word = {0};
		bool is_mark = cc_is_mark(line), is_word;
		cc_is_openmp(line, &word);
		if (depth == 1 && word.at && cc_span_is(word, "section"))
			pragmas++;
		else if (depth == 1 && word.at && !pragmas)
			has_first = true;
		for (; !is_mark && line.at < line.end; line.at = cc_token_end(line, &is_word)) {
			char c = *line.at;
			if (depth == 0 && c != '{' && !isspace((unsigned char)c))
				return 0;
			if (depth == 1 && !pragmas && c != '}' && !isspace((unsigned char)c))
				has_first = true;
			depth += c == '{';
			if (c == '}' && --depth == 0)
				return pragmas + has_first;
		}
	}
	return 0;
}

bool cc_sections_begin(struct cc_sections *s, struct cc_span after)
{
	s->awaited = sections_count(after);
	return s->awaited > 0;
}

void cc_section_begin(struct cc_sections *s, struct cc_text *t)
{
	char words[64];
	struct sections_open *o = innermost(s);
	if (!o)
		return;
	if (o->has_statement) {
		snprintf(words, sizeof(words), " break; case %u:;", ++o->at);
		cc_text_words(t, words);
	}
	o->has_statement = true;
}

void cc_sections_pragma(struct cc_sections *s)
{
	struct sections_open *o = innermost(s);
	if (o)
		o->has_statement = true;
}

static void block_begin(struct cc_sections *s, struct cc_text *t)
{
	char words[512];
	unsigned k = ++s->number;
	/* The rewriter adds this code, so the user need not see warnings about it. */
	snprintf(words, sizeof(words),
		 "_Pragma(\"clang diagnostic push\") "
		 "_Pragma(\"clang diagnostic ignored \\\"-Weverything\\\"\") "
		 "for (int __snag_s%u = 0; __snag_s%u < %u; __snag_s%u++) switch (__snag_s%u) "
		 "{ case 0:; _Pragma(\"clang diagnostic pop\")",
		 k, k, s->awaited, k, k);
	cc_text_words(t, words);
	s->awaited = 0;
	s->open = snag_grow(s->open, &s->cap, s->n + 1, sizeof(*s->open));
	s->open[s->n++] = (struct sections_open){.depth = s->depth++};
}

void cc_code_copy(struct cc_sections *s, struct cc_text *t, struct cc_span line)
{
	bool is_mark = cc_is_mark(line), is_word;
	if (is_mark || (!s->awaited && !s->n)) {
		cc_text_span(t, line);
		return;
	}
	for (const char *next; line.at < line.end; line.at = next) {
		struct sections_open *o = innermost(s);
		char c = *line.at;
		next = cc_token_end(line, &is_word);
		if (c == '{' && s->awaited) {
			block_begin(s, t);
			continue;
		}
		s->depth += c == '{';
		s->depth -= c == '}';
		if (s->n && s->depth == s->open[s->n - 1].depth)
			s->n--;
		else if (o && !isspace((unsigned char)c))
			o->has_statement = true;
		cc_text_span(t, (struct cc_span){line.at, next});
	}
}

void cc_sections_done(struct cc_sections *s)
{
	free(s->open);
	*s = (struct cc_sections){0};
}
