/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_simd.c - simd loops as parallel loops, so that the runtime sees their iterations
 */
#include "cc/openmp/openmp_simd.h"

#include "cc/openmp/openmp_marks.h"
#include "cc/openmp/openmp_nest.h"
#include "cc/text/scanner.h"

#include <string.h>

static bool is_named(struct cc_span line, struct cc_span variable)
{
	struct cc_span name, value;
	while (cc_clause_next(&line, &name, &value))
		if (!cc_span_is(name, "linear") && cc_word_find(value, variable))
			return true;
	return false;
}

/* Returns whether one of the loops assigns to this variable. */
static bool is_variable(struct cc_span name, struct cc_span after, unsigned nloops)
{
	struct cc_span variable;
	for (; nloops > 0 && cc_nest_next(&after, &variable); nloops--)
		if (variable.at < variable.end &&
		    name.end - name.at == variable.end - variable.at &&
		    cc_word_find(name, variable))
			return true;
	return false;
}

/* [linear] Writes the list, and its step, without the loop variables. */
static void linear_copy(struct cc_text *t, struct cc_span value, struct cc_span after,
			unsigned nloops)
{
	const char *colon = memchr(value.at, ':', (size_t)(value.end - value.at));
	struct cc_span list = {value.at, colon ? colon : value.end};
	const char *before = "linear(";
	while (list.at < list.end) {
		const char *comma = memchr(list.at, ',', (size_t)(list.end - list.at));
		struct cc_span item = {list.at, comma ? comma : list.end};
		list.at = comma ? comma + 1 : list.end;
		if (is_variable(cc_span_trim(item), after, nloops))
			continue;
		cc_text_words(t, before);
		cc_text_span(t, item);
		before = ",";
	}
	if (*before != ',')
		return;
	cc_text_span(t, (struct cc_span){list.end, value.end});
	cc_text_words(t, ") ");
}

/* [clauses] */
static bool is_dropped(struct cc_span name)
{
	static const char *const word[] = {"safelen", "simdlen", "aligned", "nontemporal",
					   "if",      "order",	 "bind"};
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (cc_span_is(name, word[i]))
			return true;
	return false;
}

/* The parts of a pragma that matter here. */
struct simd {
	struct cc_span end;  /* the word `simd` or `loop` of its directive */
	struct cc_span safe; /* the text of safelen(...); empty: the pragma has none */
	bool is_target, is_distribute, is_linear;
};

static struct simd simd_read(struct cc_span line)
{
	struct simd s = {0};
	struct cc_span name, value;
	while (cc_clause_next(&line, &name, &value)) {
		bool is_directive = !s.end.at;
		s.is_target |= is_directive && cc_span_is(name, "target");
		s.is_distribute |= is_directive && cc_span_is(name, "distribute");
		if (is_directive && (cc_span_is(name, "simd") || cc_span_is(name, "loop")))
			s.end = name;
		s.is_linear |= cc_span_is(name, "linear");
		if (cc_span_is(name, "safelen"))
			s.safe = value;
	}
	return s;
}

/* Writes the part of a clause that stays. */
static void clause_copy(struct cc_text *t, const struct simd *s, struct cc_span clause,
			struct cc_span name, struct cc_span value)
{
	if (cc_span_is(name, "if") && s->is_target) {
		struct cc_span of = cc_modifier_next(&value);
		if (of.at && !cc_span_is(of, "target"))
			return;
		cc_text_words(t, "if(target : ");
		cc_text_span(t, cc_span_trim(value));
		cc_text_words(t, ") ");
	} else if (!is_dropped(name)) {
		cc_text_span(t, clause);
		cc_text_words(t, " ");
	}
}

/* [safelen] */
static void schedule_add(struct cc_text *t, const struct simd *s)
{
	cc_text_words(t, "schedule(monotonic : dynamic, ");
	cc_mark_add(t, CC_MARK_CHUNK_SIMD);
	cc_mark_value(t, s->safe);
	cc_text_words(t, ")");
}

bool cc_simd_rewrite(struct cc_text *t, struct cc_span line, struct cc_span after, unsigned nloops,
		     bool is_odd)
{
	struct simd s = simd_read(line);
	struct cc_span name, value, variable, rest = {s.end.end, line.end};
	if (!s.end.at || cc_nest_is_ordered(after) || (is_odd && s.safe.at) ||
	    (s.is_distribute && s.is_linear)) /* [left] */
		return false;
	cc_text_span(t, (struct cc_span){line.at, s.end.at});
	cc_text_words(t, "parallel for num_threads(");
	cc_mark_add(t, CC_MARK_SIMD);
	cc_text_words(t, ") ");
	while (cc_clause_next(&rest, &name, &value))
		if (cc_span_is(name, "linear"))
			linear_copy(t, value, after, nloops);
		else
			clause_copy(t, &s, (struct cc_span){name.at, rest.at}, name, value);
	if (!is_odd)
		schedule_add(t, &s);
	for (unsigned i = nloops; i > 0 && cc_nest_next(&after, &variable); i--)
		if (variable.at < variable.end && !is_named(line, variable)) { /* [variable] */
			cc_text_words(t, " lastprivate(");
			cc_text_span(t, variable);
			cc_text_words(t, ")");
		}
	return true;
}
