/* SPDX-License-Identifier: Apache-2.0
 *
 * placed.c - strings that name a place
 */
#include "base/placed.h"

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool snag_placed_parse(const char *s, size_t len, size_t *ret_object, uint64_t *ret_offset)
{
	size_t digits = 0, object = len;
	uint64_t offset = 0;
	while (digits < len && digits <= SNAG_PLACED_BITS / 4 && digit_of(s[len - 1 - digits]) >= 0)
		offset |= (uint64_t)digit_of(s[len - 1 - digits]) << 4 * digits, digits++;
	if (digits > 0 && digits <= SNAG_PLACED_BITS / 4 && len > digits + 3 &&
	    s[len - digits] != '0' && memcmp(s + len - digits - 3, "+0x", 3) == 0)
		object = len - digits - 3;
	*ret_object = object;
	*ret_offset = object < len ? offset : 0;
	return object > 0 && object <= SNAG_PLACED_BYTES;
}
