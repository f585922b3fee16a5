/* SPDX-License-Identifier: Apache-2.0
 *
 * text_op.h - the part STD and CSV have in common: `op(operand)`, and messages
 *
 * The operand is the text between the first `(` and a `)` that ends the text, so it may itself
 * contain parentheses.  `br`, `begin` and `end` have no operand: they stand alone or with
 * anything in parentheses, which is ignored.
 */
#ifndef SNAG_TRACE_TEXT_OP_H
#define SNAG_TRACE_TEXT_OP_H

#include "base/error.h"
#include "trace/event.h"

#include <stddef.h>

enum {
	SNAG_TEXT_QUOTE = 48, /* room for a quoted bit of input */
	SNAG_TEXT_WORD = 32,  /* room for the word of an operation, with what may follow it */
};

/* Whether text can express the operation: all but those of tasks. */
static inline bool snag_text_has(uint8_t op)
{
	return op < SNAG_OPS && !snag_op_is_of_tasks(op);
}

struct snag_text_place {
	const char *name; /* of the file */
	uint64_t line;
};

struct snag_text_op {
	enum snag_op op;
	const char *operand; /* points into the text; NULL: the operation has none */
	size_t len;
	uint8_t flags, size; /* of an atomic access or fence */
};

/* Writes the word of an event, such as "w" or "au4.relaxed", and returns its end. */
char *snag_text_op_put(char *to, const struct snag_event *ev);

/* "r w acq ...", for messages. */
const char *snag_text_op_list(void);

/* Parses the n bytes at s, which contain neither NUL nor white space. */
int snag_text_op_parse(const char *s, size_t n, const struct snag_text_place *place,
		       struct snag_text_op *ret_op, struct snag_error *err);

/* Returns whether text traces can hold the name of a thread, variable, lock or location: not
 * empty, no NUL, no white space and none of the bytes in `but`. */
bool snag_text_name_ok(const char *s, size_t n, const char *but);
bool snag_text_is_space(unsigned char c);

/* Writes the n bytes at s, shortened and without NUL, to buf; returns buf. */
const char *snag_text_quote(char buf[SNAG_TEXT_QUOTE], const char *s, size_t n);
/* Fails with "NAME:LINE: <what> '<the n bytes at s, shortened>'". */
int snag_text_fail(struct snag_error *err, const struct snag_text_place *place, const char *what,
		   const char *s, size_t n);

#endif
