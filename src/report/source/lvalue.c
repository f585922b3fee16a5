/* SPDX-License-Identifier: Apache-2.0
 *
 * lvalue.c - the expressions of a source line that name memory
 */
#include "report/source/lvalue.h"

#include "report/source/source_text.h"

#include <string.h>

static size_t blanks(struct line l, size_t i)
{
	while (isspace((unsigned char)at(l, i)))
		i++;
	return i;
}

/* Behind the bracket that closes the one at i; 0: it is in another line. */
static size_t bracket_end(struct line l, size_t i)
{
	for (unsigned depth = 0; i < l.n; i++) {
		depth += l.at[i] == '[';
		depth -= l.at[i] == ']';
		if (!depth)
			return i + 1;
	}
	return 0;
}

/* A * dereferences if no operand of a multiplication comes before it. */
static bool is_pointed_to(struct line l, size_t from, size_t *ret_star)
{
	size_t star = blanks_back(l, from);
	if (star == 0 || l.at[star - 1] != '*')
		return false;
	size_t before = blanks_back(l, star - 1);
	*ret_star = star - 1;
	return before == 0 || !(is_of_name(l.at[before - 1]) || strchr(")]*", l.at[before - 1]));
}

static bool is_assignment(struct line l, size_t i)
{
	i = blanks(l, i);
	return at(l, i) == '=' && at(l, i + 1) != '=';
}

struct found {
	struct snag_lvalue *at;
	size_t n, room;
};

static void found_add(struct found *f, struct line l, const struct snag_lvalue *v)
{
	if (f->n == f->room)
		return;
	f->at[f->n] = *v;
	f->at[f->n++].is_assigned = is_assignment(l, v->end);
}

static void step_add(struct snag_lvalue *v, enum snag_lvalue_kind kind, size_t name, size_t n,
		     size_t end)
{
	v->step[v->nsteps++] = (struct snag_lvalue_step){kind, name, n};
	v->end = end;
}

/* Adds the chain that goes on from v, and each beginning of it.  Returns where it ends. */
static size_t chain_add(struct found *f, struct line l, struct snag_lvalue v)
{
	for (;;) {
		size_t i = blanks(l, v.end), name;
		bool is_arrow = at(l, i) == '-' && at(l, i + 1) == '>';
		if (at(l, i) == '(') /* a function, or a method */
			return v.end;
		found_add(f, l, &v);
		if (v.nsteps + 1 >= SNAG_LVALUE_STEPS)
			return v.end;
		if (at(l, i) == '[') {
			size_t end = bracket_end(l, i);
			if (!end)
				return v.end;
			step_add(&v, SNAG_BY_INDEX, 0, 0, end);
		} else if (is_arrow || at(l, i) == '.') {
			name = blanks(l, i + 1 + is_arrow);
			size_t end = name_end(l, name);
			if (end == name)
				return v.end;
			step_add(&v, is_arrow ? SNAG_BY_ARROW : SNAG_BY_DOT, name, end - name, end);
		} else {
			return v.end;
		}
	}
}

/* The chains of the name in [from, end): as it is, as *name, and as (*name). */
static void name_add(struct found *f, struct line l, size_t from, size_t end)
{
	struct snag_lvalue v = {.start = from, .end = end, .base = from, .base_n = end - from};
	size_t star, close;
	chain_add(f, l, v);
	if (!is_pointed_to(l, from, &star))
		return;
	v.start = star;
	step_add(&v, SNAG_BY_STAR, 0, 0, end);
	size_t open = blanks_back(l, star);
	close = blanks(l, end);
	if (open > 0 && l.at[open - 1] == '(' && at(l, close) == ')') {
		v.start = open - 1;
		v.end = close + 1;
		chain_add(f, l, v);
	} else {
		found_add(f, l, &v);
	}
}

/* Behind a string, a character or a comment that begins at i; i: none does. */
static size_t text_end(struct line l, size_t i)
{
	char quote = at(l, i);
	if (quote == '/' && at(l, i + 1) == '/')
		return l.n;
	if (quote == '/' && at(l, i + 1) == '*') {
		for (i += 2; i < l.n && !(l.at[i] == '*' && at(l, i + 1) == '/'); i++)
			;
		return i + 2 < l.n ? i + 2 : l.n;
	}
	if (quote != '"' && quote != '\'')
		return i;
	for (i++; i < l.n && l.at[i] != quote; i++)
		i += l.at[i] == '\\';
	return i + 1 < l.n ? i + 1 : l.n;
}

size_t snag_lvalues_in(const char *line, size_t n, struct snag_lvalue *ret, size_t room)
{
	struct line l = {line, n};
	struct found f = {ret, 0, room};
	if (at(l, blanks(l, 0)) == '#')
		return 0;
	for (size_t i = 0; i < n;) {
		size_t end = text_end(l, i);
		if (end > i) {
			i = end;
			continue;
		}
		if (!is_of_name(line[i])) {
			i++;
			continue;
		}
		end = name_end(l, i);
		size_t before = blanks_back(l, i);
		bool is_member = (before > 0 && line[before - 1] == '.') ||
				 (before > 1 && line[before - 1] == '>' && line[before - 2] == '-');
		if (!isdigit((unsigned char)line[i]) && !is_member)
			name_add(&f, l, i, end);
		i = end;
	}
	return f.n;
}

bool snag_lvalue_is_at(const struct snag_lvalue *v, const char *line, size_t n, uint32_t column)
{
	struct line l = {line, n};
	if (column == 0)
		return false;
	size_t i = column - 1, from = blanks_back(l, v->start), to = blanks(l, v->end);
	if (i >= v->start && i < v->end)
		return true;
	if (i == to && strchr("=+-*/%&|^<>", at(l, i)) && at(l, i))
		return true; /* an assignment, ++ or -- behind it */
	return from >= 2 && (i + 1 == from || i + 2 == from) && /* ++ or -- before it */
	       (memcmp(line + from - 2, "++", 2) == 0 || memcmp(line + from - 2, "--", 2) == 0);
}
