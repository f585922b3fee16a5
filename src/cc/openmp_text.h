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

/* A stretch of somebody's text. */
struct cc_span {
	const char *at, *end;
};
void cc_text_span(struct cc_text *t, struct cc_span s);
struct cc_span cc_span_trim(struct cc_span s);
bool cc_span_is(struct cc_span s, const char *word);

/* The next word of a line, and, if there is one, what is in parentheses behind it.  False: none. */
bool cc_clause_next(struct cc_span *line, struct cc_span *ret_name, struct cc_span *ret_value);
/* The word of a value that a colon follows, as in if(target : x), which it steps behind; empty: none. */
struct cc_span cc_modifier_next(struct cc_span *value);
/* The word behind `#pragma omp`; false: the line is no such. */
bool cc_is_openmp(struct cc_span line, struct cc_span *ret_word);

/* The end of the word, literal or other character that the text begins with. */
const char *cc_token_end(struct cc_span s, bool *ret_is_word);
/* The first word of a text that is `word`; NULL: there is none. */
const char *cc_word_find(struct cc_span text, struct cc_span word);
/* The first colon outside of parentheses and braces; NULL: none. */
const char *cc_colon_find(struct cc_span s);
/* Of a literal like R"x(...)x"; NULL: the text does not begin with one. */
const char *cc_raw_end(struct cc_span s);
/* Behind what `opens` and the text begins with, and is closed by the other one. */
const char *cc_closed_end(struct cc_span s, char opens, char closes);

#endif
