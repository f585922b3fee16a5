/* SPDX-License-Identifier: Apache-2.0
 *
 * parser_scope.c - the meaning of names
 *
 * Every name is a number (a symbol), by which its meaning is looked up.  A local shadows the
 * outer meaning of its name, which returns at the end of the block.
 */
#include "lang/parser.h"

#include "base/memory.h"

static uint32_t symbol_of(struct lang_parser *p, const struct lang_token *name)
{
	uint32_t id = snag_strtab_intern(&p->program->symbols, name->text, name->len);
	p->symbol = snag_grow(p->symbol, &p->symbol_cap, (size_t)id + 1, sizeof(*p->symbol));
	return id;
}

struct symbol *scope_symbol(struct lang_parser *p, const struct lang_token *name)
{
	uint32_t id = symbol_of(p, name); /* may move p->symbol */
	return &p->symbol[id];
}

int scope_declare(struct lang_parser *p, const struct lang_token *name, struct symbol **ret_symbol)
{
	struct symbol *symbol = scope_symbol(p, name);
	if (symbol->declared.line)
		return parser_fail(p, name->place, "'%.*s' is declared already, at %u:%u",
				   (int)(name->len < 64 ? name->len : 64), name->text,
				   symbol->declared.line, symbol->declared.column);
	symbol->declared = name->place;
	*ret_symbol = symbol;
	return 0;
}

int scope_declare_local(struct lang_parser *p, const struct lang_token *name)
{
	uint32_t id = symbol_of(p, name);
	struct symbol *symbol = &p->symbol[id];
	if (symbol->local > p->scope) {
		struct snag_place before = p->local[symbol->local - 1].place;
		return parser_fail(p, name->place, "'%.*s' has a value in this block, from %u:%u",
				   (int)(name->len < 64 ? name->len : 64), name->text, before.line,
				   before.column);
	}
	p->local = snag_grow(p->local, &p->local_cap, p->nlocals + 1, sizeof(*p->local));
	p->local[p->nlocals++] =
		(struct local){.symbol = id, .shadowed = symbol->local, .place = name->place};
	symbol->local = (uint32_t)p->nlocals;
	return 0;
}

size_t scope_open(struct lang_parser *p)
{
	size_t outer = p->scope;
	p->scope = p->nlocals;
	return outer;
}

void scope_close(struct lang_parser *p, size_t outer)
{
	while (p->nlocals > p->scope) {
		const struct local *local = &p->local[--p->nlocals];
		p->symbol[local->symbol].local = local->shadowed;
	}
	p->scope = outer;
}

uint32_t scope_procedure(struct lang_parser *p, const struct lang_token *name)
{
	struct snag_program *prog = p->program;
	uint32_t id = symbol_of(p, name);
	if (!p->symbol[id].procedure) {
		size_t n = ++prog->nprocedures;
		prog->procedure = snag_grow(prog->procedure, &prog->procedure_cap, n,
					    sizeof(*prog->procedure));
		p->notes = snag_grow(p->notes, &p->notes_cap, n, sizeof(*p->notes));
		p->notes[n - 1].symbol = id;
		p->symbol[id].procedure = (uint32_t)n;
	}
	return p->symbol[id].procedure - 1;
}
