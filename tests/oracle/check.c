/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - words for what checks find
 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>

enum outcome check_fail(struct reason *why, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return FAILED;
}

void pairs_text(const event_set *races, unsigned n, char *to, size_t size)
{
	size_t at = 0;
	to[0] = '\0';
	for (unsigned e2 = 0; e2 < n; e2++)
		for (event_set rest = races[e2]; rest && at + 8 < size;)
			at += (size_t)snprintf(to + at, size - at, "%s%u-%u", at ? " " : "",
					       take_first(&rest), e2);
}
