/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_constant.h - numbers that a pragma gives by name
 *
 * Idea.   `enum { DEPTH = 2 };` and then `collapse(DEPTH)`: the rewriter has to know how many loops
 *         belong to the pragma, but it reads text, not scopes.  A name that the compiler accepts
 *         in `collapse` is a constant.  If the text declares that name only once, and as
 *         NAME = digits, this is the constant.
 * Rules.  [declares]  A place may declare a name if a word stands before the name (`const int D`),
 *                     if `=` stands behind it, or if it is an entry of a list (`{A, D}`).
 *         [once]      If two places may declare the name, its value is unknown.
 * Cost.   One pass over the text before the pragma, only if a pragma gives a name.
 */
#ifndef SNAG_CC_OPENMP_CONSTANT_H
#define SNAG_CC_OPENMP_CONSTANT_H

#include "cc/text/text.h"

/* Returns the digits that `name` stands for at the end of the text; empty: unknown. */
struct cc_span cc_constant_digits(struct cc_span text, struct cc_span name);

/* Appends the pragma with digits in place of a name in `collapse`. `text` precedes the pragma.
 * Returns false, and appends nothing, if the pragma has no such name or its value is unknown. */
bool cc_constant_rewrite(struct cc_text *t, struct cc_span text, struct cc_span line);

#endif
