/* SPDX-License-Identifier: Apache-2.0
 *
 * numbered.h - strings that end with a number, and their successors
 *
 * The successor of "T9" is "T10".  The number is all decimal digits at the end of the string: at
 * most 18, without leading zeros.  Strings of more than 64 bytes are not numbered, because a
 * short description of many strings must not need unbounded memory.
 */
#ifndef SNAG_BASE_NUMBERED_H
#define SNAG_BASE_NUMBERED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SNAG_NUMBER_DIGITS = 18, SNAG_NUMBERED_BYTES = 64 };

struct snag_numbered {
	size_t prefix; /* bytes before the number */
	uint64_t number;
};

/* Splits a string.  Returns false if it is not numbered. */
bool snag_numbered_parse(const char *s, size_t len, struct snag_numbered *ret);
/* Returns whether b is the successor of a. */
bool snag_numbered_follows(const char *a, size_t a_len, const char *b, size_t b_len);
/* Writes the digits of the n-th successor of a string, without a NUL.  Returns the length of
 * that successor, or 0 if it would be too long. */
size_t snag_numbered_put(const struct snag_numbered *s, uint32_t n, char to[SNAG_NUMBER_DIGITS]);

#endif
