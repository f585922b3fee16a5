/* SPDX-License-Identifier: Apache-2.0
 *
 * scanner.h - the scanner of preprocessed C and C++: tokens, and what they enclose
 *
 * Idea.   The rewriter needs no grammar, only where a token ends: a brace in a literal closes
 *         nothing, and a word in a longer word is not that word.  A token is a word, a number,
 *         a literal or any other character.
 * Rules.  [number]  may have quotes in it, and counts as a word
 *         [raw]     R"x(...)x" is one token, however many lines it has
 *         [line]    blanks, marks of lines and pragmas stand between tokens
 */
#ifndef SNAG_CC_SCANNER_H
#define SNAG_CC_SCANNER_H

#include "cc/text/text.h"

/* Returns the end of the token that the text begins with; the text must not be empty. */
const char *cc_token_end(struct cc_span s, bool *ret_is_word);
/* Returns the end of a literal like R"x(...)x"; NULL: the text does not begin with one. */
const char *cc_raw_end(struct cc_span s);

/* Returns the text after the end of the line; or after blanks, marks of lines and pragmas. */
struct cc_span cc_line_skip(struct cc_span text);
struct cc_span cc_blanks_skip(struct cc_span text);

struct cc_token {
	struct cc_span is; /* the next token; empty: the text has ended */
	bool is_word;
};
/* Returns the next token, after blanks, and skips it. */
struct cc_token cc_token_next(struct cc_span *text);
/* Skips the next token if it is this one. */
bool cc_token_skip(struct cc_span *text, const char *token);

/* Returns the text after the bracket that closes the one that the text begins with. */
const char *cc_closed_end(struct cc_span s, char opens, char closes);
/* Returns the first word of a text that is `word`; NULL: it has none. */
const char *cc_word_find(struct cc_span text, struct cc_span word);
/* Returns the first colon outside of parentheses and braces; NULL: there is none. */
const char *cc_colon_find(struct cc_span s);

#endif
