/* SPDX-License-Identifier: Apache-2.0
 *
 * utf8.c - which bytes of a name may be shown unchanged
 */
#include "report/utf8.h"

#include <stdint.h>

static bool is_tail(uint8_t byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t snag_utf8_char(const char *s)
{
	const uint8_t *p = (const uint8_t *)s;
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4 || !is_tail(p[1]))
		return 0;
	if (p[0] < 0xe0)
		return 2;
	if (!is_tail(p[2]))
		return 0;
	if (p[0] < 0xf0) {
		bool overlong = p[0] == 0xe0 && p[1] < 0xa0;
		bool surrogate = p[0] == 0xed && p[1] >= 0xa0;
		return overlong || surrogate ? 0 : 3;
	}
	bool overlong = p[0] == 0xf0 && p[1] < 0x90;
	bool beyond = p[0] == 0xf4 && p[1] >= 0x90;
	return overlong || beyond || !is_tail(p[3]) ? 0 : 4;
}

bool snag_utf8_is_control(const char *s, size_t nbytes)
{
	const uint8_t *p = (const uint8_t *)s;
	return nbytes == 1 ? p[0] < 0x20 || p[0] == 0x7f
			   : nbytes == 2 && p[0] == 0xc2 && p[1] < 0xa0;
}
