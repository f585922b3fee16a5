/* SPDX-License-Identifier: Apache-2.0
 *
 * numbered.h - strings that end with a number, and those that follow them in counting
 *
 * "T9" is followed by "T10".  The number is all decimal digits at the end of the string: at most
 * 18, and no zero in front of others.  Longer strings than 64 bytes do not count: what few words
 * say of many strings must not need any amount of memory.
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

/* False: the string does not count. */
bool snag_numbered_parse(const char *s, size_t len, struct snag_numbered *ret);
/* Whether b is the string that follows a. */
bool snag_numbered_follows(const char *a, size_t a_len, const char *b, size_t b_len);
/* Writes the digits of the number n behind that of a string, and no NUL; returns the length of the
 * string with them.  0: it would be too long. */
size_t snag_numbered_put(const struct snag_numbered *s, uint32_t n, char to[SNAG_NUMBER_DIGITS]);

#endif
