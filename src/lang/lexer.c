/* SPDX-License-Identifier: Apache-2.0
 *
 * lexer.c - the text of a program as tokens
 *
 * Lines and columns count from 1, columns in bytes.
 */
#include "lang/lexer.h"

#include <string.h>

static const struct {
	const char *text;
	int kind;
} keywords[] = {
#define KEYWORD(name, text) {text, TOKEN_##name},
#include "lang/keywords.def"
#undef KEYWORD
};

static const struct {
	char text[3];
	int kind;
} operators[] = {{"<=", TOKEN_LESS_EQUAL}, {">=", TOKEN_GREATER_EQUAL}, {"==", TOKEN_EQUAL},
		 {"!=", TOKEN_UNEQUAL},	   {"&&", TOKEN_AND},		{"||", TOKEN_OR}};

void lexer_init(struct lexer *lx, const char *name, const char *text, size_t nbytes)
{
	*lx = (struct lexer){
		.name = name, .at = text, .end = text + nbytes, .line_begin = text, .line = 1};
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_begin(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip_space(struct lexer *lx)
{
	for (; lx->at < lx->end; lx->at++) {
		if (*lx->at == '/' && lx->end - lx->at > 1 && lx->at[1] == '/') {
			const char *nl = memchr(lx->at, '\n', (size_t)(lx->end - lx->at));
			lx->at = nl ? nl : lx->end;
			if (!nl)
				return;
		}
		if (*lx->at == '\n') {
			lx->line++;
			lx->line_begin = lx->at + 1;
		} else if (*lx->at != ' ' && *lx->at != '\t' && *lx->at != '\r') {
			return;
		}
	}
}

static int bad(const struct lexer *lx, const struct lang_token *t, struct snag_error *err,
	       const char *what)
{
	int shown = (int)(t->len < 40 ? t->len : 40);
	return snag_fail(err, SNAG_EINPUT, "%s:%u:%u: %s '%.*s'", lx->name, t->place.line,
			 t->place.column, what, shown, t->text);
}

static int read_integer(struct lexer *lx, struct lang_token *t, struct snag_error *err)
{
	bool is_big = false;
	for (; lx->at < lx->end && is_digit(*lx->at); lx->at++)
		is_big |= __builtin_mul_overflow(t->integer, 10, &t->integer) ||
			  __builtin_add_overflow(t->integer, *lx->at - '0', &t->integer);
	bool is_name = lx->at < lx->end && is_name_begin(*lx->at);
	t->kind = TOKEN_INTEGER;
	t->len = (size_t)(lx->at - t->text) + is_name;
	if (is_name)
		return bad(lx, t, err, "a letter in the number");
	return is_big ? bad(lx, t, err, "more than 63 bits in the number") : 0;
}

static int read_name(struct lexer *lx, struct lang_token *t, struct snag_error *err)
{
	while (lx->at < lx->end && (is_name_begin(*lx->at) || is_digit(*lx->at)))
		lx->at++;
	t->kind = TOKEN_NAME;
	t->len = (size_t)(lx->at - t->text);
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (strlen(keywords[i].text) == t->len &&
		    memcmp(keywords[i].text, t->text, t->len) == 0)
			t->kind = keywords[i].kind;
	return t->len > MAX_NAME ? bad(lx, t, err, "too long a name:") : 0;
}

static int read_operator(struct lexer *lx, struct lang_token *t, struct snag_error *err)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (lx->end - lx->at > 1 && memcmp(lx->at, operators[i].text, 2) == 0) {
			t->kind = operators[i].kind;
			t->len = 2;
			lx->at += 2;
			return 0;
		}
	t->len = 1;
	if (!*lx->at || !strchr("{}()[];,=*/%+-<>!", *lx->at))
		return bad(lx, t, err, "unexpected character");
	t->kind = TOKEN_CHARACTER + *lx->at++;
	return 0;
}

int lexer_next(struct lexer *lx, struct lang_token *ret_token, struct snag_error *err)
{
	skip_space(lx);
	struct lang_token *t = ret_token;
	*t = (struct lang_token){
		.kind = TOKEN_END,
		.text = lx->at,
		.place = {.line = lx->line, .column = (uint32_t)(lx->at - lx->line_begin) + 1}};
	if (lx->at == lx->end)
		return 0;
	if (is_digit(*lx->at))
		return read_integer(lx, t, err);
	if (!is_name_begin(*lx->at))
		return read_operator(lx, t, err);
	return read_name(lx, t, err);
}
