/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h - a program in the small task language, ready to run
 *
 * docs/task-language.md describes the language.  Parsing checks everything that can be
 * checked without running: syntax, declared names, what may stand inside isolated.  The
 * result is immutable and can be run any number of times (lang/run.h, lang/explore.h).
 */
#ifndef SNAG_LANG_PROGRAM_H
#define SNAG_LANG_PROGRAM_H

#include "base/error.h"
#include "trace/event.h"

#include <stddef.h>
#include <stdint.h>

struct snag_program;

struct snag_place { /* in the text of the program, from 1; line 0: nowhere */
	uint32_t line, column;
};

enum { SNAG_PROGRAM_BYTES = 1 << 26 }; /* the longest text that is taken */

/* Parses a text; `name` is for messages ("name:line:column: ...").  Negative: *err says why. */
int snag_program_parse(const char *name, const char *text, size_t nbytes,
		       struct snag_program **ret_program, struct snag_error *err);
void snag_program_free(struct snag_program *program); /* accepts NULL */

/* Returns the first place in the text that can make such an event, for messages of the form
 * "spbags cannot judge programs with `finish`"; line 0: the program has no such statement. */
struct snag_place snag_program_first(const struct snag_program *program, enum snag_op op);

/* Where a location of its events (trace/event.h) is. */
struct snag_place snag_program_place(const struct snag_program *program, snag_loc loc);

#endif
