/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran_openmp.h - makes the runtime see every iteration of OpenMP loops of Fortran
 *
 * Idea.   A directive means the same in Fortran as in C.  So the rewriter writes each directive
 *         that matters as a pragma, followed by loops in C of the same shape; passes this to
 *         cc_openmp_rewrite(); and translates the result back.  Rewritten directives call functions
 *         of a module, which the procedures of the source use.
 * Rules.  [do]      `do` is `for`; `nowait`, which Fortran has in the END directive, goes to the
 *                   pragma
 *         [end]     a directive that becomes another one gets the END directive of the new one
 *         [number]  marks are decimal, and are added instead of or'ed
 *         [use]     `use snag_omp` goes behind the head of each procedure; a main program
 *                   without a head gets it before its first statement
 *         [simd]    calls between the statements of a simd loop, as in openmp_statements.h
 *         [private] the variable of a simd loop is private in the construct around it, as in
 *                   fortran_private.h
 *         [masked]  a call before `master` and `masked` says which thread executes the block
 *         [inscan]  such loops are left as they are
 *         Lines keep their numbers, by marks.  Code stays as it is.
 */
#ifndef SNAG_CC_FORTRAN_OPENMP_H
#define SNAG_CC_FORTRAN_OPENMP_H

#include "cc/fortran/fortran_source.h"

/* The module that the rewritten source uses. */
extern const char cc_fortran_module[];

/* Appends the rewritten source `name` of that form; `f` is as for cc_fortran_read(). */
void cc_fortran_rewrite(struct cc_text *to, struct cc_span source, const char *name,
			struct cc_fortran *f);

#endif
