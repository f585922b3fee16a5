/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_split.c - combined directives that clang 14 does not know, as their parts
 */
#include "cc/openmp_split.h"

enum { PARALLEL = 1, MASKED = 2, LOOP = 4 };

static unsigned part_of(struct span word)
{
	return cli_span_is(word, "parallel")				    ? PARALLEL
	       : cli_span_is(word, "masked")				    ? MASKED
	       : cli_span_is(word, "taskloop") || cli_span_is(word, "simd") ? LOOP
									    : 0;
}

static bool is_any(struct span name, const char *const *word)
{
	while (*word && !cli_span_is(name, *word))
		word++;
	return *word;
}

/* [clauses] The parts that have it. */
static unsigned owners_of(struct span name, struct span value, unsigned parts)
{
	static const char *const parallel[] = {"num_threads", "proc_bind", "copyin", NULL};
	struct span of = cli_modifier_next(&value);
	if (cli_span_is(name, "filter"))
		return MASKED;
	if (is_any(name, parallel) ||
	    (cli_span_is(name, "if") && of.at && cli_span_is(of, "parallel")))
		return PARALLEL;
	if (cli_span_is(name, "if") && !of.at)
		return PARALLEL | LOOP;
	return parts & LOOP ? LOOP : PARALLEL;
}

static void part_add(struct text *t, struct span directive, struct span clauses, unsigned part,
		     unsigned parts)
{
	struct span name, value;
	cli_text_words(t, "#pragma omp");
	while (cli_clause_next(&directive, &name, &value))
		if (part_of(name) == part) {
			cli_text_words(t, " ");
			cli_text_span(t, name);
		}
	while (cli_clause_next(&clauses, &name, &value))
		if (owners_of(name, value, parts) & part) {
			cli_text_words(t, " ");
			cli_text_span(t, (struct span){name.at, clauses.at});
		}
}

bool cli_split_rewrite(struct text *t, const struct lines *l, struct span line)
{
	struct span directive, name, value, rest;
	unsigned parts = 0;
	if (!cli_is_openmp(line, &directive))
		return false;
	directive.end = line.end;
	rest = directive;
	while (cli_clause_next(&rest, &name, &value) && part_of(name))
		parts |= part_of(name);
	struct span clauses = {name.at, line.end};
	directive.end = name.at;
	if (!(parts & MASKED) || parts == MASKED)
		return false;
	for (unsigned part = PARALLEL, is_next = 0; part <= LOOP; part <<= 1) {
		if (!(parts & part))
			continue;
		if (is_next) {
			cli_text_words(t, "\n");
			cli_lines_mark(l, t);
		}
		part_add(t, directive, clauses, part, parts);
		is_next = 1;
	}
	return true;
}
