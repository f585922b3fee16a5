/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_nest.h - the loops behind a pragma
 *
 * Loops that are collapsed into one are a *rectangle*, unless a bound of one depends on the
 * variable of an outer one.  For other nests gcc allows no schedule but its own.  clang runs
 * the enclosing rectangle and skips the rest, so that no thread may have the last iteration.
 * So the compilers run such nests, and the program reports each iteration to the runtime.
 * Behind the innermost loop head goes
 *
 *         while (__snag_omp_iteration()) body
 *
 * which is true and false in turn.
 */
#ifndef SNAG_CC_OPENMP_NEST_H
#define SNAG_CC_OPENMP_NEST_H

#include "cc/openmp_text.h"

#define CC_NEST_DECLARATION "int __snag_omp_iteration(void) __asm__(\"__snag_omp_iteration\");\n"
#define CC_NEST_ITERATION " while (__snag_omp_iteration()) "

/* The mark of a loop whose iterations are not told apart, at the beginning of its body: before it, or
 * in its block.  A body with `scan` has to be a block, and for gcc 12 a block of two statements. */
#define CC_TOGETHER_DECLARATION "int __snag_omp_together(void) __asm__(\"__snag_omp_together\");\n"
#define CC_TOGETHER_BEFORE " switch (__snag_omp_together()) default: "
#define CC_TOGETHER_INSIDE " int __snag_together __attribute__((unused)) = __snag_omp_together(); "

/* Steps behind the head of a loop.  The variable is one that it assigns to; empty: it declares it.
 * False: no loop. */
bool cc_nest_next(struct cc_span *text, struct cc_span *ret_variable);
bool cc_nest_is_ordered(struct cc_span text); /* an ordered region is inside */
/* The loops that belong to a pragma which the text `after` follows.  If `collapse` has
 * something else than a number, they are unknown; n is then how many there are. */
struct cc_nest {
	unsigned n;
	bool is_known;
};
struct cc_nest cc_nest_of(struct cc_span line, struct cc_span after);
/* Behind the head of the innermost of so many loops if they are no rectangle; otherwise NULL. */
const char *cc_nest_odd(struct cc_span text, unsigned nloops);
const char *cc_nest_body(struct cc_span text, unsigned nloops);	 /* likewise, whatever they are */
const char *cc_nest_block(struct cc_span text, unsigned nloops); /* behind the brace of that body */

#endif
