/* SPDX-License-Identifier: Apache-2.0
 *
 * numbered.c - strings that end with a number, and their successors
 */
#include "base/numbered.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool snag_numbered_parse(const char *s, size_t len, struct snag_numbered *ret)
{
	size_t prefix = len;
	uint64_t number = 0;
	if (len > SNAG_NUMBERED_BYTES)
		return false;
	while (prefix > 0 && is_digit(s[prefix - 1]) && len - prefix <= SNAG_NUMBER_DIGITS)
		prefix--;
	if (prefix == len || len - prefix > SNAG_NUMBER_DIGITS ||
	    (s[prefix] == '0' && len - prefix > 1))
		return false;
	for (size_t i = prefix; i < len; i++)
		number = number * 10 + (uint64_t)(s[i] - '0');
	*ret = (struct snag_numbered){prefix, number};
	return true;
}

size_t snag_numbered_put(const struct snag_numbered *s, uint32_t n, char to[SNAG_NUMBER_DIGITS])
{
	uint64_t number = s->number + n;
	size_t digits = 1;
	for (uint64_t rest = number / 10; rest; rest /= 10)
		digits++;
	if (digits > SNAG_NUMBER_DIGITS || s->prefix + digits > SNAG_NUMBERED_BYTES)
		return 0;
	for (size_t i = digits; i-- > 0; number /= 10)
		to[i] = (char)('0' + number % 10);
	return s->prefix + digits;
}

bool snag_numbered_follows(const char *a, size_t a_len, const char *b, size_t b_len)
{
	struct snag_numbered x, y;
	if (a_len == 0 || b_len < a_len || b_len > a_len + 1 || !is_digit(a[a_len - 1]) ||
	    b[b_len - 1] !=
		    (a[a_len - 1] == '9' ? '0' : a[a_len - 1] + 1)) /* this decides most cases */
		return false;
	return snag_numbered_parse(a, a_len, &x) && snag_numbered_parse(b, b_len, &y) &&
	       x.prefix == y.prefix && x.number + 1 == y.number && memcmp(a, b, x.prefix) == 0;
}
