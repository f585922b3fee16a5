/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_statements.c - where one statement of a simd loop ends and the next begins
 */
#include "cc/openmp/openmp_statements.h"

#include "cc/openmp/openmp_nest.h"
#include "cc/text/scanner.h"

#include <stdio.h>

enum kind {
	PLAIN,	  /* it ends with a semicolon */
	BLOCK,	  /* or with a brace */
	DECLARED, /* it is a declaration, or a jump */
};

static bool is_one_of(struct cc_span word, const char *const *list)
{
	for (; *list; list++)
		if (cc_span_is(word, *list))
			return true;
	return false;
}

static enum kind kind_of(struct cc_span text)
{
	static const char *const block[] = {"{", "if", "for", "while", "switch", "do", "try", NULL};
	static const char *const type[] = {
		"int",	  "char",     "short",	    "long",	"float",     "double",
		"signed", "unsigned", "void",	    "_Bool",	"bool",	     "struct",
		"union",  "enum",     "const",	    "volatile", "static",    "register",
		"auto",	  "typedef",  "__typeof__", "typeof",	"constexpr", "using",
		"return", "goto",     "continue",   "break",	"extern",    NULL};
	struct cc_token first = cc_token_next(&text), second = cc_token_next(&text);
	if (is_one_of(first.is, block))
		return BLOCK;
	if (is_one_of(first.is, type) ||
	    (first.is_word && (second.is_word || cc_span_is(second.is, "*"))))
		return DECLARED;
	return PLAIN;
}

/* Returns the text after the bracket that closes the parenthesis, bracket or brace at its
 * beginning. */
static struct cc_span inside_skip(struct cc_span text, struct cc_span opens)
{
	const char closes = *opens.at == '(' ? ')' : *opens.at == '[' ? ']' : '}';
	return (struct cc_span){
		cc_closed_end((struct cc_span){opens.at, text.end}, *opens.at, closes), text.end};
}

/* Returns whether the statement continues with the next token. */
static bool goes_on(struct cc_span text, bool has_do)
{
	static const char *const more[] = {"else", "catch", NULL};
	struct cc_span next = cc_token_next(&text).is;
	return is_one_of(next, more) || (has_do && cc_span_is(next, "while"));
}

/* Returns the text after the whole statement; empty: the block ends before. */
static struct cc_span statement_skip(struct cc_span text, enum kind kind) /* [end] */
{
	const struct cc_span none = {text.end, text.end};
	bool has_do = false;
	for (;;) {
		struct cc_span token = cc_token_next(&text).is;
		bool ends = cc_span_is(token, ";");
		has_do |= cc_span_is(token, "do");
		if (token.at == token.end || cc_span_is(token, "}"))
			return none;
		if (cc_span_is(token, "(") || cc_span_is(token, "[") || cc_span_is(token, "{")) {
			text = inside_skip(text, token);
			ends = kind == BLOCK && *token.at == '{';
		}
		if (ends && (kind != BLOCK || !goes_on(text, has_do)))
			return text;
	}
}

/* Returns the end of the next statement of a block, and skips the statement. Returns NULL if no
 * other statement follows it. */
static const char *statement_next(struct cc_span *block)
{
	for (;;) {
		enum kind kind = kind_of(*block);
		struct cc_span rest = statement_skip(*block, kind), next = rest;
		struct cc_span token = cc_token_next(&next).is;
		*block = rest;
		if (token.at == token.end || cc_span_is(token, "}"))
			return NULL;
		if (kind != DECLARED) /* [none] */
			return rest.at;
	}
}

void cc_statements_begin(struct cc_statements *st, struct cc_span loops, unsigned nloops)
{
	const char *block = cc_nest_block(loops, nloops);
	st->n = 0;
	st->body = (struct cc_span){block, loops.end};
	st->next = block ? statement_next(&st->body) : NULL;
	st->are_there |= st->next != NULL;
}

static void column_keep(const struct cc_lines *lines, struct cc_span before, const char *end,
			struct cc_text *to)
{
	if (cc_span_trim((struct cc_span){before.end, end}).at == end || !lines->file.at)
		return;
	cc_text_words(to, "\n");
	cc_lines_mark(lines, to);
	for (const char *at = before.at; at < before.end; at++)
		cc_text_words(to, *at == '\t' ? "\t" : " ");
}

void cc_statements_copy(struct cc_statements *st, struct cc_sections *s,
			const struct cc_lines *lines, struct cc_span line, struct cc_text *to)
{
	char words[64];
	const char *const begin = line.at;
	while (st->next && st->next >= line.at && st->next <= line.end) {
		cc_code_copy(s, to, (struct cc_span){line.at, st->next});
		snprintf(words, sizeof(words), " __snag_omp_statement(%uu);", st->n++);
		cc_text_words(to, words);
		column_keep(lines, (struct cc_span){begin, st->next}, line.end, to);
		line.at = st->next;
		st->next = statement_next(&st->body);
	}
	cc_code_copy(s, to, line);
}
