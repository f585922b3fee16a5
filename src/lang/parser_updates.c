/* SPDX-License-Identifier: Apache-2.0
 *
 * parser_updates.c - which statements are updates that commute (trace/event.h)
 *
 * Idea.   The instructions of a statement show what happens to the value that it reads.  In
 *         `x = x + e`, it goes into the value that is written and nowhere else.
 *
 * Rules.  e is a constant or a local, since another read would not be part of the update.
 *         [sum]       x = x + e, x = e + x, x = x - e
 *         [product]   x = x * e, x = e * x
 *         [least]     if (e < x) { x = e; }     and with the other operators
 *         [greatest]  if (e > x) { x = e; }     likewise
 *         [set]       x = e, e a constant: two that store the same value commute
 */
#include "lang/machine.h"
#include "lang/parser.h"

static const struct insn *insn_at(const struct lang_parser *p, uint32_t pc)
{
	return &p->program->insn[pc];
}

static bool is_simple(const struct insn *in)
{
	return in->code == CODE_CONSTANT || in->code == CODE_LOCAL;
}

static bool is_same(const struct lang_parser *p, const struct insn *a, const struct insn *b)
{
	if (a->code != b->code || !is_simple(a))
		return false;
	const int64_t *constant = p->program->constant;
	return a->code == CODE_LOCAL ? a->a == b->a : constant[a->a] == constant[b->a];
}

static bool reads(const struct insn *in, uint32_t slot)
{
	return in->code == CODE_READ && in->a == slot;
}

/* Returns the number of a constant that is stored, the same for equal constants; SNAG_UPDATE_NONE
 * if there are too many. */
static uint8_t set_kind(const struct lang_parser *p, uint32_t constant)
{
	const int64_t *value = p->program->constant;
	uint32_t first = 0;
	while (value[first] != value[constant])
		first++;
	return first < UINT8_MAX - SNAG_UPDATE_SETS ? (uint8_t)(SNAG_UPDATE_SETS + first)
						    : SNAG_UPDATE_NONE;
}

static uint8_t operation_kind(enum code code, bool reads_first)
{
	if (code == CODE_ADD || (code == CODE_SUBTRACT && reads_first))
		return SNAG_UPDATE_SUM;
	return code == CODE_MULTIPLY ? SNAG_UPDATE_PRODUCT : SNAG_UPDATE_NONE;
}

void update_store(struct lang_parser *p, uint32_t begin)
{
	const uint32_t write = (uint32_t)p->program->ninsns - 1, n = write - begin;
	struct insn *in = &p->program->insn[begin];
	const uint32_t slot = insn_at(p, write)->a;
	if (n == 1 && in[0].code == CODE_CONSTANT) { /* [set] */
		in[1].b = set_kind(p, in[0].a);
	} else if (n == 3 && reads(&in[0], slot) && is_simple(&in[1])) { /* [sum], [product] */
		in[0].b = in[3].b = operation_kind((enum code)in[2].code, true);
	} else if (n == 3 && reads(&in[1], slot) && is_simple(&in[0])) {
		in[1].b = in[3].b = operation_kind((enum code)in[2].code, false);
	}
}

void update_if(struct lang_parser *p, uint32_t begin)
{
	enum { LENGTH = 6 }; /* two operands, comparison, jump; value, write */
	struct insn *in = &p->program->insn[begin];
	if (p->program->ninsns - begin != LENGTH || in[5].code != CODE_WRITE ||
	    in[3].code != CODE_JUMP_ZERO)
		return;
	bool reads_first = reads(&in[0], in[5].a);
	struct insn *read = &in[reads_first ? 0 : 1];
	if (!reads(read, in[5].a) || !is_same(p, &in[reads_first ? 1 : 0], &in[4]))
		return;
	bool is_less = in[2].code == CODE_LESS || in[2].code == CODE_LESS_EQUAL;
	bool is_greater = in[2].code == CODE_GREATER || in[2].code == CODE_GREATER_EQUAL;
	if (is_less || is_greater)
		read->b = in[5].b =
			is_less == reads_first ? SNAG_UPDATE_GREATEST : SNAG_UPDATE_LEAST;
}
