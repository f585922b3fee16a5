/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_lines.h - the lines of preprocessed text, and which lines of sources they are
 *
 * A mark, # 12 "name" flags, says what the next line is.  What is put on lines of its own has to be between
 * marks, so that the others stay what they are.  A literal R"(...)" belongs to one line, however many it
 * is on: pragmas in it are none.
 */
#ifndef SNAG_CC_OPENMP_LINES_H
#define SNAG_CC_OPENMP_LINES_H

#include "cc/openmp_text.h"

struct lines {
	struct span rest;	    /* of the text */
	struct span file;	    /* what a mark says but for the number; empty: none yet */
	unsigned long number, next; /* of the present line, of the one behind it */
};
struct lines cli_lines_of(struct span text);
bool cli_lines_next(struct lines *l, struct span *ret_line); /* without its end; false: no more */
void cli_lines_mark(const struct lines *l,
		    struct text *t); /* the next one will be the present one */
bool cli_is_mark(struct span line);  /* or a pragma */

#endif
