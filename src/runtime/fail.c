/* SPDX-License-Identifier: Apache-2.0
 *
 * fail.c - what the runtime says to people
 */
#include "runtime/fail.h"

#include "runtime/sys.h"

enum { STATUS_FAILED = 125 };

void rt_line_text(struct rt_line *line, const char *text)
{
	while (*text && line->n < sizeof(line->text) - 1)
		line->text[line->n++] = *text++;
}

static void line_digits(struct rt_line *line, uint64_t number, unsigned base)
{
	char digits[24];
	size_t n = sizeof(digits) - 1;
	digits[n] = 0;
	do {
		digits[--n] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	rt_line_text(line, digits + n);
}

void rt_line_number(struct rt_line *line, uint64_t number)
{
	line_digits(line, number, 10);
}

void rt_line_hex(struct rt_line *line, uint64_t number)
{
	rt_line_text(line, "0x");
	line_digits(line, number, 16);
}

void rt_line_print(struct rt_line *line)
{
	line->text[line->n++] = '\n';
	rt_sys_print(line->text, line->n);
	line->n = 0;
}

void rt_fail(const char *why)
{
	struct rt_line line = {.n = 0};
	rt_line_text(&line, "snag: ");
	rt_line_text(&line, why);
	rt_line_print(&line);
	rt_sys_exit(STATUS_FAILED);
}
