/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_nest.c - the loops behind a pragma
 */
#include "cc/openmp/openmp_nest.h"

#include "cc/text/scanner.h"

#include <ctype.h>
#include <string.h>

enum { MOST_LOOPS = 100 };

/* Returns the text in the parentheses of a loop, which may be the first statement of a block,
 * and skips it. Returns false if there is no loop. */
static bool head_next(struct cc_span *text, struct cc_span *ret_head)
{
	struct cc_span rest = *text;
	while (cc_token_skip(&rest, "{"))
		;
	if (!cc_token_skip(&rest, "for") || !cc_token_skip(&rest, "("))
		return false;
	text->at = cc_closed_end((struct cc_span){rest.at - 1, rest.end}, '(', ')');
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
	if (cc_token_skip(&behind, "="))
		*ret_variable = variable;
	return true;
}

bool cc_nest_is_ordered(struct cc_span text)
{
	struct cc_span ignored, word;
	while (!cc_token_skip(&text, "{"))
		if (!head_next(&text, &ignored))
			return false;
	text.end = cc_closed_end((struct cc_span){text.at - 1, text.end}, '{', '}');
	while (text.at < text.end) {
		bool is_word;
		struct cc_span line = {text.at, cc_line_skip(text).at};
		bool is_mark = *text.at == '#';
		if (is_mark && cc_is_openmp(line, &word) && cc_span_is(word, "ordered"))
			return true;
		text.at = is_mark ? line.end : cc_token_end(text, &is_word);
	}
	return false;
}

/* Returns the value of a literal; 0: the text is something else. */
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

/* Returns how many loops follow each other with nothing between them. */
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

/* Returns the variable of a loop, declared or not: the last word before `=`. */
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
	return text.at && cc_token_skip(&text, "{") ? text.at : NULL;
}
