/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_simd.c - simd loops, whose iterations are to be seen as well
 */
#include "cc/openmp_simd.h"

#include "cc/openmp_nest.h"

#include <string.h>

#define SIMD_CHUNK "0x50000000"
#define CHUNK_MASK "0x0fffffff"
#define SIMD_THREADS "0x51D0001"

static bool is_named(struct span line, struct span variable)
{
	struct span name, value;
	while (cli_clause_next(&line, &name, &value))
		if (!cli_span_is(name, "linear") && cli_word_find(value, variable))
			return true;
	return false;
}

/* Whether it is what one of the loops assigns to. */
static bool is_variable(struct span name, struct span after, unsigned nloops)
{
	struct span variable;
	for (; nloops > 0 && cli_nest_next(&after, &variable); nloops--)
		if (variable.at < variable.end &&
		    name.end - name.at == variable.end - variable.at &&
		    cli_word_find(name, variable))
			return true;
	return false;
}

/* [linear] What is left of a list and its step. */
static void linear_copy(struct text *t, struct span value, struct span after, unsigned nloops)
{
	const char *colon = memchr(value.at, ':', (size_t)(value.end - value.at));
	struct span list = {value.at, colon ? colon : value.end};
	const char *before = "linear(";
	while (list.at < list.end) {
		const char *comma = memchr(list.at, ',', (size_t)(list.end - list.at));
		struct span item = {list.at, comma ? comma : list.end};
		list.at = comma ? comma + 1 : list.end;
		if (is_variable(cli_span_trim(item), after, nloops))
			continue;
		cli_text_words(t, before);
		cli_text_span(t, item);
		before = ",";
	}
	if (*before != ',')
		return;
	cli_text_span(t, (struct span){list.end, value.end});
	cli_text_words(t, ") ");
}

/* [clauses] */
static bool is_dropped(struct span name)
{
	static const char *const word[] = {"safelen", "simdlen", "aligned", "nontemporal",
					   "if",      "order",	 "bind"};
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (cli_span_is(name, word[i]))
			return true;
	return false;
}

/* What a pragma says, as far as it matters here. */
struct simd {
	struct span end;  /* of its directive: the word `simd`, or `loop` */
	struct span safe; /* safelen(...); empty: none */
	bool is_target, is_distribute, is_linear;
};

static struct simd simd_read(struct span line)
{
	struct simd s = {0};
	struct span name, value;
	while (cli_clause_next(&line, &name, &value)) {
		bool is_directive = !s.end.at;
		s.is_target |= is_directive && cli_span_is(name, "target");
		s.is_distribute |= is_directive && cli_span_is(name, "distribute");
		if (is_directive && (cli_span_is(name, "simd") || cli_span_is(name, "loop")))
			s.end = name;
		s.is_linear |= cli_span_is(name, "linear");
		if (cli_span_is(name, "safelen"))
			s.safe = value;
	}
	return s;
}

/* What is left of a clause. */
static void clause_copy(struct text *t, const struct simd *s, struct span clause, struct span name,
			struct span value)
{
	if (cli_span_is(name, "if") && s->is_target) {
		struct span of = cli_modifier_next(&value);
		if (of.at && !cli_span_is(of, "target"))
			return;
		cli_text_words(t, "if(target : ");
		cli_text_span(t, cli_span_trim(value));
		cli_text_words(t, ") ");
	} else if (!is_dropped(name)) {
		cli_text_span(t, clause);
		cli_text_words(t, " ");
	}
}

/* [safelen] */
static void schedule_add(struct text *t, const struct simd *s)
{
	cli_text_words(t, "schedule(monotonic : dynamic, " SIMD_CHUNK);
	if (s->safe.at < s->safe.end) {
		cli_text_words(t, " | ((");
		cli_text_span(t, s->safe);
		cli_text_words(t, ") & " CHUNK_MASK ")");
	}
	cli_text_words(t, ")");
}

bool cli_simd_rewrite(struct text *t, struct span line, struct span after, bool is_odd)
{
	struct simd s = simd_read(line);
	const unsigned nloops = cli_nest_loops(line);
	struct span name, value, variable, rest = {s.end.end, line.end};
	if (!s.end.at || cli_nest_is_ordered(after) || (is_odd && s.safe.at) ||
	    (s.is_distribute && s.is_linear)) /* [left] */
		return false;
	cli_text_span(t, (struct span){line.at, s.end.at});
	cli_text_words(t, "parallel for num_threads(" SIMD_THREADS ") ");
	while (cli_clause_next(&rest, &name, &value))
		if (cli_span_is(name, "linear"))
			linear_copy(t, value, after, nloops);
		else
			clause_copy(t, &s, (struct span){name.at, rest.at}, name, value);
	if (!is_odd)
		schedule_add(t, &s);
	for (unsigned i = nloops; i > 0 && cli_nest_next(&after, &variable); i--)
		if (variable.at < variable.end && !is_named(line, variable)) { /* [variable] */
			cli_text_words(t, " lastprivate(");
			cli_text_span(t, variable);
			cli_text_words(t, ")");
		}
	return true;
}
