/* SPDX-License-Identifier: Apache-2.0
 *
 * format.c - the memory that a format of printf or scanf makes the C library access
 */
#include "runtime/interpose/format.h"

#include "runtime/access/access.h"
#include "runtime/interpose/real.h"

#include <wchar.h>

enum length { NONE, CHAR, SHORT, LONG, LONG_LONG, LONG_DOUBLE };

/* One conversion: "%" [flags] [width] [precision] [length] letter. */
struct conversion {
	bool is_ignored;   /* scanf: "*" */
	bool is_allocated; /* scanf: "m" */
	bool has_precision;
	size_t width, precision;
	enum length length;
	char letter; /* 0: the end, or [stop] */
};

/* The arguments that a walk consumes. */
struct arguments {
	va_list list;
};

static bool is_one_of(char c, const char *set)
{
	for (; *set; set++)
		if (c == *set)
			return true;
	return false;
}

static size_t number_take(const char **at)
{
	size_t n = 0;
	for (; **at >= '0' && **at <= '9'; ++*at)
		n = n < SIZE_MAX / 16 ? 10 * n + (size_t)(**at - '0') : n;
	return n;
}

static enum length length_take(const char **at)
{
	switch (*(*at)++) {
	case 'h':
		*at += **at == 'h';
		return (*at)[-2] == 'h' ? CHAR : SHORT;
	case 'l':
		*at += **at == 'l';
		return (*at)[-2] == 'l' ? LONG_LONG : LONG;
	case 'j':
	case 'z':
	case 't':
		return LONG;
	case 'q':
		return LONG_LONG;
	case 'L':
		return LONG_DOUBLE;
	default:
		--*at;
		return NONE;
	}
}

/* Finds the next "%" that needs an argument.  Returns false if there is none. */
static bool percent_find(const char **at)
{
	for (; **at; ++*at) {
		if (**at != '%')
			continue;
		if (*++*at != '%')
			return **at != 0;
	}
	return false;
}

static size_t star_or_number(const char **at, struct arguments *a)
{
	if (**at != '*')
		return number_take(at);
	++*at;
	int n = va_arg(a->list, int);
	return n < 0 ? 0 : (size_t)n;
}

static struct conversion print_take(const char **at, struct arguments *a)
{
	struct conversion c = {.letter = 0};
	while (is_one_of(**at, "-+ #0'I"))
		++*at;
	star_or_number(at, a);
	if (**at == '.') {
		++*at;
		c.has_precision = **at != '-';
		c.precision = star_or_number(at, a);
	}
	c.length = length_take(at);
	c.letter = **at; /* [stop] also at a "$" */
	*at += c.letter != 0;
	return c;
}

static struct conversion scan_take(const char **at)
{
	struct conversion c = {.letter = 0};
	c.is_ignored = **at == '*';
	*at += c.is_ignored;
	c.width = number_take(at);
	c.is_allocated = **at == 'm';
	*at += c.is_allocated;
	c.length = length_take(at);
	c.letter = **at;
	*at += c.letter != 0;
	if (c.letter == '[') {
		*at += **at == '^';
		*at += **at == ']';
		while (**at && **at != ']')
			++*at;
		*at += **at == ']';
	}
	return c;
}

/* Returns the size of a number that scanf or "%n" stores. */
static size_t number_bytes(enum length length)
{
	static const size_t bytes[] = {[NONE] = sizeof(int),	   [CHAR] = 1,
				       [SHORT] = sizeof(short),	   [LONG] = sizeof(long),
				       [LONG_LONG] = sizeof(long), [LONG_DOUBLE] = sizeof(long)};
	return bytes[length];
}

static size_t wide_bytes(const wchar_t *s, size_t most)
{
	size_t n = 0;
	while (n < most && s[n])
		n++;
	return (n < most ? n + 1 : n) * sizeof(*s);
}

/* [string] */
static void string_read(const struct conversion *c, const void *s, uintptr_t pc)
{
	const size_t most = c->has_precision ? c->precision : SIZE_MAX / sizeof(wchar_t);
	if (!s)
		return;
	size_t n = rt_real.strnlen(s, most);
	if (c->length == LONG || c->letter == 'S')
		n = wide_bytes(s, most);
	else
		n += n < most;
	rt_access_more((uintptr_t)s, n, false, pc);
}

void rt_format_printed(const char *format, va_list arguments, uintptr_t pc)
{
	struct arguments a;
	va_copy(a.list, arguments);
	while (percent_find(&format)) {
		struct conversion c = print_take(&format, &a);
		if (is_one_of(c.letter, "diouxXc") && c.letter) {
			if (c.length >= LONG)
				va_arg(a.list, long);
			else
				va_arg(a.list, int);
		} else if (is_one_of(c.letter, "eEfFgGaA") && c.letter) {
			if (c.length == LONG_DOUBLE)
				va_arg(a.list, long double);
			else
				va_arg(a.list, double);
		} else if (c.letter == 's' || c.letter == 'S') {
			string_read(&c, va_arg(a.list, const void *), pc);
		} else if (c.letter == 'n') {
			rt_access_more((uintptr_t)va_arg(a.list, void *), number_bytes(c.length),
				       true, pc);
		} else if (c.letter == 'p') {
			va_arg(a.list, void *);
		} else if (c.letter == 'C') {
			va_arg(a.list, int);
		} else if (c.letter != 'm') {
			break;
		}
	}
	va_end(a.list);
}

static size_t text_bytes(const struct conversion *c, const void *to)
{
	if (c->letter == 'c')
		return (c->width ? c->width : 1) * (c->length == LONG ? sizeof(wchar_t) : 1);
	return c->length == LONG ? wide_bytes(to, SIZE_MAX / sizeof(wchar_t))
				 : rt_real.strlen(to) + 1;
}

/* Returns how many bytes a conversion of scanf has stored; 0: not known. */
static size_t stored_bytes(const struct conversion *c, const void *to)
{
	if (c->is_allocated || c->letter == 'p')
		return sizeof(void *);
	if (is_one_of(c->letter, "diouxXn") && c->letter)
		return number_bytes(c->length);
	if (is_one_of(c->letter, "eEfFgGaA") && c->letter)
		return c->length == LONG_DOUBLE ? 10 : c->length == LONG ? 8 : sizeof(float);
	return is_one_of(c->letter, "sc[") && c->letter ? text_bytes(c, to) : 0;
}

void rt_format_scanned(const char *format, va_list arguments, int result, uintptr_t pc)
{
	struct arguments a;
	int stored = 0;
	va_copy(a.list, arguments);
	while (stored <= result && percent_find(&format)) {
		struct conversion c = scan_take(&format);
		if (!c.letter)
			break;
		if (c.is_ignored)
			continue;
		stored += c.letter != 'n';
		if (stored > result) /* [scanned] */
			break;
		void *to = va_arg(a.list, void *);
		size_t n = stored_bytes(&c, to);
		if (!n)
			break;
		rt_access_more((uintptr_t)to, n, true, pc);
	}
	va_end(a.list);
}
