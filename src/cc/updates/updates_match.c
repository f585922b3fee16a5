/* SPDX-License-Identifier: Apache-2.0
 *
 * updates_match.c - whether a statement is an update that commutes
 *
 * A statement is a list of tokens, and operators are one or two of them.  A pattern compares
 * parts of the list.
 */
#include "cc/updates/updates_match.h"

#include "cc/text/scanner.h"

#include <ctype.h>
#include <string.h>

enum { MOST = 96 }; /* the tokens of a statement */

struct part { /* the tokens first, ..., end - 1 */
	size_t first, end;
};

struct statement {
	struct cc_token at[MOST];
	size_t n;
	bool is_cxx;
};

static bool is(const struct statement *s, size_t i, const char *token)
{
	return i < s->n && cc_span_is(s->at[i].is, token);
}

/* Returns whether two neighbouring tokens form this operator. */
static bool is_two(const struct statement *s, size_t i, const char *two)
{
	return i + 1 < s->n && s->at[i].is.end == s->at[i + 1].is.at && *s->at[i].is.at == two[0] &&
	       *s->at[i + 1].is.at == two[1];
}

static bool is_name(const struct statement *s, size_t i)
{
	return i < s->n && s->at[i].is_word && !isdigit((unsigned char)*s->at[i].is.at);
}

static struct cc_span span_of(const struct statement *s, struct part p)
{
	return (struct cc_span){s->at[p.first].is.at, s->at[p.end - 1].is.end};
}

static bool is_equal(const struct statement *s, struct part a, struct part b)
{
	if (a.end - a.first != b.end - b.first)
		return false;
	for (size_t i = a.first, k = b.first; i < a.end; i++, k++) {
		struct cc_span x = s->at[i].is, y = s->at[k].is;
		if (x.end - x.at != y.end - y.at || memcmp(x.at, y.at, (size_t)(x.end - x.at)) != 0)
			return false;
	}
	return true;
}

/* Returns the token after the bracket that closes this one. */
static size_t closed_end(const struct statement *s, size_t i, size_t end)
{
	int depth = 0;
	for (; i < end; i++) {
		depth += is(s, i, "(") || is(s, i, "[");
		depth -= is(s, i, ")") || is(s, i, "]");
		if (depth == 0)
			return i + 1;
	}
	return end;
}

/* Returns whether evaluating the expression twice has the same effect as once. */
static bool is_pure(const struct statement *s, struct part p, bool may_call)
{
	for (size_t i = p.first; i < p.end; i++) {
		char c = *s->at[i].is.at;
		bool is_compared = is_two(s, i, "==") || is_two(s, i, "!=") || is_two(s, i, "<=") ||
				   is_two(s, i, ">=");
		if (is_compared) {
			i++;
			continue;
		}
		if (c == '=' || c == '{' || c == '"' || c == '?' || is_two(s, i, "++") ||
		    is_two(s, i, "--"))
			return false;
		if (!may_call && i > p.first && c == '(' &&
		    (is_name(s, i - 1) || is(s, i - 1, ")") || is(s, i - 1, "]")))
			return false;
	}
	return p.end > p.first;
}

/* Returns the variable that begins here; an empty part if there is none. */
static struct part variable_at(const struct statement *s, size_t first, size_t end)
{
	const struct part none = {first, first};
	size_t i = first;
	if (is(s, i, "(") && is(s, i + 1, "*") && is_name(s, i + 2) && is(s, i + 3, ")"))
		return (struct part){first, i + 4};
	if (is(s, i, "*"))
		i++;
	if (i >= end || !is_name(s, i))
		return none;
	i++;
	while (i < end) {
		if (is(s, i, ".") && is_name(s, i + 1)) {
			i += 2;
		} else if (is_two(s, i, "->") && is_name(s, i + 2)) {
			i += 3;
		} else if (is(s, i, "[") && !s->is_cxx) {
			size_t behind = closed_end(s, i, end);
			if (!is_pure(s, (struct part){i + 1, behind - 1}, false))
				return none;
			i = behind;
		} else {
			break;
		}
	}
	return (struct part){first, i};
}

static enum cc_update_op op_of(char c)
{
	switch (c) {
	case '+':
	case '-':
		return CC_UPDATE_SUM;
	case '*':
		return CC_UPDATE_PRODUCT;
	case '&':
		return CC_UPDATE_AND;
	case '|':
		return CC_UPDATE_OR;
	case '^':
		return CC_UPDATE_XOR;
	default:
		return 0;
	}
}

/* Removes parentheses around the whole part. */
static struct part stripped(const struct statement *s, struct part p)
{
	while (p.end - p.first > 2 && is(s, p.first, "(") && closed_end(s, p.first, p.end) == p.end)
		p = (struct part){p.first + 1, p.end - 1};
	return p;
}

/* Returns whether the part can be an operand of a product or sum as it stands: no operator in it
 * binds less. */
static bool is_operand(const struct statement *s, struct part p, bool of_sum)
{
	for (size_t i = p.first; i < p.end; i++) {
		char c = *s->at[i].is.at;
		if (c == '(' || c == '[') {
			i = closed_end(s, i, p.end) - 1;
			continue;
		}
		if (is_two(s, i, "->")) {
			i++;
			continue;
		}
		bool is_product = c == '*' || c == '/' || c == '%';
		if (!s->at[i].is_word && c != '.' && c != '\'' && !(is_product && of_sum))
			return false;
	}
	return p.end > p.first;
}

/* x = x + e, x = e + x */
static bool match_operation(const struct statement *s, struct part x, struct part right,
			    struct cc_update *u)
{
	size_t n = x.end - x.first, length = right.end - right.first;
	if (length < n + 2)
		return false;
	struct part front = {right.first, right.first + n}, back = {right.end - n, right.end};
	bool is_front = is_equal(s, x, front);
	if (!is_front && !is_equal(s, x, back))
		return false;
	size_t sign = is_front ? front.end : back.first - 1;
	struct part e =
		is_front ? (struct part){sign + 1, right.end} : (struct part){right.first, sign};
	u->sign = *s->at[sign].is.at;
	u->op = op_of(u->sign);
	bool is_sum = u->op == CC_UPDATE_SUM;
	if (!u->op || (!is_front && u->sign == '-') || !is_operand(s, e, is_sum) ||
	    !is_pure(s, e, !s->is_cxx))
		return false;
	u->e = span_of(s, e);
	return true;
}

/* Matches e < x and the like; takes_x says which of the two the statement takes if the
 * comparison holds. */
static bool match_comparison(const struct statement *s, struct part p, struct part x, bool takes_x,
			     struct cc_update *u)
{
	size_t at = p.first;
	for (; at < p.end && !is(s, at, "<") && !is(s, at, ">"); at++)
		if (is(s, at, "(") || is(s, at, "["))
			at = closed_end(s, at, p.end) - 1;
		else if (is_two(s, at, "->"))
			at++;
	if (at >= p.end)
		return false;
	bool is_less = is(s, at, "<");
	size_t behind = at + 1 + (is_two(s, at, "<=") || is_two(s, at, ">="));
	struct part left = stripped(s, (struct part){p.first, at});
	struct part right = stripped(s, (struct part){behind, p.end});
	if (left.end <= left.first || right.end <= right.first)
		return false;
	u->is_x_first = is_equal(s, left, x);
	if (!u->is_x_first && !is_equal(s, right, x))
		return false;
	struct part e = u->is_x_first ? right : left;
	if (!is_pure(s, e, false) || !is_operand(s, e, true))
		return false;
	u->e = span_of(s, e);
	u->less = (struct cc_span){s->at[at].is.at, s->at[behind - 1].is.end};
	bool takes_left = takes_x == u->is_x_first;
	u->op = takes_left == is_less ? CC_UPDATE_LEAST : CC_UPDATE_GREATEST;
	return true;
}

static bool is_span(const struct statement *s, struct part p, struct cc_span e)
{
	struct cc_span is = span_of(s, p);
	return is.end - is.at == e.end - e.at && memcmp(is.at, e.at, (size_t)(e.end - e.at)) == 0;
}

/* x = e < x ? e : x */
static bool match_choice(const struct statement *s, struct part x, struct part right,
			 struct cc_update *u)
{
	size_t question = right.first, colon;
	while (question < right.end && !is(s, question, "?"))
		question = is(s, question, "(") ? closed_end(s, question, right.end) : question + 1;
	for (colon = question; colon < right.end && !is(s, colon, ":");)
		colon = is(s, colon, "(") ? closed_end(s, colon, right.end) : colon + 1;
	if (colon + 1 >= right.end || question + 1 >= colon || question == right.first)
		return false;
	struct part condition = stripped(s, (struct part){right.first, question});
	struct part yes = stripped(s, (struct part){question + 1, colon});
	struct part no = stripped(s, (struct part){colon + 1, right.end});
	bool takes_x = is_equal(s, yes, x);
	u->is_choice = true;
	u->sign = 0;
	return match_comparison(s, condition, x, takes_x, u) &&
	       (takes_x ? is_span(s, no, u->e) : is_span(s, yes, u->e) && is_equal(s, no, x));
}

/* Matches x = 3, a small constant. */
static bool match_set(const struct statement *s, struct part right, struct cc_update *u)
{
	if (right.end - right.first != 1)
		return false;
	struct cc_span value = s->at[right.first].is;
	bool is_true = cc_span_is(value, "true"), is_false = cc_span_is(value, "false");
	if (value.end - value.at == 1 && isdigit((unsigned char)*value.at))
		u->op = CC_UPDATE_SET + (*value.at - '0');
	else if (is_true || is_false)
		u->op = CC_UPDATE_SET + is_true;
	else
		return false;
	return true;
}

static bool match_assignment(const struct statement *s, struct part x, struct part right,
			     struct cc_update *u)
{
	right = stripped(s, right);
	if (right.end <= right.first)
		return false;
	return match_set(s, right, u) || match_operation(s, x, right, u) ||
	       match_choice(s, x, right, u);
}

/* if (e < x) x = e; */
static bool match_if(const struct statement *s, struct cc_update *u)
{
	size_t behind = closed_end(s, 1, s->n);
	bool has_brace = is(s, behind, "{");
	size_t first = behind + has_brace, last = s->n - 1 - has_brace;
	if (!is(s, 1, "(") || behind < 4 || behind >= s->n)
		return false;
	struct part x = variable_at(s, first, s->n);
	if (x.end == x.first || !is(s, x.end, "=") || is_two(s, x.end, "==") || last <= x.end + 1)
		return false;
	struct part e = stripped(s, (struct part){x.end + 1, last});
	struct part condition = stripped(s, (struct part){2, behind - 1});
	if (!match_comparison(s, condition, x, false, u) || !is_span(s, e, u->e))
		return false;
	u->x = span_of(s, x);
	return true;
}

static bool match_plain(const struct statement *s, struct cc_update *u)
{
	bool is_before = is_two(s, 0, "++") || is_two(s, 0, "--");
	struct part x = variable_at(s, is_before ? 2 : 0, s->n);
	size_t at = x.end, end = s->n - 1; /* the semicolon */
	if (x.end == x.first)
		return false;
	u->x = span_of(s, x);
	if (is_before || is_two(s, at, "++") || is_two(s, at, "--")) {
		u->op = CC_UPDATE_SUM;
		bool is_of_pointer = !is_before && is(s, 0, "*"); /* *p++ */
		return at + (is_before ? 0 : 2) == end && !is_of_pointer;
	}
	if (is(s, at, "=") && !is_two(s, at, "=="))
		return match_assignment(s, x, (struct part){at + 1, end}, u);
	struct part e = {at + 2, end};
	if (e.first >= end || !is_two(s, at, (char[]){*s->at[at].is.at, '='}))
		return false;
	u->sign = *s->at[at].is.at;
	u->op = op_of(u->sign);
	u->e = span_of(s, e);
	return u->op && is_pure(s, e, !s->is_cxx);
}

/* Reads up to the semicolon, or the brace of an if. Returns false if this is no such statement. */
static bool tokens_read(struct cc_span text, struct statement *s, struct cc_span *ret_rest)
{
	int depth = 0;
	bool has_brace = false;
	const char *begin = NULL;
	for (;;) {
		const char *before = text.at;
		struct cc_token t = cc_token_next(&text);
		if (s->n == MOST || t.is.at == t.is.end)
			return false;
		if (begin && memchr(before, '#', (size_t)(t.is.at - before)))
			return false; /* a mark or a pragma is inside */
		begin = begin ? begin : t.is.at;
		s->at[s->n++] = t;
		char c = *t.is.at;
		depth += (c == '(' || c == '[') - (c == ')' || c == ']');
		if (c == '{' && (has_brace || depth || !is(s, 0, "if")))
			return false;
		has_brace |= c == '{';
		if (c == '}' && !has_brace)
			return false;
		if (depth == 0 && (has_brace ? c == '}' : c == ';'))
			break;
	}
	*ret_rest = text;
	return true;
}

bool cc_update_match(struct cc_span text, bool is_cxx, struct cc_update *ret)
{
	struct statement s = {.is_cxx = is_cxx};
	struct cc_update u = {0};
	struct cc_span rest;
	if (!tokens_read(text, &s, &rest) || s.n < 3)
		return false;
	bool is_if = is(&s, 0, "if");
	if (is_if && cc_token_skip(&(struct cc_span){rest.at, rest.end}, "else"))
		return false;
	if (is_if ? !match_if(&s, &u) : !match_plain(&s, &u))
		return false;
	u.whole = (struct cc_span){s.at[0].is.at, s.at[s.n - 1].is.end};
	*ret = u;
	return true;
}
