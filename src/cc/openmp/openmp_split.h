/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_split.h - combined directives that clang 14 does not know, as their parts
 *
 * Idea.   clang 14 ignores what follows the first part, with a warning; then all threads would
 *         execute the work of one.
 * Rules.  [parts]    parallel masked, masked taskloop, parallel masked taskloop, and these
 *                    with simd, become pragmas on lines of their own.
 *         [clauses]  A clause goes where OpenMP 5.1 (2.17) says: `filter` to masked; num_threads,
 *                    proc_bind, copyin and if(parallel : ...) to parallel; an `if` without a
 *                    name to parallel and taskloop; all others to the last part that is not masked.
 *                    Variables that this part makes private are shared around it.
 */
#ifndef SNAG_CC_OPENMP_SPLIT_H
#define SNAG_CC_OPENMP_SPLIT_H

#include "cc/text/lines.h"

/* Writes the pragma of the current line as its parts. Returns false if it stays as it is. */
bool cc_split_rewrite(struct cc_text *t, const struct cc_lines *l, struct cc_span line);

#endif
