/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.h - the lines of preprocessed text, and which lines of sources they are
 *
 * A line mark, # 12 "name" flags, says which line of which source comes next.  The rewriter puts
 * line marks around lines that it adds, so that the other lines keep their numbers.  A literal
 * R"(...)" counts as part of one line, however many lines it has: text in it that looks like a
 * pragma is not one.
 */
#ifndef SNAG_CC_LINES_H
#define SNAG_CC_LINES_H

#include "cc/text/text.h"

struct cc_lines {
	struct cc_span rest;	    /* of the text */
	struct cc_span before;	    /* the text before the current line */
	struct cc_span file;	    /* the latest mark, without its number; empty: no mark yet */
	unsigned long number, next; /* of the current line, and of the line after it */
};
struct cc_lines cc_lines_of(struct cc_span text);
/* Goes to the next line, without its end.  Returns false if there are no more. */
bool cc_lines_next(struct cc_lines *l, struct cc_span *ret_line);
/* Writes a mark: the next line that is added will be the current one. */
void cc_lines_mark(const struct cc_lines *l, struct cc_text *t);
bool cc_is_mark(struct cc_span line); /* or a pragma */

#endif
