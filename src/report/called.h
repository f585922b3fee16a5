/* SPDX-License-Identifier: Apache-2.0
 *
 * called.h - what the source calls the variable of an access
 *
 * Idea.   Debug information says of a variable on a stack where it is relative to a frame that
 *         is gone when a report is written.  But it gives an access a line and a column: for a
 *         read that of the name, for a write that of the operator behind it.
 * Rules.  [name]      the column is in a name: that one
 *         [operator]  an assignment, ++ or --: the name to its left, behind subscripts and members,
 *                     or, of ++ and --, to its right
 *         [not]       what is reached by * or ->, calls, keywords, and lines of the preprocessor
 */
#ifndef SNAG_REPORT_CALLED_H
#define SNAG_REPORT_CALLED_H

#include "trace/callstack.h"

/* In the line of n characters, of which the first is column 1.  Returns the length of the name, which
 * begins at *ret_at; 0: it does not tell. */
size_t snag_called_in(const char *line, size_t n, uint32_t column, size_t *ret_at);
/* As the source file says, or NULL; to be freed.  has_parts: only of what has subscripts or members
 * there. */
char *snag_called_at(const struct snag_frame *frame, bool has_parts);

#endif
