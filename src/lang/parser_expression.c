/* SPDX-License-Identifier: Apache-2.0
 *
 * parser_expression.c - expressions, with C's precedence
 *
 *   or := and ("||" and)*          and := equality ("&&" equality)*
 *   equality := relation (("==" | "!=") relation)*
 *   relation := sum (("<" | "<=" | ">" | ">=") sum)*
 *   sum := product (("+" | "-") product)*
 *   product := unary (("*" | "/" | "%") unary)*
 *   unary := ("-" | "!") unary | "*" dereferenced | primary
 *   dereferenced := "*" dereferenced | primary
 *   primary := INT | NAME | NAME "[" or "]" | "new" | "alloc" | "(" or ")"
 *
 * Evaluation is from left to right; `&&` and `||` leave out their right side where C does.
 */
#include "lang/parser.h"

/* The operators between two operands, weakest first. */
static const struct binary {
	int token;
	unsigned level;
	enum code code;
} binaries[] = {
	{TOKEN_OR, 0, CODE_OR},
	{TOKEN_AND, 1, CODE_AND},
	{TOKEN_EQUAL, 2, CODE_EQUAL},
	{TOKEN_UNEQUAL, 2, CODE_UNEQUAL},
	{TOKEN_CHARACTER + '<', 3, CODE_LESS},
	{TOKEN_LESS_EQUAL, 3, CODE_LESS_EQUAL},
	{TOKEN_CHARACTER + '>', 3, CODE_GREATER},
	{TOKEN_GREATER_EQUAL, 3, CODE_GREATER_EQUAL},
	{TOKEN_CHARACTER + '+', 4, CODE_ADD},
	{TOKEN_CHARACTER + '-', 4, CODE_SUBTRACT},
	{TOKEN_CHARACTER + '*', 5, CODE_MULTIPLY},
	{TOKEN_CHARACTER + '/', 5, CODE_DIVIDE},
	{TOKEN_CHARACTER + '%', 5, CODE_REMAINDER},
};
enum { LEVELS = 6 };

static int parse_level(struct lang_parser *p, unsigned level);

int parse_expression(struct lang_parser *p)
{
	return parse_level(p, 0);
}

int parse_index(struct lang_parser *p, const struct lang_token *name, uint32_t *ret_array)
{
	const struct symbol *symbol = scope_symbol(p, name);
	if (symbol->local || symbol->kind != SYMBOL_ARRAY)
		return parser_fail(p, name->place, "'%.*s' is not an array",
				   (int)(name->len < 64 ? name->len : 64), name->text);
	*ret_array = symbol->index;
	int rc = parser_expect(p, '[');
	if (rc == 0)
		rc = parse_expression(p);
	return rc == 0 ? parser_expect(p, ']') : rc;
}

/* A name that is not followed by a bracket. */
static int parse_plain_name(struct lang_parser *p, const struct lang_token *name)
{
	const struct symbol *symbol = scope_symbol(p, name);
	int shown = (int)(name->len < 64 ? name->len : 64);
	if (symbol->local) {
		emit(p, CODE_LOCAL, symbol->local - 1, name->place);
		return 0;
	}
	switch (symbol->kind) {
	case SYMBOL_VARIABLE:
		emit(p, CODE_READ, p->program->array[symbol->index].slot, name->place);
		return 0;
	case SYMBOL_PROMISE:
		emit(p, CODE_PROMISE, symbol->index, name->place);
		return 0;
	case SYMBOL_ARRAY:
		return parser_fail(p, name->place, "'%.*s' is an array and needs an index", shown,
				   name->text);
	default:
		return parser_fail(p, name->place, "'%.*s' is not declared", shown, name->text);
	}
}

static int parse_name(struct lang_parser *p)
{
	struct lang_token name = p->token;
	uint32_t array;
	int rc = parser_advance(p);
	if (rc < 0)
		return rc;
	if (parser_is(p, '('))
		return parser_fail(p, name.place, "a call has no value");
	if (!parser_is(p, '['))
		return parse_plain_name(p, &name);
	rc = parse_index(p, &name, &array);
	if (rc == 0)
		emit(p, CODE_READ_AT, array, name.place);
	return rc;
}

static int parse_primary(struct lang_parser *p)
{
	struct snag_place place = p->token.place;
	int rc;
	switch (p->token.kind) {
	case TOKEN_INTEGER:
		emit_constant(p, p->token.integer, place);
		return parser_advance(p);
	case TOKEN_NEW:
		emit(p, CODE_NEW, 0, place);
		return parser_advance(p);
	case TOKEN_ALLOC:
		emit(p, CODE_ALLOC, 0, place);
		return parser_advance(p);
	case TOKEN_NAME:
		return parse_name(p);
	case TOKEN_CHARACTER + '(':
		rc = parser_advance(p);
		if (rc == 0)
			rc = parse_expression(p);
		return rc == 0 ? parser_expect(p, ')') : rc;
	default:
		return parser_expected(p, "an expression");
	}
}

/* Prefix operators are stacked, not recursed into, except that the limit is the same. */
static int parse_unary(struct lang_parser *p)
{
	struct snag_place place = p->token.place;
	enum code code;
	if (parser_is(p, '-'))
		code = CODE_NEGATE;
	else if (parser_is(p, '!'))
		code = CODE_NOT;
	else if (parser_is(p, '*'))
		code = CODE_READ_CELL;
	else
		return parse_primary(p);
	int rc = parser_nest(p);
	if (rc == 0)
		rc = parser_advance(p);
	if (rc == 0)
		rc = code == CODE_READ_CELL ? parse_dereferenced(p) : parse_unary(p);
	if (rc == 0)
		emit(p, code, 0, place);
	p->nesting--;
	return rc;
}

int parse_dereferenced(struct lang_parser *p)
{
	return parser_is(p, '*') ? parse_unary(p) : parse_primary(p);
}

static const struct binary *binary_at(const struct lang_parser *p, unsigned level)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++)
		if (binaries[i].level == level && binaries[i].token == p->token.kind)
			return &binaries[i];
	return NULL;
}

/* The right side of an operator, and what it does with both. */
static int parse_right(struct lang_parser *p, const struct binary *b, struct snag_place place)
{
	bool is_lazy = b->code == CODE_AND || b->code == CODE_OR;
	uint32_t jump = is_lazy ? emit(p, b->code, 0, place) : 0;
	int rc = parse_level(p, b->level + 1);
	if (rc < 0)
		return rc;
	emit(p, is_lazy ? CODE_TRUTH : b->code, 0, place);
	if (is_lazy)
		emit_target(p, jump);
	return 0;
}

static int parse_level(struct lang_parser *p, unsigned level)
{
	const struct binary *b;
	if (level == LEVELS)
		return parse_unary(p);
	int rc = level == 0 ? parser_nest(p) : 0;
	if (rc == 0)
		rc = parse_level(p, level + 1);
	while (rc == 0 && (b = binary_at(p, level))) {
		struct snag_place place = p->token.place;
		rc = parser_advance(p);
		if (rc == 0)
			rc = parse_right(p, b, place);
	}
	p->nesting -= level == 0;
	return rc;
}
