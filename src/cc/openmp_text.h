/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_text.h - stretches of preprocessed text: lines, words, clauses of pragmas
 */
#ifndef SNAG_CC_OPENMP_TEXT_H
#define SNAG_CC_OPENMP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct text { /* that grows */
	char *at;
	size_t n, room;
};
void cli_text_add(struct text *t, const char *from, size_t n);
void cli_text_words(struct text *t, const char *words);

/* A stretch of somebody's text. */
struct span {
	const char *at, *end;
};
void cli_text_span(struct text *t, struct span s);
struct span cli_span_trim(struct span s);
bool cli_span_is(struct span s, const char *word);

/* The next word of a line, and, if there is one, what is in parentheses behind it.  False: none. */
bool cli_clause_next(struct span *line, struct span *ret_name, struct span *ret_value);
/* The word of a value that a colon follows, as in if(target : x), which it steps behind; empty: none. */
struct span cli_modifier_next(struct span *value);
/* The word behind `#pragma omp`; false: the line is no such. */
bool cli_is_openmp(struct span line, struct span *ret_word);

/* The end of the word, literal or other character that the text begins with. */
const char *cli_token_end(struct span s, bool *ret_is_word);
/* The first word of a text that is `word`; NULL: there is none. */
const char *cli_word_find(struct span text, struct span word);
/* The first colon outside of parentheses and braces; NULL: none. */
const char *cli_colon_find(struct span s);
/* Of a literal like R"x(...)x"; NULL: the text does not begin with one. */
const char *cli_raw_end(struct span s);
/* Behind what `opens` and the text begins with, and is closed by the other one. */
const char *cli_closed_end(struct span s, char opens, char closes);

#endif
