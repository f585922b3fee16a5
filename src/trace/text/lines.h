/* SPDX-License-Identifier: Apache-2.0
 *
 * lines.h - the lines of a text trace
 *
 * Cuts an input into lines for the text readers, a buffer full at a time: whole
 * lines are at in->at .. limit, and the reader consumes them by advancing in->at
 * and counting `line`.  A line ends with \n or \r\n, the last one perhaps with
 * nothing; a byte order mark before the first is passed over.  Lines longer than
 * SNAG_LINE_BYTES are an error, or skipped when lenient.
 */
#ifndef SNAG_TRACE_LINES_H
#define SNAG_TRACE_LINES_H

#include "trace/input.h"

#include <stdbool.h>

enum { SNAG_LINE_BYTES = 1 << 20 }; /* the most a line holds, without its end */

struct snag_lines {
	struct snag_input *in;
	const uint8_t *limit; /* whole lines are at in->at .. limit */
	uint64_t line;	      /* how many lines were consumed */
	uint64_t skipped;     /* how many of them were too long */
	bool lenient;
	bool begun;
};

void snag_lines_init(struct snag_lines *l, struct snag_input *in, bool lenient);

/* Call it when all lines are consumed.  Returns 1 if there are more, 0 at the end, or a negative
 * code. */
int snag_lines_fill(struct snag_lines *l, struct snag_error *err);

/* Returns the length of the line at in->at without its end; *ret_next is the next line. */
size_t snag_lines_length(const struct snag_lines *l, const uint8_t **ret_next);

int snag_lines_too_long(const struct snag_lines *l, struct snag_error *err);

#endif
