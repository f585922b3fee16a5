/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_nest.h - the loops behind a pragma
 *
 * Loops that are collapsed into one are a *rectangle*, unless a bound of one depends on the
 * variable of an outer one.  For a nest that is no rectangle gcc allows no schedule but its own,
 * and clang runs the enclosing rectangle and skips the iterations outside the nest, so that it may
 * be that no thread runs the last one.  So the rewriter leaves the schedule of such nests to the
 * compiler, and makes the program report each iteration to the runtime.  It puts this behind the
 * innermost loop head:
 *
 *         while (__snag_omp_iteration()) body
 *
 * The call returns true and false in turn.
 */
#ifndef SNAG_CC_OPENMP_NEST_H
#define SNAG_CC_OPENMP_NEST_H

#include "cc/text/text.h"

#define CC_NEST_DECLARATION "int __snag_omp_iteration(void) __asm__(\"__snag_omp_iteration\");\n"
#define CC_NEST_ITERATION " while (__snag_omp_iteration()) "

/* Marks a loop whose iterations the runtime cannot tell apart.  The call stands before the body, or
 * at the beginning of its block: a body with `scan` has to be a block, and for gcc 12 a block of
 * two statements. */
#define CC_TOGETHER_DECLARATION "int __snag_omp_together(void) __asm__(\"__snag_omp_together\");\n"
#define CC_TOGETHER_BEFORE " switch (__snag_omp_together()) default: "
#define CC_TOGETHER_INSIDE " int __snag_together __attribute__((unused)) = __snag_omp_together(); "

/* Skips the head of a loop. *ret_variable is the variable that it assigns to; empty: it declares
 * one. Returns false if there is no loop. */
bool cc_nest_next(struct cc_span *text, struct cc_span *ret_variable);
bool cc_nest_is_ordered(struct cc_span text); /* an ordered region is inside the loops */
/* Reads the loops of a pragma that the text `after` follows. If `collapse` has something else
 * than a number, they are unknown; then n counts the loops that are there. */
struct cc_nest {
	unsigned n;
	bool is_known;
};
struct cc_nest cc_nest_of(struct cc_span line, struct cc_span after);
/* Returns the text after the head of the innermost of n loops if they are no rectangle;
 * otherwise NULL. */
const char *cc_nest_odd(struct cc_span text, unsigned nloops);
/* The same, whether or not they are a rectangle; and the text after the brace of their body. */
const char *cc_nest_body(struct cc_span text, unsigned nloops);
const char *cc_nest_block(struct cc_span text, unsigned nloops);

#endif
