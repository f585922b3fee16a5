/* SPDX-License-Identifier: Apache-2.0
 *
 * text_op.c - the part STD and CSV have in common: `op(operand)`, and messages
 */
#include "trace/text_op.h"

#include <string.h>

const char *snag_text_op_list(void)
{
	return "r w acq rel fork join br begin end";
}

bool snag_text_is_space(unsigned char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool snag_text_name_ok(const char *s, size_t n, const char *but)
{
	for (size_t i = 0; i < n; i++)
		if (!s[i] || snag_text_is_space((unsigned char)s[i]) || strchr(but, s[i]))
			return false;
	return n > 0;
}

const char *snag_text_quote(char buf[SNAG_TEXT_QUOTE], const char *s, size_t n)
{
	size_t max = SNAG_TEXT_QUOTE - sizeof("..."), shown = n < max ? n : max;
	for (size_t i = 0; i < shown; i++)
		buf[i] = s[i] ? s[i] : '?';
	strcpy(buf + shown, n > max ? "..." : "");
	return buf;
}

int snag_text_fail(struct snag_error *err, const struct snag_text_place *place, const char *what,
		   const char *s, size_t n)
{
	char buf[SNAG_TEXT_QUOTE];
	return snag_fail(err, SNAG_EINPUT, "%s:%llu: %s '%s'", place->name,
			 (unsigned long long)place->line, what, snag_text_quote(buf, s, n));
}

static int op_find(const char *s, size_t n)
{
	for (int op = 0; op < SNAG_TEXT_OPS; op++) {
		const char *text = snag_op_info[op].text;
		if (strlen(text) == n && memcmp(text, s, n) == 0)
			return op;
	}
	return -1;
}

int snag_text_op_parse(const char *s, size_t n, const struct snag_text_place *place,
		       struct snag_text_op *ret_op, struct snag_error *err)
{
	const char *paren = n ? memchr(s, '(', n) : NULL;
	size_t word = paren ? (size_t)(paren - s) : n;
	int op = op_find(s, word);
	if (op < 0) {
		char buf[SNAG_TEXT_QUOTE];
		return snag_fail(err, SNAG_EINPUT,
				 "%s:%llu: unknown operation '%s', expected one of %s", place->name,
				 (unsigned long long)place->line, snag_text_quote(buf, s, word),
				 snag_text_op_list());
	}
	if (paren && s[n - 1] != ')')
		return snag_text_fail(err, place, "expected OP(OPERAND), got", s, n);
	if (snag_op_info[op].space == SNAG_SPACE_NONE) {
		*ret_op = (struct snag_text_op){.op = (enum snag_op)op};
		return 0;
	}
	size_t len = paren ? n - word - 2 : 0;
	if (len == 0)
		return snag_text_fail(err, place, "an operand is missing in", s, n);
	*ret_op = (struct snag_text_op){.op = (enum snag_op)op, .operand = paren + 1, .len = len};
	return 0;
}
