/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_lines.h - the lines of preprocessed text, and which lines of sources they are
 *
 * A line mark, # 12 "name" flags, says which line of which source comes next.  The rewriter puts
 * line marks around lines that it adds, so that the other lines keep their numbers.  A literal
 * R"(...)" belongs to one line, however many it spans: a pragma inside it is none.
 */
#ifndef SNAG_CC_OPENMP_LINES_H
#define SNAG_CC_OPENMP_LINES_H

#include "cc/openmp_text.h"

struct cc_lines {
	struct cc_span rest;	    /* of the text */
	struct cc_span before;	    /* the text before the present line */
	struct cc_span file;	    /* what a mark says but for the number; empty: none yet */
	unsigned long number, next; /* of the present line, of the one behind it */
};
struct cc_lines cc_lines_of(struct cc_span text);
bool cc_lines_next(struct cc_lines *l,
		   struct cc_span *ret_line); /* without its end; false: no more */
void cc_lines_mark(const struct cc_lines *l,
		   struct cc_text *t); /* the next one will be the present one */
bool cc_is_mark(struct cc_span line);  /* or a pragma */

#endif
