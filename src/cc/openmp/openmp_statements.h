/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_statements.h - where one statement of a simd loop ends and the next begins
 *
 * Idea.   The iterations of a simd loop may run in lockstep, statement by statement.  So the
 *         program reports to the runtime the end of each statement but the last of the body
 *         (omp/simd.c).
 * Rules.  [end]   A statement ends with its semicolon.  if, for, while, switch, try and blocks also
 *                 end with their closing brace, unless else, catch or while follows.
 *         [none]  Nothing is inserted behind a declaration, because C89 allows no statement before
 *                 the next declaration.  The declaration counts as part of the statement behind it.
 *                 Nothing is inserted where the scanner does not recognise the statement.
 */
#ifndef SNAG_CC_OPENMP_STATEMENTS_H
#define SNAG_CC_OPENMP_STATEMENTS_H

#include "cc/openmp/openmp_code.h"
#include "cc/text/lines.h"
#include "cc/text/text.h"

#define CC_STATEMENT_DECLARATION \
	"void __snag_omp_statement(unsigned) __asm__(\"__snag_omp_statement\");\n"

struct cc_statements {
	struct cc_span body; /* the rest of the latest simd loop, from its next statement on */
	const char *next;    /* the end of the next statement; NULL: there is none */
	unsigned n;	     /* how many statements of the loop came before */
	bool are_there;	     /* the text has statements that are told apart */
};

/* Begins with the body of the innermost of so many loops. */
void cc_statements_begin(struct cc_statements *st, struct cc_span loops, unsigned nloops);
/* Copies a line of code, with the calls between its statements. The code stays in its columns. */
void cc_statements_copy(struct cc_statements *st, struct cc_sections *s,
			const struct cc_lines *lines, struct cc_span line, struct cc_text *to);

#endif
