/* SPDX-License-Identifier: Apache-2.0
 *
 * parser_checks.c - checks of calls, once all procedures are known
 *
 * Every called procedure is declared, with as many arguments.  No isolated block reaches,
 * through any calls, what it may not contain.  The procedures that do are computed from those
 * that contain it themselves, backwards along the calls: each procedure once.
 */
#include "lang/parser.h"

#include "base/memory.h"

static const char *name_of(const struct lang_parser *p, uint32_t procedure)
{
	return snag_strtab_get(&p->program->symbols, p->notes[procedure].symbol);
}

static int check_call(struct lang_parser *p, const struct parser_call *call)
{
	const struct procedure *procedure = &p->program->procedure[call->procedure];
	if (p->notes[call->procedure].declared.line == 0)
		return parser_fail(p, call->place, "procedure '%.64s' is not declared",
				   name_of(p, call->procedure));
	if (procedure->nargs != call->nargs)
		return parser_fail(p, call->place, "'%.64s' takes %u argument%s, not %u",
				   name_of(p, call->procedure), procedure->nargs,
				   procedure->nargs == 1 ? "" : "s", call->nargs);
	return 0;
}

/* The calls of each procedure: list[first[f] .. first[f + 1]). */
struct callers {
	uint32_t *first, *list;
};

static struct callers callers_new(const struct lang_parser *p)
{
	size_t n = p->program->nprocedures;
	struct callers c = {.first = snag_calloc(n + 2, sizeof(uint32_t)),
			    .list = snag_calloc(p->ncalls + 1, sizeof(uint32_t))};
	for (size_t i = 0; i < p->ncalls; i++)
		c.first[p->call[i].procedure + 2]++;
	for (size_t f = 2; f < n + 2; f++)
		c.first[f] += c.first[f - 1];
	for (size_t i = 0; i < p->ncalls; i++)
		c.list[c.first[p->call[i].procedure + 1]++] = p->call[i].from;
	return c;
}

static void spread_forbidden(struct lang_parser *p)
{
	size_t n = p->program->nprocedures, nqueue = 0;
	struct callers callers = callers_new(p);
	uint32_t *queue = snag_calloc(n + 1, sizeof(*queue));
	for (uint32_t f = 0; f < n; f++)
		if (p->notes[f].forbidden.line)
			queue[nqueue++] = f;
	for (size_t i = 0; i < nqueue; i++) {
		const struct procedure_notes *notes = &p->notes[queue[i]];
		for (uint32_t k = callers.first[queue[i]]; k < callers.first[queue[i] + 1]; k++) {
			uint32_t from = callers.list[k];
			if (from == IN_MAIN || p->notes[from].forbidden.line)
				continue;
			p->notes[from].forbidden = notes->forbidden;
			p->notes[from].forbidden_word = notes->forbidden_word;
			queue[nqueue++] = from;
		}
	}
	free(queue);
	free(callers.first);
	free(callers.list);
}

int check_calls(struct lang_parser *p)
{
	for (size_t i = 0; i < p->ncalls; i++) {
		int rc = check_call(p, &p->call[i]);
		if (rc < 0)
			return rc;
		if (p->program->procedure[p->call[i].procedure].has_frame) {
			emit_first(p, SNAG_OP_FRAME_BEGIN, p->call[i].place);
			emit_first(p, SNAG_OP_FRAME_END, p->call[i].place);
		}
	}
	spread_forbidden(p);
	for (size_t i = 0; i < p->ncalls; i++) {
		const struct parser_call *call = &p->call[i];
		const struct procedure_notes *notes = &p->notes[call->procedure];
		if (call->is_isolated && notes->forbidden.line)
			return parser_fail(p, call->place,
					   "an isolated block cannot contain '%s', which '%.64s' "
					   "leads to at %u:%u",
					   notes->forbidden_word, name_of(p, call->procedure),
					   notes->forbidden.line, notes->forbidden.column);
	}
	return 0;
}
