/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_simd.c - simd loops, whose iterations are to be seen as well
 */
#include "cli/openmp_simd.h"

#include <ctype.h>
#include <string.h>

#define SIMD_CHUNK "0x50000000"
#define CHUNK_MASK "0x0fffffff"
#define SIMD_THREADS "0x51D0001"

/* ---- the loop ---- */

static struct span line_end(struct span text)
{
	const char *newline = memchr(text.at, '\n', (size_t)(text.end - text.at));
	return (struct span){newline ? newline + 1 : text.end, text.end};
}

/* Behind blanks, marks of lines and pragmas. */
static struct span blanks_skip(struct span text)
{
	while (text.at < text.end && (isspace((unsigned char)*text.at) || *text.at == '#'))
		if (*text.at == '#')
			text = line_end(text);
		else
			text.at++;
	return text;
}

static bool word_next(struct span *text, const char *word)
{
	bool is_word;
	struct span rest = blanks_skip(*text);
	if (rest.at == rest.end)
		return false;
	const char *end = cli_token_end(rest, &is_word);
	if (!cli_span_is((struct span){rest.at, end}, word))
		return false;
	text->at = end;
	return true;
}

/* Behind what is closed by the other one; *ret_is_ordered: such a pragma was met. */
static struct span closed_skip(struct span text, char opens, char closes, bool *ret_is_ordered)
{
	unsigned depth = 1;
	while (text.at < text.end && depth) {
		bool is_word;
		struct span word;
		if (*text.at == '#') {
			struct span line = {text.at, line_end(text).at};
			*ret_is_ordered |=
				cli_is_openmp(line, &word) && cli_span_is(word, "ordered");
			text.at = line.end;
			continue;
		}
		depth += *text.at == opens;
		depth -= *text.at == closes;
		text.at = cli_token_end(text, &is_word);
	}
	return text;
}

/* The variable that the head of a loop assigns to; empty: it declares one.  False: no loop. */
static bool head_next(struct span *text, struct span *ret_variable)
{
	bool is_word, ignored = false;
	struct span rest = *text;
	if (!word_next(&rest, "for") || !word_next(&rest, "("))
		return false;
	struct span name = blanks_skip(rest);
	*ret_variable = (struct span){name.at, name.at};
	struct span behind = name;
	behind.at = name.at < name.end ? cli_token_end(name, &is_word) : name.at;
	struct span variable = {name.at, behind.at};
	if (word_next(&behind, "="))
		*ret_variable = variable;
	*text = closed_skip(rest, '(', ')', &ignored);
	return true;
}

static bool is_ordered_inside(struct span text)
{
	struct span ignored;
	bool is_ordered = false;
	while (head_next(&text, &ignored))
		;
	if (word_next(&text, "{"))
		closed_skip(text, '{', '}', &is_ordered);
	return is_ordered;
}

/* ---- the pragma ---- */

static bool is_named(struct span line, struct span variable)
{
	struct span name, value;
	while (cli_clause_next(&line, &name, &value))
		while (value.at < value.end) {
			bool is_word;
			const char *end = cli_token_end(value, &is_word);
			if (end - value.at == variable.end - variable.at &&
			    memcmp(value.at, variable.at, (size_t)(end - value.at)) == 0)
				return true;
			value.at = end;
		}
	return false;
}

/* A constant; 1: it is something else. */
static unsigned number_of(struct span value)
{
	enum { MOST = 100 };
	unsigned n = 0;
	for (value = cli_span_trim(value); value.at < value.end; value.at++) {
		if (!isdigit((unsigned char)*value.at) || n > MOST)
			return 1;
		n = 10 * n + (unsigned)(*value.at - '0');
	}
	return n;
}

/* [clauses] */
static bool is_dropped(struct span name)
{
	static const char *const word[] = {"safelen", "simdlen", "aligned", "nontemporal",
					   "if",      "order",	 "bind"};
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (cli_span_is(name, word[i]))
			return true;
	return false;
}

bool cli_simd_rewrite(struct text *t, struct span line, struct span after)
{
	enum { DIRECTIVE_WORDS = 3 };
	struct span name, value, safe = {0}, rest = line, variable;
	unsigned nloops = 1;
	if (is_ordered_inside(after)) /* [ordered] */
		return false;
	cli_text_words(t, "#pragma omp parallel for num_threads(" SIMD_THREADS ") ");
	for (int i = 0; cli_clause_next(&rest, &name, &value); i++) {
		if (cli_span_is(name, "safelen"))
			safe = value;
		if (cli_span_is(name, "collapse"))
			nloops = number_of(value);
		if (i < DIRECTIVE_WORDS || is_dropped(name))
			continue;
		cli_text_span(t, (struct span){name.at, rest.at});
		cli_text_words(t, " ");
	}
	cli_text_words(t, "schedule(monotonic : dynamic, " SIMD_CHUNK);
	if (safe.at < safe.end) { /* [safelen] */
		cli_text_words(t, " | ((");
		cli_text_span(t, safe);
		cli_text_words(t, ") & " CHUNK_MASK ")");
	}
	cli_text_words(t, ")");
	for (unsigned i = 0; i < nloops && head_next(&after, &variable); i++) /* [variable] */
		if (variable.at < variable.end && !is_named(line, variable)) {
			cli_text_words(t, " lastprivate(");
			cli_text_span(t, variable);
			cli_text_words(t, ")");
		}
	return true;
}
