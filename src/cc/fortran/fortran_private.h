/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran_private.h - variables of simd loops that are private in the construct around them
 *
 * Idea.   In Fortran a loop variable inside a parallel, teams or task-generating construct is
 *         private in the innermost such construct around the loop (OpenMP 6.0, 7.1.1).  gfortran
 *         makes it so, except that the variable of a simd loop stays shared.  Then each thread
 *         writes the last value of the variable to the same place.
 * Rules.  [around]  from `parallel`, `teams`, `task` or `taskloop` to its END directive, or to the
 *                   end of its loops, or of the BLOCK behind it; `target` copies such a variable
 *         [itself]  a directive that is simd and one of those at once is left as it is
 *         [named]   a variable that a clause of the construct names keeps what the clause says
 *         [thread]  so does one that is threadprivate
 */
#ifndef SNAG_CC_FORTRAN_PRIVATE_H
#define SNAG_CC_FORTRAN_PRIVATE_H

#include "cc/fortran/fortran_source.h"

/* The new text of each statement that gets another one; empty: it keeps its own. The function adds
 * a clause `private(...)` to the directives that need it. */
typedef struct cc_text *cc_fortran_new_text(void *of, size_t statement);
void cc_fortran_private(const struct cc_fortran *f, cc_fortran_new_text *new_text, void *of);

#endif
