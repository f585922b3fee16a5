/* SPDX-License-Identifier: Apache-2.0
 *
 * task_program.c - small task-parallel programs for the oracle
 */
#include "task_program.h"

#include <ctype.h>
#include <string.h>

static const char *const words[T_KINDS] = {"r",	       "w",    "ar",	"aw",	 "set",
					   "get",      "sync", "async", "spawn", "finish",
					   "isolated", "call", "lock",	"share", "}"};

bool task_token_is_block(struct task_token t)
{
	return t.kind >= T_ASYNC && t.kind <= T_SHARE;
}

bool task_token_is_access(struct task_token t)
{
	return t.kind <= T_ATOMIC_WRITE;
}

unsigned task_token_args(enum task_token_kind kind)
{
	if (kind <= T_ATOMIC_WRITE)
		return TASK_VARIABLES;
	if (kind == T_SET || kind == T_GET)
		return TASK_PROMISES;
	return kind == T_LOCK || kind == T_SHARE ? TASK_LOCKS : 0;
}

unsigned task_program_close(const struct task_program *p, unsigned open)
{
	unsigned depth = 0;
	for (unsigned i = open;; i++) {
		depth += task_token_is_block(p->token[i]);
		depth -= p->token[i].kind == T_END;
		if (depth == 0)
			return i;
	}
}

unsigned task_program_open(const struct task_program *p, unsigned close)
{
	unsigned i = close, depth = 0;
	do {
		depth += p->token[i].kind == T_END;
		depth -= task_token_is_block(p->token[i]);
	} while (depth && i--);
	return i;
}

bool task_program_has(const struct task_program *p, enum task_token_kind kind)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->token[i].kind == kind)
			return true;
	return false;
}

static void token_remove(struct task_program *p, unsigned at)
{
	memmove(&p->token[at], &p->token[at + 1], (p->n - at - 1) * sizeof(p->token[0]));
	p->n--;
}

static bool token_insert(struct task_program *p, unsigned at, struct task_token t)
{
	if (p->n == TASK_TOKENS)
		return false;
	memmove(&p->token[at + 1], &p->token[at], (p->n - at) * sizeof(p->token[0]));
	p->token[at] = t;
	p->n++;
	return true;
}

/* Ends without a block, blocks without an end. */
static void repair_balance(struct task_program *p)
{
	unsigned depth = 0;
	for (unsigned i = 0; i < p->n; i++) {
		if (p->token[i].kind == T_END && depth == 0)
			token_remove(p, i--);
		else if (p->token[i].kind == T_END)
			depth--;
		else
			depth += task_token_is_block(p->token[i]);
	}
	while (depth) {
		if (p->n == TASK_TOKENS) { /* no room for the end: without the last block */
			unsigned i = p->n;
			while (!task_token_is_block(p->token[--i]) ||
			       task_program_close(p, i) < p->n)
				;
			token_remove(p, i);
		} else {
			token_insert(p, p->n, (struct task_token){.kind = T_END});
		}
		depth--;
	}
}

static bool is_allowed(const struct task_features *f, enum task_token_kind kind)
{
	switch (kind) {
	case T_ASYNC:
		return f->async;
	case T_FINISH:
		return f->finish;
	case T_ISOLATED:
		return f->isolated;
	case T_SPAWN:
	case T_SYNC:
	case T_CALL:
		return f->spawn;
	case T_SET:
	case T_GET:
		return f->promises;
	case T_LOCK:
	case T_SHARE:
		return f->locks;
	case T_ATOMIC_READ:
	case T_ATOMIC_WRITE:
		return f->atomics;
	default:
		return true;
	}
}

/* Blocks of a kind that is not wanted lose their braces. */
static void repair_kinds(struct task_program *p, const struct task_features *f)
{
	bool is_set[TASK_PROMISES] = {false};
	for (unsigned i = 0; i < p->n; i++) {
		struct task_token t = p->token[i];
		bool ok = is_allowed(f, (enum task_token_kind)t.kind);
		if (t.kind == T_SET) {
			ok &= !is_set[t.arg];
			is_set[t.arg] = true;
		}
		if (ok)
			continue;
		if (task_token_is_block(t))
			token_remove(p, task_program_close(p, i));
		token_remove(p, i--);
	}
}

static void repair_isolated(struct task_program *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		if (p->token[i].kind != T_ISOLATED)
			continue;
		unsigned close = task_program_close(p, i);
		for (unsigned k = i + 1; k < close; k++) {
			if (task_token_is_access(p->token[k]))
				continue;
			if (task_token_is_block(p->token[k])) {
				token_remove(p, task_program_close(p, k));
				close--;
			}
			token_remove(p, k--);
			close--;
		}
	}
}

/* Whether the body of a task or procedure that ends at `close` has a spawn after its last
 * sync; the braces of a finish do not matter. */
static bool is_leaky(const struct task_program *p, unsigned open, unsigned close)
{
	bool leaky = false;
	for (unsigned i = open; i < close; i++) {
		uint8_t kind = p->token[i].kind;
		leaky |= kind == T_SPAWN;
		leaky &= kind != T_SYNC;
		if (kind == T_SPAWN || kind == T_ASYNC || kind == T_CALL)
			i = task_program_close(p, i);
	}
	return leaky;
}

static void repair_leaks(struct task_program *p)
{
	for (unsigned i = 0; i < p->n; i++) {
		uint8_t kind = p->token[i].kind;
		if (kind != T_SPAWN && kind != T_ASYNC && kind != T_CALL)
			continue;
		unsigned close = task_program_close(p, i);
		if (is_leaky(p, i + 1, close) &&
		    !token_insert(p, close, (struct task_token){.kind = T_SYNC})) {
			token_remove(p, close); /* no room: without its braces */
			token_remove(p, i--);
		}
	}
	if (is_leaky(p, 0, p->n) && !token_insert(p, p->n, (struct task_token){.kind = T_SYNC}))
		p->n = 0;
}

void task_program_repair(struct task_program *p, const struct task_features *features)
{
	repair_balance(p);
	repair_kinds(p, features);
	repair_isolated(p);
	if (!features->leaks)
		repair_leaks(p);
}

static struct task_token leaf_random(const struct task_features *f, struct prng *random)
{
	unsigned what = prng_below(random, 10);
	if (f->promises && what < 4)
		return (struct task_token){.kind = what < 2 ? T_SET : T_GET,
					   .arg = (uint8_t)prng_below(random, TASK_PROMISES)};
	if (f->spawn && what == 4)
		return (struct task_token){.kind = T_SYNC};
	bool is_write = prng_chance(random, 45), is_atomic = f->atomics && prng_chance(random, 30);
	static const uint8_t kinds[2][2] = {{T_READ, T_WRITE}, {T_ATOMIC_READ, T_ATOMIC_WRITE}};
	return (struct task_token){.kind = kinds[is_atomic][is_write],
				   .arg = (uint8_t)prng_below(random, TASK_VARIABLES)};
}

static struct task_token block_random(const struct task_features *f, struct prng *random)
{
	static const enum task_token_kind kinds[] = {T_ASYNC, T_ASYNC,	T_ASYNC,    T_SPAWN,
						     T_SPAWN, T_FINISH, T_ISOLATED, T_CALL,
						     T_LOCK,  T_LOCK,	T_SHARE};
	for (;;) {
		enum task_token_kind kind = kinds[prng_below(random, f->locks ? 11 : 8)];
		unsigned args = task_token_args(kind);
		if (is_allowed(f, kind))
			return (struct task_token){.kind = (uint8_t)kind,
						   .arg = args ? (uint8_t)prng_below(random, args)
							       : 0};
	}
}

/* Lets some tasks wait, at their end, for what is set only after them in the text: run depth
 * first they block, and again. */
static void waits_insert(struct task_program *p, struct prng *random)
{
	for (unsigned i = 0; i < p->n; i++) {
		if ((p->token[i].kind != T_ASYNC && p->token[i].kind != T_SPAWN) ||
		    prng_chance(random, 50))
			continue;
		unsigned close = task_program_close(p, i);
		for (unsigned k = close + 1; k < p->n; k++) {
			struct task_token get = {.kind = T_GET, .arg = p->token[k].arg};
			if (p->token[k].kind == T_SET && prng_chance(random, 70) &&
			    token_insert(p, close, get)) {
				close++;
				k++;
			}
		}
	}
}

void task_program_random(struct task_program *p, const struct task_features *features,
			 struct prng *random)
{
	unsigned size = prng_range(random, 6, 36), depth = 0;
	p->n = 0;
	while (p->n < size) {
		unsigned what = prng_below(random, 10);
		if (what < 3 && depth < 6) {
			p->token[p->n++] = block_random(features, random);
			depth++;
		} else if (what < 5 && depth) {
			p->token[p->n++] = (struct task_token){.kind = T_END};
			depth--;
		} else {
			p->token[p->n++] = leaf_random(features, random);
		}
	}
	task_program_repair(p, features);
	waits_insert(p, random);
	task_program_repair(p, features);
}

/* Somewhere, rather where order is made: a read before what others may wait for, a write behind
 * such a wait. */
static unsigned place_random(const struct task_program *p, bool is_write, struct prng *random)
{
	unsigned at = 0;
	for (unsigned i = 0; i < 4; i++) {
		at = prng_below(random, p->n + 1);
		uint8_t kind = is_write ? (at ? p->token[at - 1].kind : T_END)
					: (at < p->n ? p->token[at].kind : T_END);
		if (kind == T_END || kind == (is_write ? T_GET : T_SET) ||
		    (is_write && kind == T_SYNC))
			break;
	}
	return at;
}

void task_program_readers(struct task_program *p, struct prng *random)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->token[i].kind <= T_ATOMIC_WRITE)
			token_remove(p, i--);
	for (uint8_t x = 0; x < TASK_VARIABLES; x++)
		for (unsigned k = prng_range(random, 2, x ? 4 : 16); k-- > 0;)
			token_insert(p, place_random(p, !k, random),
				     (struct task_token){.kind = k ? T_READ : T_WRITE, .arg = x});
}

void task_program_drop_gets(struct task_program *p)
{
	unsigned set = 0;
	for (unsigned i = 0; i < p->n; i++)
		set |= (unsigned)(p->token[i].kind == T_SET) << p->token[i].arg;
	for (unsigned i = 0; i < p->n; i++)
		if (p->token[i].kind == T_GET && !(set >> p->token[i].arg & 1))
			token_remove(p, i--);
}

/* Puts braces around some tokens; repair() sorts out what they cut. */
static void wrap(struct task_program *p, const struct task_features *f, struct prng *random)
{
	unsigned open = prng_below(random, p->n + 1);
	if (p->n + 2 > TASK_TOKENS)
		return;
	token_insert(p, open, block_random(f, random));
	unsigned close = prng_range(random, open + 1, p->n);
	token_insert(p, close, (struct task_token){.kind = T_END});
}

static void move(struct task_program *p, struct prng *random)
{
	unsigned from = prng_below(random, p->n);
	struct task_token t = p->token[from];
	token_remove(p, from);
	token_insert(p, prng_below(random, p->n + 1), t);
}

void task_program_mutate(struct task_program *p, const struct task_features *features,
			 struct prng *random)
{
	for (unsigned i = prng_range(random, 1, 4); i > 0; i--) {
		unsigned what = prng_below(random, 8);
		unsigned at = prng_below(random, p->n + 1);
		if (what < 2 || p->n == 0)
			token_insert(p, at, leaf_random(features, random));
		else if (what == 2)
			token_remove(p, prng_below(random, p->n));
		else if (what < 5)
			move(p, random);
		else if (what == 5)
			wrap(p, features, random);
		else if (at < p->n && p->token[at].kind < T_SYNC)
			p->token[at] = leaf_random(features, random);
	}
	task_program_repair(p, features);
}

void task_program_shrink(struct task_program *p, const struct task_features *features,
			 bool (*fails)(const struct task_program *p, void *ctx), void *ctx)
{
	for (unsigned i = 0; i < p->n;) {
		struct task_program less = *p, bare = *p;
		if (p->token[i].kind == T_END) {
			i++;
			continue;
		}
		if (task_token_is_block(p->token[i])) {
			unsigned close = task_program_close(p, i);
			memmove(&less.token[i], &less.token[close + 1],
				(p->n - close - 1) * sizeof(p->token[0]));
			less.n -= close + 1 - i;
			token_remove(&bare, close);
		} else {
			token_remove(&less, i);
		}
		token_remove(&bare, i);
		task_program_repair(&less, features);
		task_program_repair(&bare, features);
		if (less.n < p->n && fails(&less, ctx)) {
			*p = less;
			i = 0;
		} else if (bare.n < p->n && fails(&bare, ctx)) {
			*p = bare;
			i = 0;
		} else {
			i++;
		}
	}
}

/* The letter of what its argument names. */
static char name_of(enum task_token_kind kind)
{
	return kind <= T_ATOMIC_WRITE ? 'x' : kind == T_LOCK || kind == T_SHARE ? 'm' : 'p';
}

static bool word_parse(const char **text, struct task_token *ret_token)
{
	const char *s = *text;
	unsigned kind, len, arg = 0;
	while (isspace((unsigned char)*s) || *s == ';')
		s++;
	for (kind = 0; kind < T_KINDS; kind++) {
		len = (unsigned)strlen(words[kind]);
		if (strncmp(s, words[kind], len) == 0 && !isalnum((unsigned char)s[len]))
			break;
	}
	if (kind == T_KINDS)
		return false;
	s += len;
	if (task_token_args(kind)) {
		int used = 0;
		char name = 0;
		if (sscanf(s, " %c%u%n", &name, &arg, &used) != 2 || name != name_of(kind) ||
		    arg >= task_token_args(kind))
			return false;
		s += used;
	}
	*ret_token = (struct task_token){.kind = (uint8_t)kind, .arg = (uint8_t)arg};
	if (task_token_is_block(*ret_token)) {
		while (isspace((unsigned char)*s))
			s++;
		if (*s++ != '{')
			return false;
	}
	while (isspace((unsigned char)*s) || *s == ';')
		s++;
	*text = s;
	return true;
}

bool task_program_parse(struct task_program *p, const char *text)
{
	for (p->n = 0; *text; p->n++)
		if (p->n == TASK_TOKENS || !word_parse(&text, &p->token[p->n]))
			return false;
	return true;
}

void task_program_print(const struct task_program *p, FILE *to)
{
	for (unsigned i = 0; i < p->n; i++) {
		struct task_token t = p->token[i];
		const char *gap = i ? " " : "";
		fprintf(to, "%s%s", gap, words[t.kind]);
		if (task_token_args(t.kind))
			fprintf(to, " %c%u", name_of(t.kind), t.arg);
		fputs(task_token_is_block(t) ? "{" : t.kind == T_END ? "" : ";", to);
	}
	fputc('\n', to);
}

static void lang_tokens(const struct task_program *p, unsigned from, unsigned end, FILE *to)
{
	for (unsigned i = from; i < end; i++) {
		struct task_token t = p->token[i];
		if (t.kind == T_READ)
			fprintf(to, "\tlet r%u = x%u;\n", i, t.arg);
		else if (t.kind == T_WRITE)
			fprintf(to, "\tx%u = %u;\n", t.arg, i);
		else if (t.kind <= T_GET)
			fprintf(to, "\t%s p%u;\n", words[t.kind], t.arg);
		else if (t.kind == T_SYNC)
			fprintf(to, "\tsync;\n");
		else if (t.kind == T_END)
			fprintf(to, "\t}\n");
		else if (t.kind == T_CALL)
			fprintf(to, "\tf%u();\n", i);
		else
			fprintf(to, "\t%s {\n", words[t.kind]);
		if (t.kind == T_CALL)
			i = task_program_close(p, i);
	}
}

void task_program_print_lang(const struct task_program *p, FILE *to)
{
	for (unsigned i = 0; i < TASK_VARIABLES; i++)
		fprintf(to, "%s x%u", i ? "," : "var", i);
	for (unsigned i = 0; i < TASK_PROMISES; i++)
		fprintf(to, "%s p%u", i ? "," : ";\npromise", i);
	fprintf(to, ";\n");
	for (unsigned i = 0; i < p->n; i++) {
		if (p->token[i].kind != T_CALL)
			continue;
		fprintf(to, "proc f%u() {\n", i);
		lang_tokens(p, i + 1, task_program_close(p, i), to);
		fprintf(to, "}\n");
	}
	fprintf(to, "main {\n");
	lang_tokens(p, 0, p->n, to);
	fprintf(to, "}\n");
}
