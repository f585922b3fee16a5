/* SPDX-License-Identifier: Apache-2.0
 *
 * placed.h - strings that say a place: an object, and how far it is from where that begins
 *
 * "a+0x10" is 16 bytes behind "a".  The object has 1 to 64 bytes; the offset is below 2^48, in
 * hexadecimal with small letters, without a zero in front, and is left out if it is 0.
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

/* The bytes of the object, and the offset.  Any string says a place, if it is not too long: an object
 * is one that does not say an offset in another.  False: it is. */
bool snag_placed_parse(const char *s, size_t len, size_t *ret_object, uint64_t *ret_offset);

/* Writes the offset that belongs behind an object, and a NUL; returns how many bytes it has. */
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
