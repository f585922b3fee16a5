/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_split.h - combined directives that clang 14 does not know, as their parts
 *
 * Idea.   It would leave out what is behind the first part, with a warning, and all threads would do what one is to.
 * Rules.  [parts]    parallel masked, masked taskloop, parallel masked taskloop and the like with simd become
 *                    pragmas on lines of their own
 *         [clauses]  go where OpenMP 5.1 (2.17) says: `filter` to masked; num_threads, proc_bind, copyin and
 *                    if(parallel : ...) to parallel; an `if` of nothing else to parallel and taskloop; all others to the
 *                    last part that is not masked: what it makes private is shared around it
 */
#ifndef SNAG_CC_OPENMP_SPLIT_H
#define SNAG_CC_OPENMP_SPLIT_H

#include "cc/openmp_lines.h"

/* The pragma of the present line.  False: it is to be left. */
bool cc_split_rewrite(struct cc_text *t, const struct cc_lines *l, struct cc_span line);

#endif
