/* SPDX-License-Identifier: Apache-2.0
 *
 * updates.c - marks the updates in isolated blocks and critical sections that commute
 *
 * The rewriter copies the text up to the next place where updates can be (updates.h, [where]), and
 * there goes through statements: into blocks, and behind the heads of if, for and while.
 */
#include "cc/updates/updates.h"

#include "cc/text/lines.h"
#include "cc/text/scanner.h"
#include "cc/updates/updates_match.h"
#include "cc/updates/updates_write.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Functions that take and release a lock. */
static const struct {
	const char *takes, *releases;
} locks[] = {
	{"snag_isolated_begin", "snag_isolated_end"},
	{"omp_set_lock", "omp_unset_lock"},
	{"omp_set_nest_lock", "omp_unset_nest_lock"},
	{"pthread_mutex_lock", "pthread_mutex_unlock"},
};

/* Atomic functions, by the beginning and end of their names. */
static const struct {
	const char *name;
	enum cc_update_op op;
} atomics[] = {
	{"__atomic_fetch_add", CC_UPDATE_SUM},	   {"__atomic_fetch_sub", CC_UPDATE_SUM},
	{"__atomic_add_fetch", CC_UPDATE_SUM},	   {"__atomic_sub_fetch", CC_UPDATE_SUM},
	{"__atomic_fetch_and", CC_UPDATE_AND},	   {"__atomic_fetch_or", CC_UPDATE_OR},
	{"__atomic_fetch_xor", CC_UPDATE_XOR},	   {"__c11_atomic_fetch_add", CC_UPDATE_SUM},
	{"__c11_atomic_fetch_sub", CC_UPDATE_SUM}, {"__c11_atomic_fetch_and", CC_UPDATE_AND},
	{"__c11_atomic_fetch_or", CC_UPDATE_OR},   {"__c11_atomic_fetch_xor", CC_UPDATE_XOR},
	{"__sync_fetch_and_add", CC_UPDATE_SUM},   {"__sync_fetch_and_sub", CC_UPDATE_SUM},
	{"__sync_add_and_fetch", CC_UPDATE_SUM},   {"__sync_sub_and_fetch", CC_UPDATE_SUM},
	{"__sync_fetch_and_or", CC_UPDATE_OR},	   {"__sync_fetch_and_and", CC_UPDATE_AND},
	{"__sync_fetch_and_xor", CC_UPDATE_XOR},
};

static bool is_head(struct cc_span word)
{
	static const char *const head[] = {"if", "for", "while", "switch"};
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		if (cc_span_is(word, head[i]))
			return true;
	return false;
}

/* Returns the end of the simple statement that the text is in. */
static const char *semicolon_end(struct cc_span text)
{
	for (;;) {
		struct cc_span token = cc_token_next(&text).is;
		if (token.at == token.end || cc_span_is(token, "}"))
			return token.at;
		if (cc_span_is(token, ";"))
			return token.end;
		char c = *token.at, closes = c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : 0;
		if (closes)
			text.at = cc_closed_end((struct cc_span){token.at, text.end}, c, closes);
	}
}

static void statement(struct cc_marking *m, unsigned depth);
static void pragma(struct cc_marking *m, struct cc_span line, struct cc_span word, unsigned depth);

/* Finds the first pragma of OpenMP between the place and the next token. */
static bool pragma_next(const struct cc_marking *m, struct cc_span *ret_line,
			struct cc_span *ret_word)
{
	struct cc_span text = cc_marking_rest(m), line;
	const char *token = cc_blanks_skip(text).at;
	struct cc_lines lines = cc_lines_of((struct cc_span){m->at, token});
	while (cc_lines_next(&lines, &line))
		if (cc_is_openmp(line, ret_word)) {
			*ret_line = line;
			return true;
		}
	return false;
}

static void block(struct cc_marking *m, unsigned depth)
{
	struct cc_span text = cc_marking_rest(m);
	cc_token_next(&text);
	cc_marking_copy(m, text.at);
	for (;;) {
		text = cc_marking_rest(m);
		struct cc_span token = cc_token_next(&text).is;
		if (token.at == token.end)
			return;
		if (cc_span_is(token, "}")) {
			cc_marking_copy(m, text.at);
			return;
		}
		const char *before = m->at;
		statement(m, depth + 1);
		if (m->at == before) /* statement() does not recognise the statement */
			cc_marking_copy(m, text.at);
	}
}

/* Handles one statement of a place where updates can be. */
static void statement(struct cc_marking *m, unsigned depth)
{
	enum { DEEPEST = 200 };
	struct cc_span text = cc_marking_rest(m);
	struct cc_span word = cc_token_next(&text).is;
	struct cc_update u;
	struct cc_span line, directive;
	if (depth > DEEPEST || word.at == word.end)
		return;
	if (pragma_next(m, &line, &directive)) {
		cc_marking_copy(m, line.at);
		pragma(m, line, directive, depth);
		if (m->at == line.end && cc_span_is(directive, "atomic"))
			cc_marking_copy(m, semicolon_end(cc_marking_rest(m)));
		else if (m->at == line.end)
			statement(m, depth + 1);
		return;
	}
	if (cc_update_match(cc_marking_rest(m), m->is_cxx, &u) &&
	    cc_marking_has_line(m, u.whole.at) && cc_marking_has_address(m, u.x)) {
		cc_marking_copy(m, u.whole.at);
		cc_update_mark(m, &u);
	} else if (cc_span_is(word, "{")) {
		block(m, depth);
	} else if (is_head(word)) {
		struct cc_span open = text;
		struct cc_span token = cc_token_next(&open).is;
		if (!cc_span_is(token, "("))
			return;
		cc_marking_copy(m, cc_closed_end((struct cc_span){token.at, text.end}, '(', ')'));
		statement(m, depth + 1);
		text = cc_marking_rest(m);
		if (cc_span_is(word, "if") && cc_token_skip(&text, "else")) {
			cc_marking_copy(m, text.at);
			statement(m, depth + 1);
		}
	} else if (cc_span_is(word, "do")) {
		cc_marking_copy(m, text.at);
		statement(m, depth + 1);
		cc_marking_copy(m, semicolon_end(cc_marking_rest(m)));
	} else {
		cc_marking_copy(m, semicolon_end(cc_marking_rest(m)));
	}
}

/* Handles statements up to the call that releases the lock, in the same block. */
static void held(struct cc_marking *m, const char *releases)
{
	for (;;) {
		struct cc_span text = cc_marking_rest(m);
		struct cc_span token = cc_token_next(&text).is;
		const char *before = m->at;
		if (token.at == token.end || cc_span_is(token, "}") || cc_span_is(token, releases))
			return;
		statement(m, 0);
		if (m->at == before)
			return;
	}
}

/* The text is after the name of a function that takes a lock: a call, or the head of a block. */
static void lock_taken(struct cc_marking *m, const char *releases)
{
	struct cc_span text = cc_marking_rest(m);
	struct cc_span open = cc_token_next(&text).is;
	if (!cc_span_is(open, "("))
		return;
	cc_marking_copy(m, cc_closed_end((struct cc_span){open.at, text.end}, '(', ')'));
	text = cc_marking_rest(m);
	if (cc_token_skip(&text, ";")) {
		cc_marking_copy(m, text.at);
		held(m, releases);
		return;
	}
	for (int depth = 3; depth > 0;) { /* <snag/task.h>: for (int once = ((begin()), 1); ... */
		struct cc_span token = cc_token_next(&text).is;
		if (token.at == token.end || cc_span_is(token, "{") || cc_span_is(token, "}"))
			return;
		depth += cc_span_is(token, "(");
		depth -= cc_span_is(token, ")");
		if (depth == 0) {
			cc_marking_copy(m, text.at);
			statement(m, 0);
			return;
		}
	}
}

/* snag::isolated([&] { ... }) */
static void isolated_called(struct cc_marking *m)
{
	struct cc_span text = cc_marking_rest(m);
	if (!cc_token_skip(&text, "(") || !cc_token_skip(&text, "["))
		return;
	for (;;) {
		struct cc_span before = text, token = cc_token_next(&text).is;
		if (token.at == token.end || cc_span_is(token, ";") || cc_span_is(token, "}"))
			return;
		if (cc_span_is(token, "{")) {
			cc_marking_copy(m, before.at);
			block(m, 0);
			return;
		}
	}
}

static void pragma(struct cc_marking *m, struct cc_span line, struct cc_span word, unsigned depth)
{
	if (cc_span_is(word, "atomic"))
		cc_atomic_pragma_mark(m, line);
	if (m->at <= line.at)
		cc_marking_copy(m, line.end);
	static const char excludes[] = "mutexinoutset";
	bool is_excluded =
		cc_word_find(line, (struct cc_span){excludes, excludes + strlen(excludes)});
	if (cc_span_is(word, "critical") || is_excluded)
		statement(m, depth + 1);
}

/* The character before the word distinguishes a call from a declaration. */
static void word_copied(struct cc_marking *m, struct cc_span word, char before)
{
	bool begins_statement = before == ';' || before == '{' || before == '}';
	bool is_called = begins_statement || before == '(' || before == ')' || before == ':';
	for (size_t i = 0; begins_statement && i < sizeof(atomics) / sizeof(atomics[0]); i++)
		if (cc_span_is(word, atomics[i].name)) {
			cc_atomic_call_mark(m, word, atomics[i].op);
			return;
		}
	for (size_t i = 0; is_called && i < sizeof(locks) / sizeof(locks[0]); i++)
		if (cc_span_is(word, locks[i].takes)) {
			cc_marking_copy(m, word.end);
			lock_taken(m, locks[i].releases);
			return;
		}
	if (m->is_cxx && is_called && cc_span_is(word, "isolated")) {
		cc_marking_copy(m, word.end);
		isolated_called(m);
	}
}

static void text_mark(struct cc_marking *m)
{
	char before = 0; /* the last character that is no blank */
	while (m->at < m->text.end) {
		bool is_word, is_line = m->at == m->text.at || m->at[-1] == '\n';
		struct cc_span line = {m->at, m->text.end}, word = {0};
		const char *newline = memchr(m->at, '\n', (size_t)(m->text.end - m->at));
		line.end = is_line && newline ? newline : line.end;
		if (is_line && cc_is_mark(line)) {
			if (cc_is_openmp(line, &word))
				pragma(m, line, word, 0);
			else
				cc_marking_copy(m, line.end);
			continue;
		}
		const char *begin = m->at;
		struct cc_span token = {m->at, cc_token_end(cc_marking_rest(m), &is_word)};
		if (is_word)
			word_copied(m, token, before);
		if (m->at == begin)
			cc_marking_copy(m, token.end);
		for (const char *c = m->at; c > begin; c--)
			if (!isspace((unsigned char)c[-1])) {
				before = c[-1];
				break;
			}
	}
}

/* Returns the place after the mark that says where the text comes from.  Declarations go there. */
static const char *begin_of(struct cc_span text)
{
	const char *last = text.at;
	while (text.at < text.end && *text.at == '#') {
		struct cc_span next = cc_line_skip(text);
		if (next.at - text.at >= 2 && next.at[-2] == '"')
			last = text.at;
		text = next;
	}
	return last;
}

void cc_updates_mark(struct cc_text *to, struct cc_span text, bool is_cxx)
{
	static const char declaration[] =
		"# 1 \"<snag>\" 3\n"
		"void snag_update_begin_(unsigned) __asm__(\"snag_update_begin_\");\n"
		"void snag_update_end_(void) __asm__(\"snag_update_end_\");\n"
		"void snag_atomic_update_(unsigned) __asm__(\"snag_atomic_update_\");\n";
	struct cc_marking m = {.text = text, .at = text.at, .is_cxx = is_cxx};
	m.lines = cc_lines_of(text);
	text_mark(&m);
	const char *begin = begin_of(text);
	size_t n = (size_t)(begin - text.at); /* these bytes were copied as they are */
	if (m.has_marked) {
		cc_text_add(to, text.at, n);
		cc_text_words(to, declaration);
		cc_text_add(to, m.t.at + n, m.t.n - n);
	} else {
		cc_text_span(to, text);
	}
	free(m.t.at);
}
