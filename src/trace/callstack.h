/* SPDX-License-Identifier: Apache-2.0
 *
 * callstack.h - the locations of a recorded program: one name is one frame of a stack
 *
 * A location of a recorded program is a place in the code with all the calls that led to it.
 * Its name contains its innermost frame and the location of its caller.  So stacks share their
 * outer parts, and a trace needs nothing but names:
 *
 *   FILE:LINE:COLUMN~FUNCTION~MODULE+0xOFFSET~CALLER
 *
 * CALLER is the number of a location that was named before, with `^` in front if this function
 * was inlined into that one.  Unknown parts are left out, and so are `~` at the end.  Bytes with
 * a meaning in some format (blanks, `~`, `|`, `%`, `<` ...) are written %XX, so that such names
 * fit every format.  Names of other traces (`12`, `bank.c:17`) are places without a function and
 * a caller.
 */
#ifndef SNAG_TRACE_CALLSTACK_H
#define SNAG_TRACE_CALLSTACK_H

#include "trace/names.h"

#include <stdbool.h>

/* One function of a stack.  Unknown parts are NULL or 0. */
struct snag_frame {
	const char *function; /* demangled */
	const char *file;
	uint32_t line, column;
	const char *module; /* path */
	uint64_t offset;    /* in the module's file; an address if there is no module */
	bool is_inlined;    /* into the next one */
};

/* Writes the name of a location into buf, at most `room` bytes with the NUL.  Returns the length
 * it needs, as snprintf.  The end of a long name of a function is left out.  caller: a location or
 * SNAG_NO_ID. */
size_t snag_frame_name(const struct snag_frame *frame, uint32_t caller, char *buf, size_t room);

struct snag_callstack {
	struct snag_frame *frame; /* innermost first */
	size_t n;
	char *text; /* the text that the frames point into */
};

enum { SNAG_MAX_CALLSTACK = 512 }; /* deeper stacks lose their outermost frames */

/* Reads the stack of a location, at least one frame, up to main(); the callers of main() are
 * left out. */
void snag_callstack_read(const struct snag_names *names, snag_loc loc,
			 struct snag_callstack *ret_stack);
void snag_callstack_done(struct snag_callstack *stack);

/* Writes `FILE:LINE:COLUMN` of a location for people, or what is known instead; returns as
 * snprintf. */
size_t snag_location_text(const struct snag_names *names, snag_loc loc, char *buf, size_t room);

#endif
