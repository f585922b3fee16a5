/* SPDX-License-Identifier: Apache-2.0
 *
 * suppress.h - races that the user suppresses
 *
 * The files have ThreadSanitizer's grammar, so that existing files work: one `type:pattern` per
 * line, `#` begins a comment.  A pattern may match anywhere in a name; `*` stands for anything,
 * `^` and `$` for its beginning and end.
 *
 *   race:PATTERN      a function, file or module of either stack, or the variable
 *   race_top:PATTERN  the same, of the innermost functions only
 *   called_from_lib:PATTERN  a module of either stack
 *   id:ID             the race with that id, as reports show it
 *   deadlock:PATTERN  a function, file or module of a stack of a deadlock
 *   thread: mutex: signal:   the same, of a leaked thread, a mistake with a lock or signal handler
 *
 * Comments may give the terms of a suppression: see suppress_terms.h.
 */
#ifndef SNAG_REPORT_SUPPRESS_H
#define SNAG_REPORT_SUPPRESS_H

#include "report/source/symbols.h"

struct snag_suppressions;

/* The parts of a race that patterns are compared with. */
struct snag_suppressible {
	const struct snag_frame *frame[2]; /* both stacks, innermost first */
	size_t frames[2];
	const char *variable; /* NULL: no name */
	const char *id;	      /* NULL: none */
	const char *type; /* of a report that is no race: "mutex", "thread", "signal" or "race" */
	bool is_deadlock; /* then one thread's stacks: where it waits, and since where it holds */
};

struct snag_suppressions *snag_suppressions_new(void);
void snag_suppressions_free(struct snag_suppressions *s); /* accepts NULL */

/* Adds the lines of a file; `name` is for messages.  A negative result means that *err names the
 * line. */
int snag_suppressions_add(struct snag_suppressions *s, const char *name, const char *text,
			  size_t nbytes, struct snag_error *err);

/* Returns whether a pattern matches, so that the race is not reported; counts the matches. */
bool snag_suppressions_match(struct snag_suppressions *s, const struct snag_suppressible *race);

/* Calls at(ctx, "race:pattern", "file:line", number of matches, whether its terms are over) for
 * each. */
void snag_suppressions_each(const struct snag_suppressions *s,
			    void (*at)(void *ctx, const char *text, const char *place,
				       uint64_t matched, bool is_over),
			    void *ctx);

/* Whether `text` matches the pattern. */
bool snag_pattern_match(const char *pattern, const char *text);

#endif
