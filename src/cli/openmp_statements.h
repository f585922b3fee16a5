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
#ifndef SNAG_CLI_OPENMP_STATEMENTS_H
#define SNAG_CLI_OPENMP_STATEMENTS_H

#include "cli/openmp_text.h"

#define CLI_STATEMENT_DECLARATION \
	"void __snag_omp_statement(unsigned) __asm__(\"__snag_omp_statement\");\n"

/* The end of the next statement of a block, the first of which begins there; steps behind it.  NULL: there is none
 * with another behind it. */
const char *cli_statement_next(struct span *block);

#endif
