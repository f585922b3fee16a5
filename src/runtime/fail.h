/* SPDX-License-Identifier: Apache-2.0
 *
 * fail.h - what the runtime says to people: one line, or the end
 */
#ifndef SNAG_RUNTIME_FAIL_H
#define SNAG_RUNTIME_FAIL_H

#include <stddef.h>
#include <stdint.h>

/* A line being put together, without printf. */
struct rt_line {
	char text[512];
	size_t n;
};

void rt_line_text(struct rt_line *line, const char *text);
void rt_line_number(struct rt_line *line, uint64_t number);
void rt_line_hex(struct rt_line *line, uint64_t number);
void rt_line_print(struct rt_line *line); /* with a newline, to standard error */

/* "snag: <why>", and the process ends with status 125. */
__attribute__((noreturn)) void rt_fail(const char *why);

#endif
