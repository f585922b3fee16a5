/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_nest.c - the loops behind a pragma
 */
#include "cc/openmp_nest.h"

#include <ctype.h>
#include <string.h>

enum { MOST_LOOPS = 100 };

static struct span line_end(struct span text)
{
	const char *newline = memchr(text.at, '\n', (size_t)(text.end - text.at));
	return (struct span){newline ? newline + 1 : text.end, text.end};
}

struct span cli_blanks_skip(struct span text)
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
	struct span rest = cli_blanks_skip(*text);
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

/* What is in the parentheses of a loop, which may be the first of a block; steps behind it.  False: no
 * loop. */
static bool head_next(struct span *text, struct span *ret_head)
{
	bool ignored = false;
	struct span rest = *text;
	while (word_next(&rest, "{"))
		;
	if (!word_next(&rest, "for") || !word_next(&rest, "("))
		return false;
	*text = closed_skip(rest, '(', ')', &ignored);
	*ret_head = (struct span){rest.at, text->at};
	return true;
}

bool cli_nest_next(struct span *text, struct span *ret_variable)
{
	bool is_word;
	struct span head;
	if (!head_next(text, &head))
		return false;
	struct span name = cli_blanks_skip(head), behind = name;
	*ret_variable = (struct span){name.at, name.at};
	behind.at = name.at < name.end ? cli_token_end(name, &is_word) : name.at;
	struct span variable = {name.at, behind.at};
	if (word_next(&behind, "="))
		*ret_variable = variable;
	return true;
}

bool cli_nest_is_ordered(struct span text)
{
	struct span ignored;
	bool is_ordered = false;
	while (!word_next(&text, "{"))
		if (!head_next(&text, &ignored))
			return false;
	closed_skip(text, '{', '}', &is_ordered);
	return is_ordered;
}

/* A constant; 1: it is something else. */
static unsigned number_of(struct span value)
{
	unsigned n = 0;
	for (value = cli_span_trim(value); value.at < value.end; value.at++) {
		if (!isdigit((unsigned char)*value.at) || n > MOST_LOOPS)
			return 1;
		n = 10 * n + (unsigned)(*value.at - '0');
	}
	return n;
}

unsigned cli_nest_loops(struct span line)
{
	struct span name, value;
	while (cli_clause_next(&line, &name, &value))
		if (cli_span_is(name, "collapse"))
			return number_of(value);
	return 1;
}

/* The variable of a loop, declared or not: the last word before it is set. */
static struct span variable_of(struct span head)
{
	struct span last = {0};
	while (head.at < head.end && *head.at != '=' && *head.at != ';') {
		bool is_word;
		const char *end = cli_token_end(head, &is_word);
		if (is_word)
			last = (struct span){head.at, end};
		head.at = end;
	}
	return last;
}

const char *cli_nest_odd(struct span text, unsigned nloops)
{
	struct span outer[MOST_LOOPS], head;
	bool is_odd = false;
	if (nloops > MOST_LOOPS)
		return NULL;
	for (unsigned i = 0; i < nloops; i++) {
		if (!head_next(&text, &head))
			return NULL;
		outer[i] = variable_of(head);
		for (unsigned k = 0; k < i; k++)
			is_odd |= outer[k].at && cli_word_find(head, outer[k]);
	}
	return is_odd ? text.at : NULL;
}

const char *cli_nest_body(struct span text, unsigned nloops)
{
	struct span head;
	for (; nloops > 0; nloops--)
		if (!head_next(&text, &head))
			return NULL;
	return text.at;
}

const char *cli_nest_block(struct span text, unsigned nloops)
{
	text.at = cli_nest_body(text, nloops);
	return text.at && word_next(&text, "{") ? text.at : NULL;
}
