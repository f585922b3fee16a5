/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_program.c - tiny programs with data and branches, for the oracle of the explorer
 */
#include "explore_program.h"

#include <stdio.h>
#include <string.h>

static bool is_block(uint8_t kind)
{
	return kind >= E_IF && kind < E_END;
}

static void add(struct explore_program *p, struct explore_token t)
{
	p->token[p->n++] = t;
}

/* What may stand here; the first ones are the most frequent. */
static uint8_t kind_random(const struct explore_features *f, bool is_isolated, struct prng *random)
{
	static const uint8_t kinds[] = {E_READ,	 E_WRITE, E_ADD,      E_WRITE,	  E_READ,
					E_SUM,	 E_IF,	  E_ISOLATED, E_ISOLATED, E_ASYNC,
					E_ASYNC, E_ASYNC, E_FINISH,   E_SET,	  E_GET,
					E_ALLOC, E_STORE, E_SPAWN,    E_SYNC,	  E_WHILE};
	for (;;) {
		uint8_t k = kinds[prng_below(random, sizeof(kinds))];
		bool is_access = k == E_READ || k == E_WRITE || k == E_ADD || k == E_SUM;
		bool is_cell = k == E_ALLOC || k == E_STORE;
		if ((is_cell && !f->cells) || (k == E_IF && !f->branches))
			continue;
		if (is_access || is_cell || k == E_IF)
			return k;
		if (is_isolated || (k == E_ISOLATED && !f->isolated) ||
		    (k == E_WHILE && !f->loops) || ((k == E_SET || k == E_GET) && !f->promises) ||
		    ((k == E_SPAWN || k == E_SYNC) && !f->spawn))
			continue;
		return k;
	}
}

static void random_block(struct explore_program *p, const struct explore_features *f,
			 struct prng *random, unsigned *left, unsigned depth, bool is_isolated)
{
	for (unsigned n = prng_range(random, 1, depth ? 3 : 6); n-- > 0 && *left > 0;) {
		/* Room for this token, its end, and the ends of all that is open. */
		if (p->n + depth + 2 > EXPLORE_TOKENS)
			return;
		struct explore_token t = {.kind = kind_random(f, is_isolated, random),
					  .x = (uint8_t)prng_below(random, EXPLORE_VARIABLES),
					  .y = (uint8_t)prng_below(random, EXPLORE_VARIABLES),
					  .k = (uint8_t)prng_below(random, 3)};
		if (t.kind == E_SET || t.kind == E_GET)
			t.x = (uint8_t)prng_below(random, EXPLORE_PROMISES);
		if (is_block(t.kind) && depth > 3)
			continue;
		--*left;
		add(p, t);
		if (!is_block(t.kind))
			continue;
		random_block(p, f, random, left, depth + 1, is_isolated || t.kind == E_ISOLATED);
		add(p, (struct explore_token){.kind = E_END});
	}
}

static void access_random(struct explore_program *p, struct prng *random, uint8_t x)
{
	static const uint8_t kinds[] = {E_READ, E_WRITE, E_SUM, E_SUM, E_ADD};
	add(p, (struct explore_token){.kind = kinds[prng_below(random, 5)],
				      .x = x,
				      .y = x,
				      .k = (uint8_t)prng_below(random, 3)});
}

/* Tasks that are one isolated block each, and plain accesses of their creator in between, all of
 * the same variable: blocks that are cut, and wait for each other. */
static void handout_random(struct explore_program *p, struct prng *random)
{
	uint8_t x = (uint8_t)prng_below(random, EXPLORE_VARIABLES);
	for (unsigned n = prng_range(random, 2, 4); n-- > 0;) {
		if (prng_chance(random, 70))
			access_random(p, random, x);
		add(p, (struct explore_token){.kind = E_ASYNC});
		add(p, (struct explore_token){.kind = E_ISOLATED});
		for (unsigned k = prng_range(random, 1, 2); k-- > 0;)
			access_random(p, random, x);
		add(p, (struct explore_token){.kind = E_END});
		add(p, (struct explore_token){.kind = E_END});
	}
}

void explore_program_random(struct explore_program *p, const struct explore_features *features,
			    struct prng *random)
{
	unsigned left = features->size;
	p->n = 0;
	if (features->handout) {
		handout_random(p, random);
		return;
	}
	/* Half of them begin with two or three tasks side by side. */
	for (unsigned n = prng_chance(random, 50) ? prng_range(random, 2, 3) : 0; n-- > 0;) {
		unsigned some = left < 4 ? left : 4;
		left -= some;
		add(p, (struct explore_token){.kind = E_ASYNC});
		random_block(p, features, random, &some, 1, false);
		left += some;
		add(p, (struct explore_token){.kind = E_END});
	}
	while (left > 0 && p->n + 4 < EXPLORE_TOKENS)
		random_block(p, features, random, &left, 0, false);
}

static unsigned close_of(const struct explore_program *p, unsigned open)
{
	unsigned depth = 0, i = open;
	for (;; i++) {
		depth += is_block(p->token[i].kind);
		depth -= p->token[i].kind == E_END;
		if (depth == 0)
			return i;
	}
}

static void cut(struct explore_program *p, unsigned from, unsigned n)
{
	memmove(p->token + from, p->token + from + n, (p->n - from - n) * sizeof(*p->token));
	p->n -= n;
}

void explore_program_shrink(struct explore_program *p,
			    bool (*fails)(const struct explore_program *p, void *ctx), void *ctx)
{
	for (unsigned i = 0; i < p->n;) {
		struct explore_program whole = *p, unwrapped = *p;
		uint8_t kind = p->token[i].kind;
		unsigned end = is_block(kind) ? close_of(p, i) : i;
		cut(&whole, i, end - i + 1);
		if (is_block(kind)) {
			cut(&unwrapped, end, 1);
			cut(&unwrapped, i, 1);
		}
		if (kind != E_END && fails(&whole, ctx)) {
			*p = whole;
			i = 0;
		} else if (is_block(kind) && fails(&unwrapped, ctx)) {
			*p = unwrapped;
			i = 0;
		} else {
			i++;
		}
	}
}

void explore_program_print(const struct explore_program *p, char ret_text[EXPLORE_TEXT])
{
	static const char *const form[E_KINDS] = {
		[E_READ] = "let v%1$u = %2$s;",
		[E_WRITE] = "%2$s = %4$u;",
		[E_ADD] = "%2$s = 2 * %3$s + %4$u;",
		[E_SUM] = "%2$s = %2$s + %4$u;",
		[E_ALLOC] = "%2$s = alloc;",
		[E_STORE] = "*%2$s = %4$u;",
		[E_SET] = "set p%5$u;",
		[E_GET] = "get p%5$u;",
		[E_SYNC] = "sync;",
		[E_IF] = "if (%2$s == %4$u) {",
		[E_WHILE] = "while (%2$s == %4$u) {",
		[E_ASYNC] = "async {",
		[E_SPAWN] = "spawn {",
		[E_FINISH] = "finish {",
		[E_ISOLATED] = "isolated {",
		[E_END] = "}",
	};
	static const char *const name[] = {"x", "y", "z"};
	unsigned depth = 1;
	int n = snprintf(ret_text, EXPLORE_TEXT, "var x, y, z;\npromise p0, p1;\nmain {\n");
	for (unsigned i = 0; i < p->n; i++) {
		struct explore_token t = p->token[i];
		depth -= t.kind == E_END;
		n += snprintf(ret_text + n, EXPLORE_TEXT - (size_t)n, "%*s", (int)(2 * depth), "");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		n += snprintf(ret_text + n, EXPLORE_TEXT - (size_t)n, form[t.kind], i, name[t.x],
			      name[t.y], t.k, t.x);
#pragma GCC diagnostic pop
		n += snprintf(ret_text + n, EXPLORE_TEXT - (size_t)n, "\n");
		depth += is_block(t.kind);
	}
	snprintf(ret_text + n, EXPLORE_TEXT - (size_t)n, "}\n");
}
