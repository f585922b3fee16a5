/* SPDX-License-Identifier: Apache-2.0
 *
 * lvalue.h - the expressions of a source line that name memory
 *
 * Idea.   Compilers give an access a line and a column, but differ in which: that of the base, of
 *         a member, of an operator.  So all chains of the line are candidates, such as
 *         `q->items[i].next`, and each beginning of one.  The types (naming.c) decide which of
 *         them can be the access; the column decides among those.
 * Rules.  A chain is a name, then `.member`, `->member` or `[index]`, with `*` before it or not.
 *         A name before `(` is a function and ends the chain.  Strings and comments have none.
 */
#ifndef SNAG_REPORT_LVALUE_H
#define SNAG_REPORT_LVALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SNAG_LVALUE_STEPS = 12 };

struct snag_lvalue {
	size_t start, end;   /* in the line; the first character is 0 */
	size_t base, base_n; /* its name */
	struct snag_lvalue_step {
		enum snag_lvalue_kind {
			SNAG_BY_DOT,
			SNAG_BY_ARROW,
			SNAG_BY_INDEX,
			SNAG_BY_STAR
		} kind;
		size_t name, n; /* of the member */
	} step[SNAG_LVALUE_STEPS];
	size_t nsteps;
	bool is_assigned; /* `=`, but not `==`, follows */
};

/* Finds the chains of a line, and their beginnings; returns their number, at most `room`. */
size_t snag_lvalues_in(const char *line, size_t n, struct snag_lvalue *ret, size_t room);

/* Returns whether a column, from 1, is in the expression or at the operator next to it. */
bool snag_lvalue_is_at(const struct snag_lvalue *v, const char *line, size_t n, uint32_t column);

#endif
