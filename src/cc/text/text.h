/* SPDX-License-Identifier: Apache-2.0
 *
 * text.h - stretches of preprocessed text: lines, words, clauses of pragmas
 */
#ifndef SNAG_CC_TEXT_H
#define SNAG_CC_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct cc_text { /* a text that grows */
	char *at;
	size_t n, room;
};
void cc_text_add(struct cc_text *t, const char *from, size_t n);
void cc_text_words(struct cc_text *t, const char *words);

/* A part of a text that something else owns. */
struct cc_span {
	const char *at, *end;
};
void cc_text_span(struct cc_text *t, struct cc_span s);
struct cc_span cc_span_trim(struct cc_span s);
bool cc_span_is(struct cc_span s, const char *word);

/* Returns the next word of a line and, if parentheses follow, the text in them. Returns false if
 * there is none. */
bool cc_clause_next(struct cc_span *line, struct cc_span *ret_name, struct cc_span *ret_value);
/* Returns the word before a colon at the beginning of a value, as in if(target : x), and skips
 * both; empty: there is none. */
struct cc_span cc_modifier_next(struct cc_span *value);
/* Returns the word after `#pragma omp`; false: the line is no such pragma. */
bool cc_is_openmp(struct cc_span line, struct cc_span *ret_word);

#endif
