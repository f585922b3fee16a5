/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_nest.c - the loops behind a pragma
 */
#include "cc/openmp_nest.h"

#include <ctype.h>
#include <string.h>

enum { MOST_LOOPS = 100 };

static struct cc_span line_end(struct cc_span text)
{
	const char *newline = memchr(text.at, '\n', (size_t)(text.end - text.at));
	return (struct cc_span){newline ? newline + 1 : text.end, text.end};
}

struct cc_span cc_blanks_skip(struct cc_span text)
{
	while (text.at < text.end && (isspace((unsigned char)*text.at) || *text.at == '#'))
		if (*text.at == '#')
			text = line_end(text);
		else
			text.at++;
	return text;
}

static bool word_next(struct cc_span *text, const char *word)
{
	bool is_word;
	struct cc_span rest = cc_blanks_skip(*text);
	if (rest.at == rest.end)
		return false;
	const char *end = cc_token_end(rest, &is_word);
	if (!cc_span_is((struct cc_span){rest.at, end}, word))
		return false;
	text->at = end;
	return true;
}

/* Behind what is closed by the other one; *ret_is_ordered: such a pragma was met. */
static struct cc_span closed_skip(struct cc_span text, char opens, char closes,
				  bool *ret_is_ordered)
{
	unsigned depth = 1;
	while (text.at < text.end && depth) {
		bool is_word;
		struct cc_span word;
		if (*text.at == '#') {
			struct cc_span line = {text.at, line_end(text).at};
			*ret_is_ordered |= cc_is_openmp(line, &word) && cc_span_is(word, "ordered");
			text.at = line.end;
			continue;
		}
		depth += *text.at == opens;
		depth -= *text.at == closes;
		text.at = cc_token_end(text, &is_word);
	}
	return text;
}

/* What is in the parentheses of a loop, which may be the first of a block; steps behind it.  False: no
 * loop. */
static bool head_next(struct cc_span *text, struct cc_span *ret_head)
{
	bool ignored = false;
	struct cc_span rest = *text;
	while (word_next(&rest, "{"))
		;
	if (!word_next(&rest, "for") || !word_next(&rest, "("))
		return false;
	*text = closed_skip(rest, '(', ')', &ignored);
	*ret_head = (struct cc_span){rest.at, text->at};
	return true;
}

bool cc_nest_next(struct cc_span *text, struct cc_span *ret_variable)
{
	bool is_word;
	struct cc_span head;
	if (!head_next(text, &head))
		return false;
	struct cc_span name = cc_blanks_skip(head), behind = name;
	*ret_variable = (struct cc_span){name.at, name.at};
	behind.at = name.at < name.end ? cc_token_end(name, &is_word) : name.at;
	struct cc_span variable = {name.at, behind.at};
	if (word_next(&behind, "="))
		*ret_variable = variable;
	return true;
}

bool cc_nest_is_ordered(struct cc_span text)
{
	struct cc_span ignored;
	bool is_ordered = false;
	while (!word_next(&text, "{"))
		if (!head_next(&text, &ignored))
			return false;
	closed_skip(text, '{', '}', &is_ordered);
	return is_ordered;
}

/* A literal; 0: it is something else. */
static unsigned number_of(struct cc_span value)
{
	unsigned n = 0;
	for (value = cc_span_trim(value); value.at < value.end; value.at++) {
		if (!isdigit((unsigned char)*value.at) || n > MOST_LOOPS)
			return 0;
		n = 10 * n + (unsigned)(*value.at - '0');
	}
	return n;
}

/* How many loops follow each other with nothing between them. */
static unsigned nest_depth(struct cc_span text)
{
	struct cc_span head;
	unsigned n = 0;
	while (n < MOST_LOOPS && head_next(&text, &head))
		n++;
	return n;
}

struct cc_nest cc_nest_of(struct cc_span line, struct cc_span after)
{
	struct cc_span name, value;
	while (cc_clause_next(&line, &name, &value)) {
		if (!cc_span_is(name, "collapse"))
			continue;
		unsigned n = number_of(value);
		return (struct cc_nest){n ? n : nest_depth(after), n > 0};
	}
	return (struct cc_nest){1, true};
}

/* The variable of a loop, declared or not: the last word before it is set. */
static struct cc_span variable_of(struct cc_span head)
{
	struct cc_span last = {0};
	while (head.at < head.end && *head.at != '=' && *head.at != ';') {
		bool is_word;
		const char *end = cc_token_end(head, &is_word);
		if (is_word)
			last = (struct cc_span){head.at, end};
		head.at = end;
	}
	return last;
}

const char *cc_nest_odd(struct cc_span text, unsigned nloops)
{
	struct cc_span outer[MOST_LOOPS], head;
	bool is_odd = false;
	if (nloops > MOST_LOOPS)
		return NULL;
	for (unsigned i = 0; i < nloops; i++) {
		if (!head_next(&text, &head))
			return NULL;
		outer[i] = variable_of(head);
		for (unsigned k = 0; k < i; k++)
			is_odd |= outer[k].at && cc_word_find(head, outer[k]);
	}
	return is_odd ? text.at : NULL;
}

const char *cc_nest_body(struct cc_span text, unsigned nloops)
{
	struct cc_span head;
	for (; nloops > 0; nloops--)
		if (!head_next(&text, &head))
			return NULL;
	return text.at;
}

const char *cc_nest_block(struct cc_span text, unsigned nloops)
{
	text.at = cc_nest_body(text, nloops);
	return text.at && word_next(&text, "{") ? text.at : NULL;
}
