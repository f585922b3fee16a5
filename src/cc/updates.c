/* SPDX-License-Identifier: Apache-2.0
 *
 * updates.c - marks the updates in isolated blocks and critical sections that commute
 *
 * The rewriter copies the text up to the next place where updates can be (updates.h, [where]), and
 * there goes through statements: into blocks, and behind the heads of if, for and while.
 */
#include "cc/updates.h"

#include "cc/openmp_lines.h"
#include "cc/openmp_scanner.h"
#include "cc/updates_match.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct marking {
	struct cc_text t;
	struct cc_span text; /* all of it */
	const char *at;	     /* what is before was copied */
	struct cc_lines lines;
	bool is_cxx, has_marked;
};

/* Functions between which a lock is held. */
static const struct {
	const char *takes, *releases;
} locks[] = {
	{"snag_isolated_begin", "snag_isolated_end"},
	{"omp_set_lock", "omp_unset_lock"},
	{"omp_set_nest_lock", "omp_unset_nest_lock"},
	{"pthread_mutex_lock", "pthread_mutex_unlock"},
};

/* Atomic functions, by how their names begin and end. */
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

static struct cc_span rest_of(const struct marking *m)
{
	return (struct cc_span){m->at, m->text.end};
}

static void copy_to(struct marking *m, const char *end)
{
	cc_text_span(&m->t, (struct cc_span){m->at, end});
	m->at = end;
}

static void words(struct marking *m, const char *w)
{
	cc_text_words(&m->t, w);
}

/* Continues on a line of its own that counts as the line of `place`, at its column. */
static void column_keep(struct marking *m, const char *place)
{
	struct cc_span line;
	while (m->lines.rest.at <= place && cc_lines_next(&m->lines, &line))
		;
	words(m, "\n");
	cc_lines_mark(&m->lines, &m->t);
	const char *begin = place;
	while (begin > m->text.at && begin[-1] != '\n')
		begin--;
	for (; begin < place; begin++)
		words(m, *begin == '\t' ? "\t" : " ");
}

/* Whether the place is on a line that marks say something of. */
static bool has_line(struct marking *m, const char *place)
{
	struct cc_span line;
	while (m->lines.rest.at <= place && cc_lines_next(&m->lines, &line))
		;
	return m->lines.file.at != NULL;
}

/* Whether the name may be that of a bit-field, or of something in a register. */
static bool may_lack_address(const struct marking *m, struct cc_span name) /* [bits] */
{
	struct cc_span text = m->text;
	const char *found;
	while ((found = cc_word_find(text, name))) {
		text.at = found + (name.end - name.at);
		struct cc_span next = text;
		if (!cc_token_skip(&next, ":") || cc_token_skip(&next, ":"))
			continue;
		struct cc_span width = cc_token_next(&next).is;
		if (width.at == width.end || !isdigit((unsigned char)*width.at))
			continue;
		if (cc_token_skip(&next, ";") || cc_token_skip(&next, ","))
			return true;
	}
	text = m->text;
	static const char word[] = "register";
	while ((found = cc_word_find(text, (struct cc_span){word, word + strlen(word)}))) {
		text.at = found + strlen(word);
		const char *end = memchr(text.at, ';', (size_t)(text.end - text.at));
		if (end && cc_word_find((struct cc_span){text.at, end}, name))
			return true;
	}
	return false;
}

static bool has_address(const struct marking *m, struct cc_span x)
{
	while (x.at < x.end) {
		struct cc_token t = cc_token_next(&x);
		if (t.is_word && !isdigit((unsigned char)*t.is.at) && may_lack_address(m, t.is))
			return false;
	}
	return true;
}

static void type_words(struct marking *m, struct cc_span x, struct cc_span e, const char *fmt)
{
	for (; *fmt; fmt++)
		if (*fmt == '@')
			cc_text_span(&m->t, x);
		else if (*fmt == '$' && e.at < e.end)
			cc_text_span(&m->t, e);
		else if (*fmt == '$')
			words(m, "0");
		else
			cc_text_add(&m->t, fmt, 1);
}

/* The kind of an update: 0 unless its operands are integers.  Nothing in it is evaluated. */
static void kind_words(struct marking *m, enum cc_update_op op, struct cc_span x, struct cc_span e)
{
	char number[16];
	bool is_ordered = op == CC_UPDATE_LEAST || op == CC_UPDATE_GREATEST;
	type_words(m, x, e,
		   "(__builtin_classify_type(@) >= 1 && __builtin_classify_type(@) <= 4 && "
		   "__builtin_classify_type($) >= 1 && __builtin_classify_type($) <= 4");
	if (is_ordered)
		type_words(m, x, e, " && sizeof($) <= sizeof(@)");
	snprintf(number, sizeof(number), " ? %uu", (unsigned)op);
	words(m, number);
	type_words(m, x, e,
		   " + 32u * (unsigned)(sizeof(@) == 1 ? 0 : sizeof(@) == 2 ? 1 : "
		   "sizeof(@) == 4 ? 2 : sizeof(@) == 8 ? 3 : 4)");
	if (is_ordered)
		type_words(m, x, e,
			   " + 160u * (unsigned)((__typeof__(@))-1 > 0) + "
			   "320u * (unsigned)((__typeof__($))-1 > 0)");
	words(m, " : 0u)");
}

static bool is_one_word(struct cc_span s)
{
	bool is_word;
	return s.at < s.end && cc_token_end(s, &is_word) == s.end && is_word;
}

/* x is a name, and there is nothing else to evaluate: the statement stays as it is. */
static bool is_verbatim(const struct cc_update *u)
{
	bool is_constant =
		u->e.at == u->e.end || (isdigit((unsigned char)*u->e.at) && is_one_word(u->e));
	return is_constant && is_one_word(u->x);
}

/* The update with x and e as they are called now.  @ is x. */
static void update_words(struct marking *m, const struct cc_update *u, struct cc_span x)
{
	const struct cc_span none = {x.end, x.end};
	char signs[] = {'@', ' ', u->sign, '=', ' ', 0};
	if (u->sign) {
		type_words(m, x, none, signs);
		words(m, "__snag_e;");
		return;
	}
	if (u->e.at == u->e.end) { /* x++ or x = 3 */
		cc_text_span(&m->t, (struct cc_span){u->whole.at, u->x.at});
		type_words(m, x, none, "(@)");
		cc_text_span(&m->t, (struct cc_span){u->x.end, u->whole.end});
		return;
	}
	bool takes_left = (*u->less.at == '<') == (u->op == CC_UPDATE_LEAST);
	bool takes_x = takes_left == u->is_x_first;
	type_words(m, x, none, u->is_choice ? "@ = (" : "if (");
	type_words(m, x, none, u->is_x_first ? "@ " : "__snag_e ");
	cc_text_span(&m->t, u->less);
	type_words(m, x, none, u->is_x_first ? " __snag_e)" : " @)");
	if (u->is_choice)
		type_words(m, x, none, takes_x ? " ? @ : __snag_e;" : " ? __snag_e : @;");
	else
		type_words(m, x, none, " @ = __snag_e;");
}

static void declarations(struct marking *m, const struct cc_update *u)
{
	if (u->e.at < u->e.end)
		type_words(m, u->x, u->e,
			   m->is_cxx ? "const __typeof__($) &__snag_e = ($); "
				     : "__typeof__($) __snag_e = ($); ");
	if (!is_one_word(u->x))
		type_words(m, u->x, u->e, "__typeof__(&(@)) __snag_x = &(@); ");
}

/* A statement that is an update; the text is at its begin. */
static void update_mark(struct marking *m, const struct cc_update *u)
{
	static const char pointed[] = "*__snag_x", value[] = "__snag_e";
	bool is_same = is_verbatim(u);
	struct cc_span x = u->x, e = u->e;
	if (!is_one_word(x))
		x = (struct cc_span){pointed, pointed + strlen(pointed)};
	if (e.at < e.end && !is_same)
		e = (struct cc_span){value, value + strlen(value)};
	words(m, "{ ");
	if (!is_same)
		declarations(m, u);
	words(m, "snag_update_begin_(");
	kind_words(m, u->op, x, e);
	words(m, ");");
	column_keep(m, u->whole.at);
	if (is_same)
		cc_text_span(&m->t, u->whole);
	else
		update_words(m, u, x);
	words(m, " snag_update_end_(); }");
	m->at = u->whole.end;
	column_keep(m, m->at);
	m->has_marked = true;
}

static bool is_head(struct cc_span word)
{
	static const char *const head[] = {"if", "for", "while", "switch"};
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		if (cc_span_is(word, head[i]))
			return true;
	return false;
}

/* The end of the simple statement that the text is in. */
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

static void statement(struct marking *m, unsigned depth);
static void pragma(struct marking *m, struct cc_span line, struct cc_span word, unsigned depth);

/* Whether a pragma of OpenMP is between the place and the next token: the first one. */
static bool pragma_next(const struct marking *m, struct cc_span *ret_line, struct cc_span *ret_word)
{
	struct cc_span text = rest_of(m), line;
	const char *token = cc_blanks_skip(text).at;
	struct cc_lines lines = cc_lines_of((struct cc_span){m->at, token});
	while (cc_lines_next(&lines, &line))
		if (cc_is_openmp(line, ret_word)) {
			*ret_line = line;
			return true;
		}
	return false;
}

static void block(struct marking *m, unsigned depth)
{
	struct cc_span text = rest_of(m);
	cc_token_next(&text);
	copy_to(m, text.at);
	for (;;) {
		text = rest_of(m);
		struct cc_span token = cc_token_next(&text).is;
		if (token.at == token.end)
			return;
		if (cc_span_is(token, "}")) {
			copy_to(m, text.at);
			return;
		}
		const char *before = m->at;
		statement(m, depth + 1);
		if (m->at == before) /* nothing that this knows */
			copy_to(m, text.at);
	}
}

/* One statement of a place where updates can be. */
static void statement(struct marking *m, unsigned depth)
{
	enum { DEEPEST = 200 };
	struct cc_span text = rest_of(m);
	struct cc_span word = cc_token_next(&text).is;
	struct cc_update u;
	struct cc_span line, directive;
	if (depth > DEEPEST || word.at == word.end)
		return;
	if (pragma_next(m, &line, &directive)) {
		copy_to(m, line.at);
		pragma(m, line, directive, depth);
		if (m->at == line.end && cc_span_is(directive, "atomic"))
			copy_to(m, semicolon_end(rest_of(m)));
		else if (m->at == line.end)
			statement(m, depth + 1);
		return;
	}
	if (cc_update_match(rest_of(m), m->is_cxx, &u) && has_line(m, u.whole.at) &&
	    has_address(m, u.x)) {
		copy_to(m, u.whole.at);
		update_mark(m, &u);
	} else if (cc_span_is(word, "{")) {
		block(m, depth);
	} else if (is_head(word)) {
		struct cc_span open = text;
		struct cc_span token = cc_token_next(&open).is;
		if (!cc_span_is(token, "("))
			return;
		copy_to(m, cc_closed_end((struct cc_span){token.at, text.end}, '(', ')'));
		statement(m, depth + 1);
		text = rest_of(m);
		if (cc_span_is(word, "if") && cc_token_skip(&text, "else")) {
			copy_to(m, text.at);
			statement(m, depth + 1);
		}
	} else if (cc_span_is(word, "do")) {
		copy_to(m, text.at);
		statement(m, depth + 1);
		copy_to(m, semicolon_end(rest_of(m)));
	} else {
		copy_to(m, semicolon_end(rest_of(m)));
	}
}

/* Statements up to the call that releases the lock, in the same block. */
static void held(struct marking *m, const char *releases)
{
	for (;;) {
		struct cc_span text = rest_of(m);
		struct cc_span token = cc_token_next(&text).is;
		const char *before = m->at;
		if (token.at == token.end || cc_span_is(token, "}") || cc_span_is(token, releases))
			return;
		statement(m, 0);
		if (m->at == before)
			return;
	}
}

/* Behind the name of a function that takes a lock: a call of its own, or the head of a block. */
static void lock_taken(struct marking *m, const char *releases)
{
	struct cc_span text = rest_of(m);
	struct cc_span open = cc_token_next(&text).is;
	if (!cc_span_is(open, "("))
		return;
	copy_to(m, cc_closed_end((struct cc_span){open.at, text.end}, '(', ')'));
	text = rest_of(m);
	if (cc_token_skip(&text, ";")) {
		copy_to(m, text.at);
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
			copy_to(m, text.at);
			statement(m, 0);
			return;
		}
	}
}

/* snag::isolated([&] { ... }) */
static void isolated_called(struct marking *m)
{
	struct cc_span text = rest_of(m);
	if (!cc_token_skip(&text, "(") || !cc_token_skip(&text, "["))
		return;
	for (;;) {
		struct cc_span before = text, token = cc_token_next(&text).is;
		if (token.at == token.end || cc_span_is(token, ";") || cc_span_is(token, "}"))
			return;
		if (cc_span_is(token, "{")) {
			copy_to(m, before.at);
			block(m, 0);
			return;
		}
	}
}

/* Whether `atomic` only updates. */
static bool is_update(struct cc_span line)
{
	struct cc_span name, value;
	while (cc_clause_next(&line, &name, &value))
		if (cc_span_is(name, "read") || cc_span_is(name, "write") ||
		    cc_span_is(name, "capture") || cc_span_is(name, "compare"))
			return false;
	return true;
}

/* The text is at a pragma, which ends with its line. */
static void atomic_mark(struct marking *m, struct cc_span line)
{
	struct cc_update u;
	struct cc_span behind = {line.end, m->text.end};
	if (!is_update(line) || !cc_update_match(behind, m->is_cxx, &u) || u.op >= CC_UPDATE_SET ||
	    !has_line(m, line.at))
		return;
	words(m, "{ snag_atomic_update_(");
	kind_words(m, u.op, u.x, u.e);
	words(m, ");");
	column_keep(m, line.at);
	copy_to(m, u.whole.end);
	words(m, " snag_atomic_update_(0u); }");
	column_keep(m, m->at);
	m->has_marked = true;
}

/* The text is at the name of an atomic function that is called for its effect. */
static void atomic_called(struct marking *m, struct cc_span name, enum cc_update_op op)
{
	struct cc_span text = {name.end, m->text.end};
	struct cc_span open = cc_token_next(&text).is;
	if (!cc_span_is(open, "(") || !has_line(m, name.at))
		return;
	text.at = cc_closed_end((struct cc_span){open.at, text.end}, '(', ')');
	if (!cc_token_skip(&text, ";"))
		return;
	char number[64];
	snprintf(number, sizeof(number), "{ snag_atomic_update_(%uu);", (unsigned)op);
	words(m, number);
	column_keep(m, name.at);
	copy_to(m, text.at);
	words(m, " snag_atomic_update_(0u); }");
	column_keep(m, m->at);
	m->has_marked = true;
}

static void pragma(struct marking *m, struct cc_span line, struct cc_span word, unsigned depth)
{
	if (cc_span_is(word, "atomic"))
		atomic_mark(m, line);
	if (m->at <= line.at)
		copy_to(m, line.end);
	static const char excludes[] = "mutexinoutset";
	bool is_excluded =
		cc_word_find(line, (struct cc_span){excludes, excludes + strlen(excludes)});
	if (cc_span_is(word, "critical") || is_excluded)
		statement(m, depth + 1);
}

/* The character before the word tells a call from a declaration. */
static void word_copied(struct marking *m, struct cc_span word, char before)
{
	bool begins_statement = before == ';' || before == '{' || before == '}';
	bool is_called = begins_statement || before == '(' || before == ')' || before == ':';
	for (size_t i = 0; begins_statement && i < sizeof(atomics) / sizeof(atomics[0]); i++)
		if (cc_span_is(word, atomics[i].name)) {
			atomic_called(m, word, atomics[i].op);
			return;
		}
	for (size_t i = 0; is_called && i < sizeof(locks) / sizeof(locks[0]); i++)
		if (cc_span_is(word, locks[i].takes)) {
			copy_to(m, word.end);
			lock_taken(m, locks[i].releases);
			return;
		}
	if (m->is_cxx && is_called && cc_span_is(word, "isolated")) {
		copy_to(m, word.end);
		isolated_called(m);
	}
}

static void text_mark(struct marking *m)
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
				copy_to(m, line.end);
			continue;
		}
		const char *begin = m->at;
		struct cc_span token = {m->at, cc_token_end(rest_of(m), &is_word)};
		if (is_word)
			word_copied(m, token, before);
		if (m->at == begin)
			copy_to(m, token.end);
		for (const char *c = m->at; c > begin; c--)
			if (!isspace((unsigned char)c[-1])) {
				before = c[-1];
				break;
			}
	}
}

/* Behind the mark that says where the text comes from: the declarations go there. */
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
	struct marking m = {.text = text, .at = text.at, .is_cxx = is_cxx};
	m.lines = cc_lines_of(text);
	text_mark(&m);
	const char *begin = begin_of(text);
	size_t n = (size_t)(begin - text.at); /* which was copied as it is */
	if (m.has_marked) {
		cc_text_add(to, text.at, n);
		cc_text_words(to, declaration);
		cc_text_add(to, m.t.at + n, m.t.n - n);
	} else {
		cc_text_span(to, text);
	}
	free(m.t.at);
}
