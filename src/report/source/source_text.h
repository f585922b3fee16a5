/* SPDX-License-Identifier: Apache-2.0
 *
 * source_text.h - the characters of a source line, for code that looks for names in it
 */
#ifndef SNAG_REPORT_SOURCE_TEXT_H
#define SNAG_REPORT_SOURCE_TEXT_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>

struct line {
	const char *at;
	size_t n;
};

static inline char at(struct line l, size_t i) /* 0: outside */
{
	return i < l.n ? l.at[i] : 0;
}

static inline bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static inline size_t blanks_back(struct line l, size_t end)
{
	while (end > 0 && isspace((unsigned char)l.at[end - 1]))
		end--;
	return end;
}

static inline size_t name_end(struct line l, size_t i)
{
	while (is_of_name(at(l, i)))
		i++;
	return i;
}

#endif
