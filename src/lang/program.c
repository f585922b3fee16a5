/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c - a parsed program, and questions about it
 */
#include "lang/program.h"

#include "base/memory.h"
#include "lang/machine.h"
#include "lang/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void parser_done(struct lang_parser *p)
{
	free(p->place);
	free(p->symbol);
	free(p->local);
	free(p->notes);
	free(p->call);
}

int snag_program_parse(const char *name, const char *text, size_t nbytes,
		       struct snag_program **ret_program, struct snag_error *err)
{
	struct snag_error ignored;
	struct lang_parser p = {.err = err ? err : &ignored};
	if (nbytes > SNAG_PROGRAM_BYTES)
		return snag_fail(err, SNAG_EINPUT, "%s: more than %d MiB", name,
				 SNAG_PROGRAM_BYTES >> 20);
	p.program = snag_calloc(1, sizeof(*p.program));
	p.program->name = snag_alloc(strlen(name) + 1);
	strcpy(p.program->name, name);
	snag_strtab_init(&p.program->symbols);
	lexer_init(&p.lexer, p.program->name, text, nbytes);
	int rc = parse_program(&p);
	parser_done(&p);
	if (rc < 0)
		snag_program_free(p.program);
	else
		*ret_program = p.program;
	return rc;
}

void snag_program_free(struct snag_program *program)
{
	if (!program)
		return;
	free(program->name);
	free(program->insn);
	free(program->loc);
	free(program->constant);
	free(program->procedure);
	snag_strtab_done(&program->symbols);
	free(program->array);
	free(program->promise);
	free(program->place);
	free(program);
}

struct snag_place snag_program_first(const struct snag_program *program, enum snag_op op)
{
	return program->first[op];
}

struct snag_place snag_program_place(const struct snag_program *program, snag_loc loc)
{
	return program->place[loc];
}

uint32_t snag_program_locations(const struct snag_program *program)
{
	return (uint32_t)program->nplaces;
}

uint32_t snag_program_slots(const struct snag_program *program)
{
	return program->nslots;
}

uint32_t snag_program_promises(const struct snag_program *program)
{
	return (uint32_t)program->npromises;
}

const char *snag_program_name(const struct snag_program *program)
{
	return program->name;
}

const char *snag_program_promise_name(const struct snag_program *program, uint32_t promise)
{
	return snag_strtab_get(&program->symbols, program->promise[promise]);
}

/* The variable or array a slot belongs to: the last that does not begin behind it. */
static const struct array *array_of(const struct snag_program *program, uint32_t slot)
{
	size_t low = 0, high = program->narrays;
	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (program->array[middle].slot <= slot)
			low = middle;
		else
			high = middle;
	}
	return &program->array[low];
}

struct snag_value snag_program_initial(const struct snag_program *program, uint32_t slot)
{
	return snag_integer(array_of(program, slot)->initial);
}

void snag_program_slot_name(const struct snag_program *program, uint32_t slot,
			    char ret_name[SNAG_SLOT_NAME])
{
	const struct array *array = array_of(program, slot);
	const char *name = snag_strtab_get(&program->symbols, array->name);
	if (array->n)
		snprintf(ret_name, SNAG_SLOT_NAME, "%.100s[%u]", name, slot - array->slot);
	else
		snprintf(ret_name, SNAG_SLOT_NAME, "%.100s", name);
}

int snag_program_fail(const struct snag_program *program, snag_loc loc, struct snag_error *err,
		      const char *fmt, ...)
{
	char what[sizeof(err->msg)];
	struct snag_place place = program->place[loc];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return snag_fail(err, SNAG_EINPUT, "%s:%u:%u: %s", program->name, place.line, place.column,
			 what);
}
