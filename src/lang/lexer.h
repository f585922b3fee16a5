/* SPDX-License-Identifier: Apache-2.0
 *
 * lexer.h - the text of a program as tokens
 */
#ifndef SNAG_LANG_LEXER_H
#define SNAG_LANG_LEXER_H

#include "lang/program.h"

enum token_kind {
	TOKEN_END, /* of the text */
	TOKEN_NAME,
	TOKEN_INTEGER,
	TOKEN_LESS_EQUAL,
	TOKEN_GREATER_EQUAL,
	TOKEN_EQUAL,
	TOKEN_UNEQUAL,
	TOKEN_AND,
	TOKEN_OR,
#define KEYWORD(name, text) TOKEN_##name,
#include "lang/keywords.def"
#undef KEYWORD
	/* Any other character is its own kind, above these. */
	TOKEN_CHARACTER = 128,
};

enum { MAX_NAME = 100 }; /* bytes, so that names fit where they are shown whole */

struct lang_token {
	int kind; /* enum token_kind, or TOKEN_CHARACTER + the character */
	struct snag_place place;
	const char *text; /* not NUL-terminated */
	size_t len;
	int64_t integer;
};

struct lexer {
	const char *name; /* of the file */
	const char *at, *end;
	const char *line_begin;
	uint32_t line;
};

void lexer_init(struct lexer *lx, const char *name, const char *text, size_t nbytes);
/* 0, or negative with *err filled. */
int lexer_next(struct lexer *lx, struct lang_token *ret_token, struct snag_error *err);

#endif
