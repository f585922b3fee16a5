/* SPDX-License-Identifier: Apache-2.0
 *
 * parser_code.c - instructions as they are emitted, with their places
 */
#include "lang/parser.h"

#include "base/memory.h"

#include <string.h>

static bool is_before(struct snag_place a, struct snag_place b)
{
	return a.line != b.line ? a.line < b.line : a.column < b.column;
}

void emit_first(struct lang_parser *p, enum snag_op op, struct snag_place place)
{
	struct snag_place *first = &p->program->first[op];
	if (first->line == 0 || is_before(place, *first))
		*first = place;
}

/* The event an instruction becomes, or SNAG_OPS. */
static enum snag_op op_of(enum code code)
{
	switch (code) {
	case CODE_READ:
	case CODE_READ_AT:
	case CODE_READ_CELL:
		return SNAG_OP_READ;
	case CODE_WRITE:
	case CODE_WRITE_AT:
	case CODE_WRITE_CELL:
		return SNAG_OP_WRITE;
	case CODE_ASYNC:
	case CODE_ASYNC_CALL:
		return SNAG_OP_TASK_CREATE;
	case CODE_SPAWN:
	case CODE_SPAWN_CALL:
		return SNAG_OP_TASK_SPAWN;
	case CODE_FINISH_BEGIN:
		return SNAG_OP_FINISH_BEGIN;
	case CODE_FINISH_END:
		return SNAG_OP_FINISH_END;
	case CODE_SYNC:
		return SNAG_OP_SYNC;
	case CODE_SET:
		return SNAG_OP_PROMISE_SET;
	case CODE_GET:
		return SNAG_OP_PROMISE_GET;
	case CODE_ISOLATED_BEGIN:
		return SNAG_OP_ISOLATED_BEGIN;
	case CODE_ISOLATED_END:
		return SNAG_OP_ISOLATED_END;
	case CODE_RETURN:
		return SNAG_OP_TASK_END;
	default:
		return SNAG_OPS;
	}
}

uint32_t emit(struct lang_parser *p, enum code code, uint32_t a, struct snag_place place)
{
	struct snag_program *prog = p->program;
	uint32_t pc = (uint32_t)prog->ninsns++;
	prog->insn = snag_grow(prog->insn, &prog->insn_cap, pc + 1, sizeof(*prog->insn));
	p->place = snag_grow(p->place, &p->place_cap, pc + 1, sizeof(*p->place));
	prog->insn[pc] = (struct insn){.code = (uint8_t)code, .a = a};
	p->place[pc] = place;
	if (op_of(code) != SNAG_OPS)
		emit_first(p, op_of(code), place);
	return pc;
}

void emit_constant(struct lang_parser *p, int64_t value, struct snag_place place)
{
	struct snag_program *prog = p->program;
	uint32_t k = (uint32_t)prog->nconstants++;
	prog->constant =
		snag_grow(prog->constant, &prog->constant_cap, k + 1, sizeof(*prog->constant));
	prog->constant[k] = value;
	emit(p, CODE_CONSTANT, k, place);
}

void emit_target(struct lang_parser *p, uint32_t pc)
{
	p->program->insn[pc].a = (uint32_t)p->program->ninsns;
}

static int compare_places(const void *a, const void *b)
{
	const struct snag_place *x = a, *y = b;
	return is_before(*x, *y) ? -1 : is_before(*y, *x);
}

void emit_locations(struct lang_parser *p)
{
	struct snag_program *prog = p->program;
	size_t n = prog->ninsns;
	prog->place = snag_calloc(n, sizeof(*prog->place));
	memcpy(prog->place, p->place, n * sizeof(*prog->place));
	qsort(prog->place, n, sizeof(*prog->place), compare_places);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || compare_places(&prog->place[i - 1], &prog->place[i]) != 0)
			prog->place[prog->nplaces++] = prog->place[i];
	prog->loc = snag_calloc(n, sizeof(*prog->loc));
	for (size_t i = 0; i < n; i++) {
		const struct snag_place *at = bsearch(&p->place[i], prog->place, prog->nplaces,
						      sizeof(*prog->place), compare_places);
		prog->loc[i] = (snag_loc)(at - prog->place);
	}
}
