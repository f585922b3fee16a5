/* SPDX-License-Identifier: Apache-2.0
 *
 * error.c - one line of text about a failure
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the length of the printable UTF-8 character at the NUL-terminated string s, or 0 if
 * there is none. */
static int printable_length(const unsigned char *s)
{
	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	int n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	uint32_t c = s[0] & (0x7f >> n);
	for (int i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < 0xa0 || (n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)))
		return 0;
	return c >= 0xd800 && c <= 0xdfff ? 0 : n;
}

int snag_fail(struct snag_error *err, int code, const char *fmt, ...)
{
	if (!err)
		return code;
	err->code = code;

	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);

	for (unsigned char *p = (unsigned char *)err->msg; *p;) {
		int n = printable_length(p);
		if (n == 0)
			*p = '?';
		p += n ? n : 1;
	}
	return code;
}
