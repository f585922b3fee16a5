/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_statements.h - where one statement of a simd loop ends and the next begins
 *
 * Idea.   The iterations of a simd loop may be executed in lockstep, statement by statement: so the runtime is told of
 *         each end of a statement (omp/simd.c) that is not the last of the body.
 * Rules.  [end]   of a statement: its semicolon; of if, for, while, switch, try and blocks also the brace at
 *                 their end, unless they go on with else, catch or while
 *         [none]  nothing is put behind a declaration, where old C allows no statement before the next
 *                 one: it is one with the statement behind it; nor where it is not certain what is there
 */
#ifndef SNAG_CC_OPENMP_STATEMENTS_H
#define SNAG_CC_OPENMP_STATEMENTS_H

#include "cc/openmp_code.h"
#include "cc/openmp_lines.h"
#include "cc/openmp_text.h"

#define CC_STATEMENT_DECLARATION \
	"void __snag_omp_statement(unsigned) __asm__(\"__snag_omp_statement\");\n"

struct cc_statements {
	struct cc_span body; /* of the latest simd loop, from its next statement on */
	const char *next;    /* the end of that one; NULL: none is left */
	unsigned n;	     /* of it before */
	bool are_there;	     /* in this text */
};

/* Of the innermost of so many loops. */
void cc_statements_begin(struct cc_statements *st, struct cc_span loops, unsigned nloops);
/* Copies a line of code, with what goes between its statements; the rest stays in its columns. */
void cc_statements_copy(struct cc_statements *st, struct cc_sections *s,
			const struct cc_lines *lines, struct cc_span line, struct cc_text *to);

#endif
