/* SPDX-License-Identifier: Apache-2.0
 *
 * error.c - one line of words about a failure
 */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int snag_fail(struct snag_error *err, int code, const char *fmt, ...)
{
	if (!err)
		return code;
	err->code = code;

	va_list ap;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);

	for (unsigned char *p = (unsigned char *)err->msg; *p; p++)
		if (*p < 0x20 || *p == 0x7f)
			*p = '?';
	return code;
}
