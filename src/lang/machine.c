/* SPDX-License-Identifier: Apache-2.0
 *
 * machine.c - executes the bytecode of one task up to its next action
 *
 * The stack is checked where it grows: an instruction pushes at most one value.  A
 * program that was parsed never takes more from it than is there.
 */
#include "lang/machine.h"

#include "base/memory.h"
#include "lang/bytecode.h"

#include <assert.h>
#include <string.h>

enum { MAX_VALUES = 1 << 24 }; /* on the stack of a task: 256 MiB */

static void stack_reserve(struct snag_machine *m, uint32_t need)
{
	size_t cap = m->cap;
	m->stack = snag_grow(m->stack, &cap, need, sizeof(*m->stack));
	m->cap = (uint32_t)cap;
}

void snag_machine_begin(struct snag_machine *m, const struct snag_program *program)
{
	m->pc = program->main;
	m->fp = m->sp = m->isolated = 0;
	m->scopes = 1;
}

void snag_machine_done(struct snag_machine *m)
{
	free(m->stack);
	*m = (struct snag_machine){0};
}

static void push(struct snag_machine *m, struct snag_value value)
{
	m->stack[m->sp++] = value;
}

void snag_machine_give(struct snag_machine *m, struct snag_value value)
{
	push(m, value); /* the step that asked has made room */
}

void snag_machine_fork(struct snag_machine *m, const struct snag_action *action,
		       struct snag_machine *child)
{
	/* A call takes its arguments along; a block gets a copy of all locals. */
	uint32_t n = action->is_call ? action->nargs : m->sp - m->fp;
	stack_reserve(child, n + 1);
	child->pc = action->entry;
	child->fp = child->isolated = 0;
	child->scopes = 1;
	child->sp = n;
	if (n)
		memcpy(child->stack, m->stack + (m->sp - n), n * sizeof(*m->stack));
	if (action->is_call)
		m->sp -= n;
}

/* The step of one task that is being taken. */
struct step {
	struct snag_machine *m;
	const struct snag_program *program;
	struct snag_action *act;
};

/* Each of these returns true: there is an action. */
static bool act(struct step *s, enum snag_action_kind kind, uint32_t target)
{
	s->act->kind = (uint8_t)kind;
	s->act->target = target;
	return true;
}

static bool fault(struct step *s, enum snag_fault why, struct snag_value value)
{
	s->act->fault = (uint8_t)why;
	s->act->value = value;
	return act(s, SNAG_ACT_FAULT, s->act->target);
}

static struct snag_value pop(struct snag_machine *m)
{
	return m->stack[--m->sp];
}

static int64_t wrap_add(int64_t x, int64_t y)
{
	return (int64_t)((uint64_t)x + (uint64_t)y);
}

static int64_t wrap_negate(int64_t x)
{
	return (int64_t)(0 - (uint64_t)x);
}

static int64_t arithmetic(enum code code, int64_t x, int64_t y)
{
	switch (code) {
	case CODE_MULTIPLY:
		return (int64_t)((uint64_t)x * (uint64_t)y);
	case CODE_DIVIDE: /* the one quotient that does not fit wraps around too */
		return y == -1 ? wrap_negate(x) : x / y;
	case CODE_REMAINDER:
		return y == -1 ? 0 : x % y;
	case CODE_ADD:
		return wrap_add(x, y);
	case CODE_SUBTRACT:
		return wrap_add(x, wrap_negate(y));
	case CODE_LESS:
		return x < y;
	case CODE_LESS_EQUAL:
		return x <= y;
	case CODE_GREATER:
		return x > y;
	default:
		assert(code == CODE_GREATER_EQUAL);
		return x >= y;
	}
}

static bool step_binary(struct step *s, enum code code)
{
	struct snag_value y = pop(s->m), *x = &s->m->stack[s->m->sp - 1];
	if (x->kind != SNAG_INTEGER || y.kind != SNAG_INTEGER)
		return fault(s, SNAG_FAULT_NOT_INTEGER, x->kind != SNAG_INTEGER ? *x : y);
	if (y.v == 0 && (code == CODE_DIVIDE || code == CODE_REMAINDER))
		return fault(s, SNAG_FAULT_DIVIDE, y);
	x->v = arithmetic(code, x->v, y.v);
	return false;
}

static bool step_compare(struct step *s, enum code code)
{
	struct snag_value y = pop(s->m), *x = &s->m->stack[s->m->sp - 1];
	bool is_equal = x->kind == y.kind && x->v == y.v;
	*x = snag_integer(is_equal == (code == CODE_EQUAL));
	return false;
}

static bool step_unary(struct step *s, enum code code)
{
	struct snag_value *x = &s->m->stack[s->m->sp - 1];
	if (x->kind != SNAG_INTEGER)
		return fault(s, SNAG_FAULT_NOT_INTEGER, *x);
	x->v = code == CODE_NEGATE ? wrap_negate(x->v) : (x->v == 0) == (code == CODE_NOT);
	return false;
}

/* Pops a condition; if it is `zero`, goes to `to`, with `keep` that result on the stack. */
static bool step_branch(struct step *s, const struct insn *in, bool zero, bool keep)
{
	struct snag_value x = pop(s->m);
	if (x.kind != SNAG_INTEGER)
		return fault(s, SNAG_FAULT_NOT_INTEGER, x);
	if ((x.v == 0) != zero)
		return false;
	if (keep)
		push(s->m, snag_integer(!zero));
	s->m->pc = in->a;
	return false;
}

/* The slot of the element that the value on top, popped, is the index of. */
static bool step_index(struct step *s, const struct insn *in, enum snag_action_kind kind)
{
	const struct array *array = &s->program->array[in->a];
	struct snag_value index = pop(s->m);
	s->act->target = in->a;
	if (index.kind != SNAG_INTEGER)
		return fault(s, SNAG_FAULT_NOT_INTEGER, index);
	if (index.v < 0 || index.v >= array->n)
		return fault(s, SNAG_FAULT_INDEX, index);
	return act(s, kind, array->slot + (uint32_t)index.v);
}

static bool step_cell(struct step *s, enum snag_action_kind kind)
{
	struct snag_value cell = pop(s->m);
	if (cell.kind != SNAG_CELL)
		return fault(s, SNAG_FAULT_NOT_CELL, cell);
	return act(s, kind, s->program->nslots + (uint32_t)cell.v);
}

static bool step_promise(struct step *s, enum snag_action_kind kind)
{
	struct snag_value promise = pop(s->m);
	if (promise.kind != SNAG_PROMISE)
		return fault(s, SNAG_FAULT_NOT_PROMISE, promise);
	return act(s, kind, (uint32_t)promise.v);
}

static bool step_write(struct step *s, const struct insn *in)
{
	s->act->value = pop(s->m);
	if (in->code == CODE_WRITE_AT)
		return step_index(s, in, SNAG_ACT_WRITE);
	return in->code == CODE_WRITE_CELL ? step_cell(s, SNAG_ACT_WRITE)
					   : act(s, SNAG_ACT_WRITE, in->a);
}

/* Returns false after a fault. */
static bool scope_begin(struct step *s, bool is_free)
{
	struct snag_machine *m = s->m;
	if (s->program->has_free_finish && m->scopes >> 62) {
		fault(s, SNAG_FAULT_SCOPES, snag_integer(0));
		return false;
	}
	if (s->program->has_free_finish)
		m->scopes = m->scopes << 1 | is_free;
	return true;
}

static bool scope_end(struct step *s, bool is_free)
{
	struct snag_machine *m = s->m;
	if (!s->program->has_free_finish)
		return true;
	if (m->scopes == 1 || (m->scopes & 1) != is_free) {
		fault(s, is_free ? SNAG_FAULT_NO_FINISH : SNAG_FAULT_OPEN_FINISH, snag_integer(0));
		return false;
	}
	m->scopes >>= 1;
	return true;
}

static bool step_call(struct step *s, const struct insn *in)
{
	struct snag_machine *m = s->m;
	const struct procedure *procedure = &s->program->procedure[in->a];
	uint32_t fp = m->sp - in->b;
	m->stack[fp - 1] = (struct snag_value){.v = (int64_t)((uint64_t)m->pc << 32 | m->fp),
					       .kind = SNAG_RETURN};
	m->fp = fp;
	m->pc = procedure->entry;
	if (procedure->has_frame && !scope_begin(s, false))
		return true;
	return procedure->has_frame && act(s, SNAG_ACT_FRAME_BEGIN, 0);
}

static bool step_return(struct step *s, const struct insn *in)
{
	struct snag_machine *m = s->m;
	if (m->fp == 0 && m->scopes != 1)
		return fault(s, SNAG_FAULT_OPEN_FINISH, snag_integer(0));
	if (m->fp == 0)
		return act(s, SNAG_ACT_END, 0);
	if (in->b && !scope_end(s, false))
		return true;
	uint64_t back = (uint64_t)m->stack[m->fp - 1].v;
	m->sp = m->fp - 1;
	m->fp = (uint32_t)back;
	m->pc = (uint32_t)(back >> 32);
	return in->b && act(s, SNAG_ACT_FRAME_END, 0);
}

static bool step_task(struct step *s, const struct insn *in)
{
	enum code code = (enum code)in->code;
	bool is_call = code == CODE_ASYNC_CALL || code == CODE_SPAWN_CALL;
	bool is_async = code == CODE_ASYNC || code == CODE_ASYNC_CALL;
	s->act->is_call = is_call;
	s->act->nargs = in->b;
	s->act->entry = is_call ? s->program->procedure[in->a].entry : s->m->pc;
	if (!is_call)
		s->m->pc = in->a;
	return act(s, is_async ? SNAG_ACT_ASYNC : SNAG_ACT_SPAWN, 0);
}

/* Only the outermost of nested isolated blocks can be noticed. */
static bool step_isolated(struct step *s, bool is_begin)
{
	if (is_begin)
		return s->m->isolated++ == 0 && act(s, SNAG_ACT_ISOLATED_BEGIN, 0);
	return --s->m->isolated == 0 && act(s, SNAG_ACT_ISOLATED_END, 0);
}

/* Instructions that are an action and nothing else; `a` is its target. */
static const uint8_t plain_action[] = {
	[CODE_NEW] = SNAG_ACT_NEW,
	[CODE_ALLOC] = SNAG_ACT_ALLOC,
	[CODE_READ] = SNAG_ACT_READ,
	[CODE_SYNC] = SNAG_ACT_SYNC,
};

/* Executes one instruction, the pc being behind it. */
static bool execute(struct step *s, const struct insn *in)
{
	struct snag_machine *m = s->m;
	enum code code = (enum code)in->code;
	switch (code) {
	case CODE_CONSTANT:
		push(m, snag_integer(s->program->constant[in->a]));
		return false;
	case CODE_LOCAL:
		push(m, m->stack[m->fp + in->a]);
		return false;
	case CODE_PROMISE:
		push(m, (struct snag_value){.v = in->a, .kind = SNAG_PROMISE});
		return false;
	case CODE_RECORD:
		push(m, snag_integer(0));
		return false;
	case CODE_READ_AT:
		return step_index(s, in, SNAG_ACT_READ);
	case CODE_READ_CELL:
		return step_cell(s, SNAG_ACT_READ);
	case CODE_WRITE ... CODE_WRITE_CELL:
		return step_write(s, in);
	case CODE_NEGATE ... CODE_TRUTH:
		return step_unary(s, code);
	case CODE_MULTIPLY ... CODE_GREATER_EQUAL:
		return step_binary(s, code);
	case CODE_EQUAL ... CODE_UNEQUAL:
		return step_compare(s, code);
	case CODE_AND ... CODE_OR:
		return step_branch(s, in, code == CODE_AND, true);
	case CODE_JUMP_ZERO:
		return step_branch(s, in, true, false);
	case CODE_JUMP:
		m->pc = in->a;
		return false;
	case CODE_DROP:
		m->sp -= in->a;
		return false;
	case CODE_CALL:
		return step_call(s, in);
	case CODE_RETURN:
		return step_return(s, in);
	case CODE_ASYNC ... CODE_SPAWN_CALL:
		return step_task(s, in);
	case CODE_FINISH_BEGIN:
		return !scope_begin(s, in->b) || act(s, SNAG_ACT_FINISH_BEGIN, 0);
	case CODE_FINISH_END:
		return !scope_end(s, in->b) || act(s, SNAG_ACT_FINISH_END, 0);
	case CODE_SET ... CODE_GET:
		return step_promise(s, code == CODE_SET ? SNAG_ACT_SET : SNAG_ACT_GET);
	case CODE_ISOLATED_BEGIN ... CODE_ISOLATED_END:
		return step_isolated(s, code == CODE_ISOLATED_BEGIN);
	default:
		return act(s, (enum snag_action_kind)plain_action[code], in->a);
	}
}

void snag_machine_step(struct snag_machine *m, const struct snag_program *program, uint64_t *steps,
		       struct snag_action *ret_action)
{
	struct step s = {.m = m, .program = program, .act = ret_action};
	for (;;) {
		ret_action->loc = program->loc[m->pc];
		if ((*steps)-- == 0) {
			*steps = 0;
			act(&s, SNAG_ACT_LIMIT, 0);
			return;
		}
		if (m->sp >= m->cap) {
			if (m->sp >= MAX_VALUES) {
				fault(&s, SNAG_FAULT_DEPTH, snag_integer(0));
				return;
			}
			stack_reserve(m, m->sp + 1);
		}
		const struct insn *in = &program->insn[m->pc++];
		ret_action->update = in->code == CODE_READ || in->code == CODE_WRITE ? in->b : 0;
		if (execute(&s, in))
			return;
	}
}

static const char *kind_words(struct snag_value value)
{
	return value.kind == SNAG_INTEGER ? "an integer"
					  : (value.kind == SNAG_PROMISE ? "a promise" : "a cell");
}

int snag_machine_fault(const struct snag_program *program, const struct snag_action *action,
		       struct snag_error *err)
{
	const struct array *array;
	switch ((enum snag_fault)action->fault) {
	case SNAG_FAULT_INDEX:
		array = &program->array[action->target];
		return snag_program_fail(program, action->loc, err,
					 "index %lld is outside '%.64s[%u]'",
					 (long long)action->value.v,
					 snag_strtab_get(&program->symbols, array->name), array->n);
	case SNAG_FAULT_DIVIDE:
		return snag_program_fail(program, action->loc, err, "division by zero");
	case SNAG_FAULT_NOT_INTEGER:
		return snag_program_fail(program, action->loc, err,
					 "an integer is needed here, this is %s",
					 kind_words(action->value));
	case SNAG_FAULT_NOT_PROMISE:
		return snag_program_fail(program, action->loc, err,
					 "a promise is needed here, this is %s",
					 kind_words(action->value));
	case SNAG_FAULT_NOT_CELL:
		return snag_program_fail(program, action->loc, err,
					 "a cell is needed behind '*', this is %s",
					 kind_words(action->value));
	case SNAG_FAULT_DEPTH:
		return snag_program_fail(program, action->loc, err,
					 "too many calls inside each other");
	case SNAG_FAULT_NO_FINISH:
		return snag_program_fail(program, action->loc, err,
					 "endFinish, but the innermost block here is not one that "
					 "beginFinish of this task began");
	case SNAG_FAULT_OPEN_FINISH:
		return snag_program_fail(program, action->loc, err,
					 "what ends here has a beginFinish without its endFinish");
	case SNAG_FAULT_SCOPES:
		return snag_program_fail(
			program, action->loc, err,
			"more than 62 finish blocks inside each other, in a program with "
			"beginFinish");
	}
	__builtin_unreachable();
}
