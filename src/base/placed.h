/* SPDX-License-Identifier: Apache-2.0
 *
 * placed.h - strings that name a place: an object and an offset in it
 *
 * "a+0x10" is 16 bytes after the beginning of "a".  The object has 1 to 64 bytes.  The offset is
 * below 2^48, in lower-case hexadecimal without leading zeros, and is left out if it is 0.
 */
#ifndef SNAG_BASE_PLACED_H
#define SNAG_BASE_PLACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	SNAG_PLACED_BYTES = 64,	 /* of an object */
	SNAG_PLACED_OFFSET = 16, /* of "+0x" and an offset, and a NUL */
	SNAG_PLACED_BITS = 48,	 /* of an offset */
};

/* Splits a string into the length of its object and the offset.  A string without an offset is
 * an object with offset 0.  Returns false if the string is too long. */
bool snag_placed_parse(const char *s, size_t len, size_t *ret_object, uint64_t *ret_offset);

/* Writes "+0x" and the offset, to follow an object, and a NUL; nothing but the NUL for offset 0.
 * Returns the number of bytes before the NUL. */
static inline size_t snag_placed_put(char to[SNAG_PLACED_OFFSET], uint64_t offset)
{
	unsigned digits = (unsigned)(63 - __builtin_clzll(offset | 1)) / 4 + 1;
	to[0] = 0;
	if (offset == 0)
		return 0;
	memcpy(to, "+0x", 3);
	for (unsigned i = digits; i-- > 0; offset >>= 4)
		to[3 + i] = "0123456789abcdef"[offset % 16];
	to[3 + digits] = 0;
	return 3 + digits;
}

#endif
