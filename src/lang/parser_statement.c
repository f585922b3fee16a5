/* SPDX-License-Identifier: Apache-2.0
 *
 * parser_statement.c - statements of the task language
 *
 * Idea.   Recursive descent over the grammar of docs/task-language.md, one token ahead,
 *         emitting instructions on the way.  Jumps forward are filled in when their target
 *         is reached; a `return` jumps to the end of its body, where the implicit sync
 *         is, once it has closed the blocks around it.
 */
#include "lang/parser.h"

#include "base/memory.h"

static int parse_block(struct lang_parser *p);

/* A statement that isolated excludes. */
static int note_forbidden(struct lang_parser *p, const char *word)
{
	if (p->is_isolated)
		return parser_fail(p, p->token.place, "an isolated block cannot contain '%s'",
				   word);
	if (p->procedure != IN_MAIN && p->notes[p->procedure].forbidden.line == 0) {
		p->notes[p->procedure].forbidden = p->token.place;
		p->notes[p->procedure].forbidden_word = word;
	}
	return 0;
}

int parse_body(struct lang_parser *p, struct body *body)
{
	struct body *outer = p->body;
	*body = (struct body){.returns = NO_PC};
	p->body = body;
	int rc = parse_block(p);
	p->body = outer;
	if (rc < 0)
		return rc;
	struct snag_place end = p->block_end;
	for (uint32_t pc = body->returns, next; pc != NO_PC; pc = next) {
		next = p->program->insn[pc].a;
		emit_target(p, pc);
	}
	if (body->has_spawn)
		emit(p, CODE_SYNC, 0, end);
	uint32_t pc = emit(p, CODE_RETURN, 0, end);
	p->program->insn[pc].b = body->has_spawn || body->has_sync;
	return 0;
}

/* A call behind its name, by the instruction given. */
static int parse_call(struct lang_parser *p, const struct lang_token *name, enum code code,
		      struct snag_place place)
{
	uint32_t nargs = 0, procedure = scope_procedure(p, name);
	if (code == CODE_CALL)
		emit(p, CODE_RECORD, 0, place);
	int rc = parser_arguments(p, parse_expression, &nargs); /* their values, on the stack */
	if (rc == 0)
		rc = parser_expect(p, ';');
	if (rc < 0)
		return rc;
	uint32_t pc = emit(p, code, procedure, place);
	p->program->insn[pc].b = (uint8_t)nargs;
	p->call = snag_grow(p->call, &p->call_cap, p->ncalls + 1, sizeof(*p->call));
	p->call[p->ncalls++] = (struct parser_call){.from = p->procedure,
						    .procedure = procedure,
						    .nargs = nargs,
						    .place = name->place,
						    .is_isolated = p->is_isolated > 0};
	return 0;
}

static int parse_task(struct lang_parser *p, bool is_spawn)
{
	struct snag_place place = p->token.place;
	struct lang_token name;
	struct body body;
	int rc = note_forbidden(p, is_spawn ? "spawn" : "async");
	if (rc == 0)
		rc = parser_advance(p);
	if (rc < 0)
		return rc;
	if (is_spawn)
		p->body->has_spawn = true;
	if (parser_is(p, '{')) {
		uint32_t pc = emit(p, is_spawn ? CODE_SPAWN : CODE_ASYNC, 0, place);
		rc = parse_body(p, &body);
		emit_target(p, pc);
		return rc;
	}
	rc = parser_expect_name(p, "'{' or a call", &name);
	return rc == 0 ? parse_call(p, &name, is_spawn ? CODE_SPAWN_CALL : CODE_ASYNC_CALL, place)
		       : rc;
}

/* finish and isolated: a block between two instructions. */
static int parse_enclosed(struct lang_parser *p, enum code begin, enum code end)
{
	struct enclosing here = {.outer = p->body->enclosing, .end = end};
	emit(p, begin, 0, p->token.place);
	int rc = parser_advance(p);
	if (rc < 0)
		return rc;
	p->body->enclosing = &here;
	p->is_isolated += end == CODE_ISOLATED_END;
	rc = parse_block(p);
	p->is_isolated -= end == CODE_ISOLATED_END;
	p->body->enclosing = here.outer;
	emit(p, end, 0, p->block_end);
	return rc;
}

static int parse_let(struct lang_parser *p)
{
	struct lang_token name;
	int rc = parser_advance(p);
	if (rc == 0)
		rc = parser_expect_name(p, "a name", &name);
	if (rc == 0)
		rc = parser_expect(p, '=');
	if (rc == 0)
		rc = parse_expression(p);
	if (rc == 0)
		rc = parser_expect(p, ';');
	return rc == 0 ? scope_declare_local(p, &name) : rc;
}

/* set and get. */
static int parse_promise(struct lang_parser *p, enum code code)
{
	struct snag_place place = p->token.place;
	int rc = note_forbidden(p, code == CODE_SET ? "set" : "get");
	if (rc == 0)
		rc = parser_advance(p);
	if (rc == 0)
		rc = parse_expression(p);
	if (rc == 0)
		rc = parser_expect(p, ';');
	emit(p, code, 0, place);
	return rc;
}

static int parse_condition(struct lang_parser *p, uint32_t *ret_jump)
{
	struct snag_place place;
	int rc = parser_advance(p);
	if (rc == 0)
		rc = parser_expect(p, '(');
	place = p->token.place;
	if (rc == 0)
		rc = parse_expression(p);
	if (rc == 0)
		rc = parser_expect(p, ')');
	*ret_jump = emit(p, CODE_JUMP_ZERO, 0, place);
	return rc;
}

static int parse_if(struct lang_parser *p)
{
	uint32_t over, begin = (uint32_t)p->program->ninsns;
	int rc = parse_condition(p, &over);
	if (rc == 0)
		rc = parse_block(p);
	if (rc == 0 && p->token.kind != TOKEN_ELSE)
		update_if(p, begin);
	if (rc == 0 && p->token.kind == TOKEN_ELSE) {
		uint32_t out = emit(p, CODE_JUMP, 0, p->token.place);
		emit_target(p, over);
		over = out;
		rc = parser_advance(p);
		if (rc == 0)
			rc = parse_block(p);
	}
	emit_target(p, over);
	return rc;
}

static int parse_while(struct lang_parser *p)
{
	struct snag_place place = p->token.place;
	uint32_t out, begin = (uint32_t)p->program->ninsns;
	int rc = parse_condition(p, &out);
	if (rc == 0)
		rc = parse_block(p);
	emit(p, CODE_JUMP, begin, place);
	emit_target(p, out);
	return rc;
}

static int parse_return(struct lang_parser *p)
{
	struct snag_place place = p->token.place;
	for (const struct enclosing *e = p->body->enclosing; e; e = e->outer)
		emit(p, e->end, 0, place);
	p->body->returns = emit(p, CODE_JUMP, p->body->returns, place);
	int rc = parser_advance(p);
	return rc == 0 ? parser_expect(p, ';') : rc;
}

/* "=" expr ";" behind the left side, by the instruction given. */
static int parse_store(struct lang_parser *p, enum code code, uint32_t a, struct snag_place place)
{
	uint32_t begin = (uint32_t)p->program->ninsns;
	int rc = parser_expect(p, '=');
	if (rc == 0)
		rc = parse_expression(p);
	if (rc == 0)
		rc = parser_expect(p, ';');
	emit(p, code, a, place);
	if (rc == 0 && code == CODE_WRITE)
		update_store(p, begin);
	return rc;
}

static int parse_plain_store(struct lang_parser *p, const struct lang_token *name)
{
	const struct symbol *symbol = scope_symbol(p, name);
	int shown = (int)(name->len < 64 ? name->len : 64);
	if (!parser_is(p, '='))
		return parser_expected(p, "'=', '[' or '('");
	if (symbol->local)
		return parser_fail(p, name->place, "'%.*s' is a local, which never changes", shown,
				   name->text);
	if (symbol->kind == SYMBOL_VARIABLE)
		return parse_store(p, CODE_WRITE, p->program->array[symbol->index].slot,
				   name->place);
	return parser_fail(p, name->place, "'%.*s' %s", shown, name->text,
			   symbol->kind == SYMBOL_ARRAY	    ? "is an array and needs an index"
			   : symbol->kind == SYMBOL_PROMISE ? "is a promise, which never changes"
							    : "is not declared");
}

/* A call or a store. */
static int parse_named(struct lang_parser *p)
{
	struct lang_token name = p->token;
	uint32_t array;
	int rc = parser_advance(p);
	if (rc < 0)
		return rc;
	if (parser_is(p, '('))
		return parse_call(p, &name, CODE_CALL, name.place);
	if (!parser_is(p, '['))
		return parse_plain_store(p, &name);
	rc = parse_index(p, &name, &array);
	return rc == 0 ? parse_store(p, CODE_WRITE_AT, array, name.place) : rc;
}

static int parse_cell_store(struct lang_parser *p)
{
	struct snag_place place = p->token.place;
	int rc = parser_advance(p);
	if (rc == 0)
		rc = parse_dereferenced(p);
	return rc == 0 ? parse_store(p, CODE_WRITE_CELL, 0, place) : rc;
}

static int parse_sync(struct lang_parser *p)
{
	int rc = note_forbidden(p, "sync");
	p->body->has_sync = true;
	emit(p, CODE_SYNC, 0, p->token.place);
	if (rc == 0)
		rc = parser_advance(p);
	return rc == 0 ? parser_expect(p, ';') : rc;
}

static int parse_finish(struct lang_parser *p)
{
	int rc = note_forbidden(p, "finish");
	return rc == 0 ? parse_enclosed(p, CODE_FINISH_BEGIN, CODE_FINISH_END) : rc;
}

/* beginFinish and endFinish */
static int parse_free_finish(struct lang_parser *p, enum code code, const char *word)
{
	int rc = note_forbidden(p, word);
	p->program->has_free_finish = true;
	uint32_t pc = emit(p, code, 0, p->token.place);
	p->program->insn[pc].b = 1;
	if (rc == 0)
		rc = parser_advance(p);
	return rc == 0 ? parser_expect(p, ';') : rc;
}

static int parse_skip(struct lang_parser *p)
{
	int rc = parser_advance(p);
	return rc == 0 ? parser_expect(p, ';') : rc;
}

static int parse_statement(struct lang_parser *p)
{
	switch (p->token.kind) {
	case TOKEN_ASYNC:
	case TOKEN_SPAWN:
		return parse_task(p, p->token.kind == TOKEN_SPAWN);
	case TOKEN_FINISH:
		return parse_finish(p);
	case TOKEN_BEGIN_FINISH:
		return parse_free_finish(p, CODE_FINISH_BEGIN, "beginFinish");
	case TOKEN_END_FINISH:
		return parse_free_finish(p, CODE_FINISH_END, "endFinish");
	case TOKEN_ISOLATED:
		return parse_enclosed(p, CODE_ISOLATED_BEGIN, CODE_ISOLATED_END);
	case TOKEN_SYNC:
		return parse_sync(p);
	case TOKEN_LET:
		return parse_let(p);
	case TOKEN_SET:
		return parse_promise(p, CODE_SET);
	case TOKEN_GET:
		return parse_promise(p, CODE_GET);
	case TOKEN_IF:
		return parse_if(p);
	case TOKEN_WHILE:
		return parse_while(p);
	case TOKEN_RETURN:
		return parse_return(p);
	case TOKEN_SKIP:
		return parse_skip(p);
	case TOKEN_NAME:
		return parse_named(p);
	case TOKEN_CHARACTER + '*':
		return parse_cell_store(p);
	default:
		return parser_expected(p, "a statement or '}'");
	}
}

static int parse_block(struct lang_parser *p)
{
	int rc = parser_nest(p);
	size_t outer = scope_open(p);
	if (rc == 0)
		rc = parser_expect(p, '{');
	while (rc == 0 && !parser_is(p, '}'))
		rc = parse_statement(p);
	p->block_end = p->token.place;
	if (p->nlocals > p->scope)
		emit(p, CODE_DROP, (uint32_t)(p->nlocals - p->scope), p->block_end);
	scope_close(p, outer);
	p->nesting--;
	return rc == 0 ? parser_advance(p) : rc;
}
