/* SPDX-License-Identifier: Apache-2.0
 *
 * called.h - the source name of the variable of an access
 *
 * Idea.   Debug information gives the place of a stack variable relative to a frame, and that
 *         frame is gone when the report is written.  But it gives every access a line and a
 *         column: for a read the column of the name, for a write the column of the operator
 *         after it.
 * Rules.  [name]      the column is in a name: take that name
 *         [operator]  an assignment, ++ or --: take the name to its left, before subscripts and
 *                     members; for ++ and -- the name may also be to the right
 *         [fortran]   none: gfortran's columns are those where a statement ends
 *         [not]       no name for what is reached by * or ->, calls, keywords, and preprocessor
 *                     lines
 */
#ifndef SNAG_REPORT_CALLED_H
#define SNAG_REPORT_CALLED_H

#include "trace/callstack.h"

/* Looks in a line of n characters; the first one is column 1.  Returns the length of the name,
 * which begins at *ret_at, or 0 if the line does not show it. */
size_t snag_called_in(const char *line, size_t n, uint32_t column, size_t *ret_at);
/* The same for a frame, from its source file.  Returns NULL if the file does not show it; the
 * caller frees the name.  has_parts: only accept a variable with subscripts or members there. */
char *snag_called_at(const struct snag_frame *frame, bool has_parts);

#endif
