/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_split.c - combined directives that clang 14 does not know, as their parts
 */
#include "cc/openmp/openmp_split.h"

enum { PARALLEL = 1, MASKED = 2, LOOP = 4 };

static unsigned part_of(struct cc_span word)
{
	return cc_span_is(word, "parallel")				  ? PARALLEL
	       : cc_span_is(word, "masked")				  ? MASKED
	       : cc_span_is(word, "taskloop") || cc_span_is(word, "simd") ? LOOP
									  : 0;
}

static bool is_any(struct cc_span name, const char *const *word)
{
	while (*word && !cc_span_is(name, *word))
		word++;
	return *word;
}

/* [clauses] Returns the parts, of those of the pragma, that take the clause. */
static unsigned owners_of(struct cc_span name, struct cc_span value, unsigned parts)
{
	static const char *const parallel[] = {"num_threads", "proc_bind", "copyin", NULL};
	struct cc_span of = cc_modifier_next(&value);
	if (cc_span_is(name, "filter"))
		return MASKED;
	if (is_any(name, parallel) ||
	    (cc_span_is(name, "if") && of.at && cc_span_is(of, "parallel")))
		return PARALLEL;
	if (cc_span_is(name, "if") && !of.at)
		return PARALLEL | LOOP;
	return parts & LOOP ? LOOP : PARALLEL;
}

static void part_add(struct cc_text *t, struct cc_span directive, struct cc_span clauses,
		     unsigned part, unsigned parts)
{
	struct cc_span name, value;
	cc_text_words(t, "#pragma omp");
	while (cc_clause_next(&directive, &name, &value))
		if (part_of(name) == part) {
			cc_text_words(t, " ");
			cc_text_span(t, name);
		}
	while (cc_clause_next(&clauses, &name, &value))
		if (owners_of(name, value, parts) & part) {
			cc_text_words(t, " ");
			cc_text_span(t, (struct cc_span){name.at, clauses.at});
		}
}

bool cc_split_rewrite(struct cc_text *t, const struct cc_lines *l, struct cc_span line)
{
	struct cc_span directive, name, value, rest;
	unsigned parts = 0;
	if (!cc_is_openmp(line, &directive))
		return false;
	directive.end = line.end;
	rest = directive;
	while (cc_clause_next(&rest, &name, &value) && part_of(name))
		parts |= part_of(name);
	struct cc_span clauses = {name.at, line.end};
	directive.end = name.at;
	if (!(parts & MASKED) || parts == MASKED)
		return false;
	for (unsigned part = PARALLEL, is_next = 0; part <= LOOP; part <<= 1) {
		if (!(parts & part))
			continue;
		if (is_next) {
			cc_text_words(t, "\n");
			cc_lines_mark(l, t);
		}
		part_add(t, directive, clauses, part, parts);
		is_next = 1;
	}
	return true;
}
