/* SPDX-License-Identifier: Apache-2.0
 *
 * parser.c - declarations of the task language
 */
#include "lang/parser.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int parser_fail(struct lang_parser *p, struct snag_place place, const char *fmt, ...)
{
	char what[sizeof(p->err->msg)];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return snag_fail(p->err, SNAG_EINPUT, "%s:%u:%u: %s", p->lexer.name, place.line,
			 place.column, what);
}

int parser_expected(struct lang_parser *p, const char *what)
{
	const struct lang_token *t = &p->token;
	if (t->kind == TOKEN_END)
		return parser_fail(p, t->place, "expected %s, not the end of the text", what);
	return parser_fail(p, t->place, "expected %s, not '%.*s'", what,
			   (int)(t->len < 40 ? t->len : 40), t->text);
}

int parser_advance(struct lang_parser *p)
{
	return lexer_next(&p->lexer, &p->token, p->err);
}

bool parser_is(const struct lang_parser *p, char character)
{
	return p->token.kind == TOKEN_CHARACTER + character;
}

int parser_expect(struct lang_parser *p, char character)
{
	char what[4] = {'\'', character, '\'', 0};
	return parser_is(p, character) ? parser_advance(p) : parser_expected(p, what);
}

int parser_nest(struct lang_parser *p)
{
	if (p->nesting++ >= MAX_NESTING)
		return parser_fail(p, p->token.place, "more than %d levels of nesting",
				   MAX_NESTING);
	return 0;
}

int parser_expect_name(struct lang_parser *p, const char *what, struct lang_token *ret_name)
{
	if (p->token.kind != TOKEN_NAME)
		return parser_expected(p, what);
	*ret_name = p->token;
	return parser_advance(p);
}

static int declare_variable(struct lang_parser *p, const struct lang_token *name, uint32_t n,
			    int64_t initial)
{
	struct snag_program *prog = p->program;
	struct symbol *symbol;
	int rc = scope_declare(p, name, &symbol);
	if (rc < 0)
		return rc;
	uint32_t nslots = n ? n : 1;
	if (nslots > MAX_SLOTS - prog->nslots)
		return parser_fail(p, name->place, "more than %d shared variables and elements",
				   MAX_SLOTS);
	symbol->kind = n ? SYMBOL_ARRAY : SYMBOL_VARIABLE;
	symbol->index = (uint32_t)prog->narrays++;
	prog->array = snag_grow(prog->array, &prog->array_cap, prog->narrays, sizeof(*prog->array));
	prog->array[symbol->index] =
		(struct array){.name = snag_strtab_find(&prog->symbols, name->text, name->len),
			       .slot = prog->nslots,
			       .n = n,
			       .initial = initial};
	prog->nslots += nslots;
	return 0;
}

/* Behind `var NAME [`. */
static int parse_array(struct lang_parser *p, const struct lang_token *name)
{
	struct lang_token size = p->token;
	if (size.kind != TOKEN_INTEGER)
		return parser_expected(p, "the number of elements");
	if (size.integer < 1 || size.integer > MAX_SLOTS)
		return parser_fail(p, size.place, "an array has 1 to %d elements", MAX_SLOTS);
	int rc = parser_advance(p);
	if (rc == 0)
		rc = parser_expect(p, ']');
	return rc == 0 ? declare_variable(p, name, (uint32_t)size.integer, 0) : rc;
}

static int parse_variable(struct lang_parser *p, const struct lang_token *name)
{
	int64_t initial = 0;
	int rc = 0;
	if (parser_is(p, '=')) {
		rc = parser_advance(p);
		if (rc == 0 && p->token.kind != TOKEN_INTEGER)
			rc = parser_expected(p, "an integer");
		initial = p->token.integer;
		if (rc == 0)
			rc = parser_advance(p);
	}
	return rc == 0 ? declare_variable(p, name, 0, initial) : rc;
}

/* `var` ... `;` */
static int parse_variables(struct lang_parser *p)
{
	struct lang_token name;
	do {
		int rc = parser_advance(p);
		if (rc == 0)
			rc = parser_expect_name(p, "a name", &name);
		if (rc == 0 && parser_is(p, '[')) {
			rc = parser_advance(p);
			if (rc == 0)
				rc = parse_array(p, &name);
		} else if (rc == 0) {
			rc = parse_variable(p, &name);
		}
		if (rc < 0)
			return rc;
	} while (parser_is(p, ','));
	return parser_expect(p, ';');
}

static int parse_promises(struct lang_parser *p)
{
	struct snag_program *prog = p->program;
	struct lang_token name;
	struct symbol *symbol;
	do {
		int rc = parser_advance(p);
		if (rc == 0)
			rc = parser_expect_name(p, "a name", &name);
		if (rc == 0)
			rc = scope_declare(p, &name, &symbol);
		if (rc < 0)
			return rc;
		symbol->kind = SYMBOL_PROMISE;
		symbol->index = (uint32_t)prog->npromises++;
		prog->promise = snag_grow(prog->promise, &prog->promise_cap, prog->npromises,
					  sizeof(*prog->promise));
		prog->promise[symbol->index] =
			snag_strtab_find(&prog->symbols, name.text, name.len);
	} while (parser_is(p, ','));
	return parser_expect(p, ';');
}

int parser_arguments(struct lang_parser *p, int (*parse)(struct lang_parser *p), uint32_t *ret_n)
{
	uint32_t n = 0;
	int rc = parser_expect(p, '(');
	while (rc == 0 && !parser_is(p, ')')) {
		if (n == MAX_ARGUMENTS)
			return parser_fail(p, p->token.place, "more than %d arguments",
					   MAX_ARGUMENTS);
		rc = n > 0 ? parser_expect(p, ',') : 0;
		if (rc == 0)
			rc = parse(p);
		n++;
	}
	*ret_n = n;
	return rc == 0 ? parser_expect(p, ')') : rc;
}

/* A local that a procedure begins with. */
static int parse_parameter(struct lang_parser *p)
{
	struct lang_token name;
	int rc = parser_expect_name(p, "a name", &name);
	return rc == 0 ? scope_declare_local(p, &name) : rc;
}

static int parse_procedure(struct lang_parser *p)
{
	struct lang_token name;
	struct symbol *symbol;
	struct body body;
	uint32_t nargs = 0;
	int rc = parser_advance(p);
	if (rc == 0)
		rc = parser_expect_name(p, "the name of a procedure", &name);
	if (rc == 0)
		rc = scope_declare(p, &name, &symbol);
	if (rc < 0)
		return rc;
	p->procedure = scope_procedure(p, &name);
	p->notes[p->procedure].declared = name.place;
	size_t outer = scope_open(p);
	rc = parser_arguments(p, parse_parameter, &nargs);
	uint32_t entry = (uint32_t)p->program->ninsns;
	if (rc == 0)
		rc = parse_body(p, &body);
	scope_close(p, outer);
	if (rc < 0)
		return rc;
	p->program->procedure[p->procedure] = (struct procedure){
		.entry = entry, .nargs = nargs, .has_frame = body.has_spawn || body.has_sync};
	return 0;
}

static int parse_main(struct lang_parser *p)
{
	struct body body;
	if (p->token.kind != TOKEN_MAIN)
		return parser_expected(p, p->notes_cap ? "'proc' or 'main'"
						       : "a declaration, 'proc' or 'main'");
	int rc = parser_advance(p);
	p->procedure = IN_MAIN;
	p->program->main = (uint32_t)p->program->ninsns;
	if (rc == 0)
		rc = parse_body(p, &body);
	if (rc == 0 && p->token.kind != TOKEN_END)
		rc = parser_expected(p, "nothing behind main");
	return rc;
}

int parse_program(struct lang_parser *p)
{
	int rc = parser_advance(p);
	while (rc == 0 && (p->token.kind == TOKEN_VAR || p->token.kind == TOKEN_PROMISE))
		rc = p->token.kind == TOKEN_VAR ? parse_variables(p) : parse_promises(p);
	while (rc == 0 && p->token.kind == TOKEN_PROC)
		rc = parse_procedure(p);
	if (rc == 0)
		rc = parse_main(p);
	if (rc == 0)
		rc = check_calls(p);
	if (rc == 0)
		emit_locations(p);
	return rc;
}
