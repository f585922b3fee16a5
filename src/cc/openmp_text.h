/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_text.h - stretches of preprocessed text: lines, words, clauses of pragmas
 */
#ifndef SNAG_CC_OPENMP_TEXT_H
#define SNAG_CC_OPENMP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct cc_text { /* that grows */
	char *at;
	size_t n, room;
};
void cc_text_add(struct cc_text *t, const char *from, size_t n);
void cc_text_words(struct cc_text *t, const char *words);

/* A stretch of a text that it does not own. */
struct cc_span {
	const char *at, *end;
};
void cc_text_span(struct cc_text *t, struct cc_span s);
struct cc_span cc_span_trim(struct cc_span s);
bool cc_span_is(struct cc_span s, const char *word);

/* The next word of a line, and, if there is one, what is in parentheses behind it.  False: none. */
bool cc_clause_next(struct cc_span *line, struct cc_span *ret_name, struct cc_span *ret_value);
/* The word of a value that a colon follows, as in if(target : x), which it steps behind;
 * empty: none. */
struct cc_span cc_modifier_next(struct cc_span *value);
/* The word behind `#pragma omp`; false: the line is no such. */
bool cc_is_openmp(struct cc_span line, struct cc_span *ret_word);

#endif
