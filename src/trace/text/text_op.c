/* SPDX-License-Identifier: Apache-2.0
 *
 * text_op.c - the part STD and CSV have in common: `op(operand)`, and messages
 */
#include "trace/text/text_op.h"

#include <stdio.h>
#include <string.h>

const char *snag_text_op_list(void)
{
	return "r w acq rel fork join br begin end racq rrel ar aw au fence dep";
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
	for (int op = 0; op < SNAG_OPS; op++) {
		const char *text = snag_op_info[op].text;
		if (snag_text_has((uint8_t)op) && strlen(text) == n && memcmp(text, s, n) == 0)
			return op;
	}
	return -1;
}

static const char *const order_text[SNAG_ORDERS] = {
	[SNAG_RELAXED] = "relaxed", [SNAG_CONSUME] = "consume", [SNAG_ACQUIRE] = "acquire",
	[SNAG_RELEASE] = "release", [SNAG_ACQ_REL] = "acq_rel", [SNAG_SEQ_CST] = "seq_cst"};

/* What follows the word of an atomic: [SIZE][.ORDER][.wait]. */
enum { USUAL_SIZE = 1, USUAL_ORDER = SNAG_SEQ_CST };
static const char wait_text[] = ".wait";

char *snag_text_op_put(char *to, const struct snag_event *ev)
{
	uint8_t order = ev->flags & SNAG_ORDER_MASK;
	to = stpcpy(to, snag_op_info[ev->op].text);
	if (!snag_op_is_atomic(ev->op))
		return to;
	if (ev->op != SNAG_OP_FENCE && ev->size > USUAL_SIZE)
		to += sprintf(to, "%u", ev->size);
	if (order != USUAL_ORDER && order < SNAG_ORDERS) {
		*to++ = '.';
		to = stpcpy(to, order_text[order]);
	}
	return snag_event_is_wait(ev) ? stpcpy(to, wait_text) : to;
}

static bool takes(const char **at, const char *end, const char *text)
{
	size_t n = strlen(text);
	if ((size_t)(end - *at) < n || memcmp(*at, text, n) != 0)
		return false;
	*at += n;
	return true;
}

static bool size_parse(const char **at, const char *end, uint8_t *ret)
{
	unsigned size = 0;
	const char *begin = *at;
	for (; *at < end && **at >= '0' && **at <= '9' && *at - begin < 3; ++*at)
		size = size * 10 + (unsigned)(**at - '0');
	if (*at > begin && (*begin == '0' || size > UINT8_MAX))
		return false;
	*ret = *at > begin ? (uint8_t)size : USUAL_SIZE;
	return true;
}

static void order_parse(const char **at, const char *end, uint8_t *ret)
{
	const char *word = *at;
	*ret = USUAL_ORDER;
	if (!takes(&word, end, "."))
		return;
	for (uint8_t i = 0; i < SNAG_ORDERS; i++)
		if (takes(&word, end, order_text[i])) {
			*ret = i;
			*at = word;
			return;
		}
}

/* The word of an atomic access or fence; false: it is none. */
static bool atomic_parse(const char *s, size_t n, struct snag_text_op *ret)
{
	const char *at = s, *end = s + n;
	size_t letters = 0;
	while (letters < n && s[letters] >= 'a' && s[letters] <= 'z')
		letters++;
	int op = op_find(s, letters);
	if (op < 0 || !snag_op_is_atomic((uint8_t)op))
		return false;
	*ret = (struct snag_text_op){.op = (enum snag_op)op};
	at += letters;
	if (op != SNAG_OP_FENCE && !size_parse(&at, end, &ret->size))
		return false;
	order_parse(&at, end, &ret->flags);
	if (op != SNAG_OP_FENCE && takes(&at, end, wait_text))
		ret->size = 0;
	return at == end;
}

static bool word_parse(const char *s, size_t n, struct snag_text_op *ret)
{
	if (atomic_parse(s, n, ret))
		return true;
	int op = op_find(s, n);
	*ret = (struct snag_text_op){.op = (enum snag_op)op};
	return op >= 0 && !snag_op_is_atomic((uint8_t)op);
}

int snag_text_op_parse(const char *s, size_t n, const struct snag_text_place *place,
		       struct snag_text_op *ret_op, struct snag_error *err)
{
	const char *paren = n ? memchr(s, '(', n) : NULL;
	size_t word = paren ? (size_t)(paren - s) : n;
	struct snag_text_op op;
	if (!word_parse(s, word, &op)) {
		char buf[SNAG_TEXT_QUOTE];
		return snag_fail(err, SNAG_EINPUT,
				 "%s:%llu: unknown operation '%s', expected one of %s", place->name,
				 (unsigned long long)place->line, snag_text_quote(buf, s, word),
				 snag_text_op_list());
	}
	if (paren && s[n - 1] != ')')
		return snag_text_fail(err, place, "expected OP(OPERAND), got", s, n);
	if (snag_op_info[op.op].space == SNAG_SPACE_NONE) {
		*ret_op = op;
		return 0;
	}
	size_t len = paren ? n - word - 2 : 0;
	if (len == 0)
		return snag_text_fail(err, place, "an operand is missing in", s, n);
	op.operand = paren + 1;
	op.len = len;
	*ret_op = op;
	return 0;
}
