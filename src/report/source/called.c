/* SPDX-License-Identifier: Apache-2.0
 *
 * called.c - the source name of the variable of an access
 */
#include "report/source/called.h"

#include "base/memory.h"
#include "report/source/source_line.h"
#include "report/source/source_text.h"

#include <stdlib.h>
#include <string.h>

static size_t name_begin(struct line l, size_t end)
{
	while (end > 0 && is_of_name(l.at[end - 1]))
		end--;
	return end;
}

static bool is_keyword(struct line l, size_t from, size_t end)
{
	static const char *const word[] = {"if",     "for",  "while",  "do",  "else",
					   "switch", "case", "return", "this"};
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (strlen(word[i]) == end - from && memcmp(l.at + from, word[i], end - from) == 0)
			return true;
	return false;
}

/* Returns the length of a name that may be the variable, or 0. */
static size_t name_length(struct line l, size_t from, size_t end)
{
	size_t next = end;
	while (isspace((unsigned char)at(l, next)))
		next++;
	if (from == end || isdigit((unsigned char)l.at[from]) || at(l, next) == '(' ||
	    is_keyword(l, from, end))
		return 0;
	return end - from;
}

/* Returns whether a * before a name dereferences a pointer: no operand of a multiplication comes
 * before it. */
static bool is_pointed_to(struct line l, size_t from)
{
	if (from == 0 || l.at[from - 1] != '*')
		return false;
	size_t before = blanks_back(l, from - 1);
	return before == 0 || !(is_of_name(l.at[before - 1]) || strchr(")]", l.at[before - 1]));
}

static size_t subscripts_back(struct line l, size_t end)
{
	unsigned depth = 0;
	while (end > 0 && (depth || l.at[end - 1] == ']')) {
		end--;
		depth += l.at[end] == ']';
		depth -= l.at[end] == '[';
		if (!depth)
			end = blanks_back(l, end);
	}
	return end;
}

/* [operator] Finds the name of the assigned variable, whose expression ends there. */
static size_t name_before(struct line l, size_t end, size_t *ret_at)
{
	for (;;) {
		end = subscripts_back(l, blanks_back(l, end));
		size_t from = name_begin(l, end);
		if (from > 1 && l.at[from - 1] == '>' && l.at[from - 2] == '-')
			return 0; /* [not] */
		if (from > 0 && l.at[from - 1] == '.') {
			end = from - 1;
			continue;
		}
		*ret_at = from;
		return is_pointed_to(l, from) ? 0 : name_length(l, from, end);
	}
}

static bool is_step(struct line l, size_t i)
{
	return (at(l, i) == '+' || at(l, i) == '-') && at(l, i + 1) == at(l, i);
}

static bool is_assignment(struct line l, size_t i)
{
	size_t n = at(l, i) == '<' || at(l, i) == '>' ? 2 : at(l, i) == '=' ? 0 : 1;
	if (n && (!at(l, i) || !strchr("+-*/%&|^<>", at(l, i))))
		return false;
	if (n == 2 && at(l, i + 1) != at(l, i))
		return false;
	return at(l, i + n) == '=' && at(l, i + n + 1) != '=';
}

size_t snag_called_in(const char *text, size_t n, uint32_t column, size_t *ret_at)
{
	struct line l = {text, n};
	size_t i = column - 1, first = 0;
	while (isspace((unsigned char)at(l, first)))
		first++;
	if (column == 0 || i >= n || at(l, first) == '#')
		return 0;
	if (is_of_name(l.at[i])) { /* [name] */
		*ret_at = name_begin(l, i);
		if (*ret_at > 0 && (l.at[*ret_at - 1] == '.' || l.at[*ret_at - 1] == '>'))
			return name_before(l, name_end(l, i), ret_at);
		return name_length(l, *ret_at, name_end(l, i));
	}
	if (is_step(l, i) && is_of_name(at(l, i + 2))) {
		*ret_at = i + 2;
		return name_length(l, i + 2, name_end(l, i + 2));
	}
	return is_step(l, i) || is_assignment(l, i) ? name_before(l, i, ret_at) : 0;
}

static bool parts_follow(struct line l, size_t end)
{
	while (isspace((unsigned char)at(l, end)))
		end++;
	return at(l, end) == '[' || at(l, end) == '.';
}

/* [fortran] */
static bool is_fortran(const char *file)
{
	const char *dot = file ? strrchr(file, '.') : NULL;
	return dot && (dot[1] == 'f' || dot[1] == 'F') && !strpbrk(dot, "/+");
}

char *snag_called_at(const struct snag_frame *frame, bool has_parts)
{
	bool has_column = frame->column && !is_fortran(frame->file);
	char *name = NULL, *line = has_column ? snag_source_line(frame->file, frame->line) : NULL;
	size_t from = 0, length, n = line ? strlen(line) : 0;
	length = n > 0 ? snag_called_in(line, n, frame->column, &from) : 0;
	if (length && has_parts && !parts_follow((struct line){line, n}, from + length))
		length = 0;
	if (length) {
		name = snag_alloc(length + 1);
		memcpy(name, line + from, length);
		name[length] = 0;
	}
	free(line);
	return name;
}
