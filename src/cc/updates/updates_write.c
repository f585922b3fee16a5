/* SPDX-License-Identifier: Apache-2.0
 *
 * updates_write.c - writes the marks around updates (updates.h) into the text
 */
#include "cc/updates/updates_write.h"

#include "cc/text/scanner.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct cc_span cc_marking_rest(const struct cc_marking *m)
{
	return (struct cc_span){m->at, m->text.end};
}

void cc_marking_copy(struct cc_marking *m, const char *end)
{
	cc_text_span(&m->t, (struct cc_span){m->at, end});
	m->at = end;
}

static void words(struct cc_marking *m, const char *w)
{
	cc_text_words(&m->t, w);
}

/* Continues on a line of its own that counts as the line of `place`, at the same column. */
static void column_keep(struct cc_marking *m, const char *place)
{
	struct cc_span line;
	while (m->lines.rest.at <= place && cc_lines_next(&m->lines, &line))
		;
	words(m, "\n");
	cc_lines_mark(&m->lines, &m->t);
	const char *begin = place;
	while (begin > m->text.at && begin[-1] != '\n')
		begin--;
	for (; begin < place; begin++)
		words(m, *begin == '\t' ? "\t" : " ");
}

bool cc_marking_has_line(struct cc_marking *m, const char *place)
{
	struct cc_span line;
	while (m->lines.rest.at <= place && cc_lines_next(&m->lines, &line))
		;
	return m->lines.file.at != NULL;
}

/* Returns whether the name may belong to a bit-field, or to a variable in a register. */
static bool may_lack_address(const struct cc_marking *m, struct cc_span name) /* [bits] */
{
	struct cc_span text = m->text;
	const char *found;
	while ((found = cc_word_find(text, name))) {
		text.at = found + (name.end - name.at);
		struct cc_span next = text;
		if (!cc_token_skip(&next, ":") || cc_token_skip(&next, ":"))
			continue;
		struct cc_span width = cc_token_next(&next).is;
		if (width.at == width.end || !isdigit((unsigned char)*width.at))
			continue;
		if (cc_token_skip(&next, ";") || cc_token_skip(&next, ","))
			return true;
	}
	text = m->text;
	static const char word[] = "register";
	while ((found = cc_word_find(text, (struct cc_span){word, word + strlen(word)}))) {
		text.at = found + strlen(word);
		const char *end = memchr(text.at, ';', (size_t)(text.end - text.at));
		if (end && cc_word_find((struct cc_span){text.at, end}, name))
			return true;
	}
	return false;
}

bool cc_marking_has_address(const struct cc_marking *m, struct cc_span x)
{
	while (x.at < x.end) {
		struct cc_token t = cc_token_next(&x);
		if (t.is_word && !isdigit((unsigned char)*t.is.at) && may_lack_address(m, t.is))
			return false;
	}
	return true;
}

static void type_words(struct cc_marking *m, struct cc_span x, struct cc_span e, const char *fmt)
{
	for (; *fmt; fmt++)
		if (*fmt == '@')
			cc_text_span(&m->t, x);
		else if (*fmt == '$' && e.at < e.end)
			cc_text_span(&m->t, e);
		else if (*fmt == '$')
			words(m, "0");
		else
			cc_text_add(&m->t, fmt, 1);
}

/* Writes the kind of an update: 0 unless its operands are integers. The expression evaluates
 * nothing. */
static void kind_words(struct cc_marking *m, enum cc_update_op op, struct cc_span x,
		       struct cc_span e)
{
	char number[16];
	bool is_ordered = op == CC_UPDATE_LEAST || op == CC_UPDATE_GREATEST;
	bool is_modular = op == CC_UPDATE_SUM || op == CC_UPDATE_XOR; /* [bool] */
	type_words(m, x, e,
		   "(__builtin_classify_type(@) >= 1 && __builtin_classify_type(@) <= 4 && "
		   "__builtin_classify_type($) >= 1 && __builtin_classify_type($) <= 4");
	if (is_modular && m->is_cxx)
		type_words(m, x, e, " && __builtin_classify_type(@) != 4");
	else if (is_modular)
		type_words(m, x, e, " && (__typeof__(@))2 != (__typeof__(@))1");
	if (is_ordered)
		type_words(m, x, e, " && sizeof($) <= sizeof(@)");
	snprintf(number, sizeof(number), " ? %uu", (unsigned)op);
	words(m, number);
	type_words(m, x, e,
		   " + 32u * (unsigned)(sizeof(@) == 1 ? 0 : sizeof(@) == 2 ? 1 : "
		   "sizeof(@) == 4 ? 2 : sizeof(@) == 8 ? 3 : 4)");
	if (is_ordered)
		type_words(m, x, e,
			   " + 160u * (unsigned)((__typeof__(@))-1 > 0) + "
			   "320u * (unsigned)((__typeof__($))-1 > 0)");
	words(m, " : 0u)");
}

static bool is_one_word(struct cc_span s)
{
	bool is_word;
	return s.at < s.end && cc_token_end(s, &is_word) == s.end && is_word;
}

/* x is a name, and nothing needs to be evaluated first: the statement stays as it is. */
static bool is_verbatim(const struct cc_update *u)
{
	bool is_constant =
		u->e.at == u->e.end || (isdigit((unsigned char)*u->e.at) && is_one_word(u->e));
	return is_constant && is_one_word(u->x);
}

/* Writes the update with the new names of x and e. @ is x. */
static void update_words(struct cc_marking *m, const struct cc_update *u, struct cc_span x)
{
	const struct cc_span none = {x.end, x.end};
	char signs[] = {'@', ' ', u->sign, '=', ' ', 0};
	if (u->sign) {
		type_words(m, x, none, signs);
		words(m, "__snag_e;");
		return;
	}
	if (u->e.at == u->e.end) { /* x++ or x = 3 */
		cc_text_span(&m->t, (struct cc_span){u->whole.at, u->x.at});
		type_words(m, x, none, "(@)");
		cc_text_span(&m->t, (struct cc_span){u->x.end, u->whole.end});
		return;
	}
	bool takes_left = (*u->less.at == '<') == (u->op == CC_UPDATE_LEAST);
	bool takes_x = takes_left == u->is_x_first;
	type_words(m, x, none, u->is_choice ? "@ = (" : "if (");
	type_words(m, x, none, u->is_x_first ? "@ " : "__snag_e ");
	cc_text_span(&m->t, u->less);
	type_words(m, x, none, u->is_x_first ? " __snag_e)" : " @)");
	if (u->is_choice)
		type_words(m, x, none, takes_x ? " ? @ : __snag_e;" : " ? __snag_e : @;");
	else
		type_words(m, x, none, " @ = __snag_e;");
}

static void declarations(struct cc_marking *m, const struct cc_update *u)
{
	if (u->e.at < u->e.end)
		type_words(m, u->x, u->e,
			   m->is_cxx ? "const __typeof__($) &__snag_e = ($); "
				     : "__typeof__($) __snag_e = ($); ");
	if (!is_one_word(u->x))
		type_words(m, u->x, u->e, "__typeof__(&(@)) __snag_x = &(@); ");
}

void cc_update_mark(struct cc_marking *m, const struct cc_update *u)
{
	static const char pointed[] = "*__snag_x", value[] = "__snag_e";
	bool is_same = is_verbatim(u);
	struct cc_span x = u->x, e = u->e;
	if (!is_one_word(x))
		x = (struct cc_span){pointed, pointed + strlen(pointed)};
	if (e.at < e.end && !is_same)
		e = (struct cc_span){value, value + strlen(value)};
	words(m, "{ ");
	if (!is_same)
		declarations(m, u);
	words(m, "snag_update_begin_(");
	kind_words(m, u->op, x, e);
	words(m, ");");
	column_keep(m, u->whole.at);
	if (is_same)
		cc_text_span(&m->t, u->whole);
	else
		update_words(m, u, x);
	words(m, " snag_update_end_(); }");
	m->at = u->whole.end;
	column_keep(m, m->at);
	m->has_marked = true;
}

/* Returns whether `atomic` only updates. */
static bool is_update(struct cc_span line)
{
	struct cc_span name, value;
	while (cc_clause_next(&line, &name, &value))
		if (cc_span_is(name, "read") || cc_span_is(name, "write") ||
		    cc_span_is(name, "capture") || cc_span_is(name, "compare"))
			return false;
	return true;
}

void cc_atomic_pragma_mark(struct cc_marking *m, struct cc_span line)
{
	struct cc_update u;
	struct cc_span behind = {line.end, m->text.end};
	if (!is_update(line) || !cc_update_match(behind, m->is_cxx, &u) || u.op >= CC_UPDATE_SET ||
	    !cc_marking_has_line(m, line.at))
		return;
	words(m, "{ snag_atomic_update_(");
	kind_words(m, u.op, u.x, u.e);
	words(m, ");");
	column_keep(m, line.at);
	cc_marking_copy(m, u.whole.end);
	words(m, " snag_atomic_update_(0u); }");
	column_keep(m, m->at);
	m->has_marked = true;
}

/* Whether a statement that ends there is the value of `({ ... })`. */
static bool is_value(const struct cc_marking *m, struct cc_span rest)
{
	struct cc_span after = rest;
	int depth = 1;
	if (!cc_token_skip(&after, "}") || !cc_token_skip(&after, ")"))
		return false;
	const char *at = rest.at;
	while (at > m->text.at && depth > 0) {
		at--;
		depth += (*at == '}') - (*at == '{');
	}
	while (at > m->text.at && isspace((unsigned char)at[-1]))
		at--;
	return at > m->text.at && at[-1] == '(';
}

void cc_atomic_call_mark(struct cc_marking *m, struct cc_span name, enum cc_update_op op)
{
	struct cc_span text = {name.end, m->text.end};
	struct cc_span open = cc_token_next(&text).is;
	if (!cc_span_is(open, "(") || !cc_marking_has_line(m, name.at))
		return;
	text.at = cc_closed_end((struct cc_span){open.at, text.end}, '(', ')');
	if (!cc_token_skip(&text, ";") || is_value(m, text))
		return;
	char number[64];
	snprintf(number, sizeof(number), "{ snag_atomic_update_(%uu);", (unsigned)op);
	words(m, number);
	column_keep(m, name.at);
	cc_marking_copy(m, text.at);
	words(m, " snag_atomic_update_(0u); }");
	column_keep(m, m->at);
	m->has_marked = true;
}
