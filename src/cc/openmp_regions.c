/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_regions.c - which region of OpenMP a place of the text is right inside of
 */
#include "cc/openmp_regions.h"

#include "base/memory.h"

/* What a word of a directive makes of it. */
static enum cli_region region_of(struct span word)
{
	static const char *const other[] = {
		"for",	  "simd",	"sections", "section",	"single",    "master",
		"masked", "critical",	"task",	    "taskloop", "taskgroup", "ordered",
		"scope",  "distribute", "target",   "atomic",	"loop",	     "dispatch"};
	if (cli_span_is(word, "parallel"))
		return CLI_REGION_PARALLEL;
	if (cli_span_is(word, "teams"))
		return CLI_REGION_TEAMS;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (cli_span_is(word, other[i]))
			return CLI_REGION_OTHER;
	return CLI_REGION_NONE;
}

enum cli_region cli_regions_at(const struct regions *r)
{
	if (r->awaited)
		return r->awaited;
	return r->n ? r->open[r->n - 1].region : CLI_REGION_NONE;
}

void cli_regions_pragma(struct regions *r, struct span line)
{
	struct span name, value;
	enum cli_region region = CLI_REGION_NONE, more;
	if (!cli_clause_next(&line, &name, &value) || !cli_clause_next(&line, &name, &value))
		return; /* pragma, omp */
	while (cli_clause_next(&line, &name, &value) && (more = region_of(name)))
		region = more; /* the last word is the innermost */
	if (cli_span_is(name, "update") || cli_span_is(name, "enter") || cli_span_is(name, "exit"))
		return; /* target has no block then */
	if (region)
		r->awaited = region; /* [block] */
}

void cli_regions_code(struct regions *r, struct span line)
{
	bool is_word;
	for (; line.at < line.end; line.at = cli_token_end(line, &is_word)) {
		char c = *line.at;
		r->parentheses += c == '(';
		r->parentheses -= c == ')' && r->parentheses;
		if (c == ';' && !r->parentheses)
			r->awaited = CLI_REGION_NONE; /* [other] */
		if (c == '{' && r->awaited) {
			r->open = snag_grow(r->open, &r->cap, r->n + 1, sizeof(*r->open));
			r->open[r->n++] = (struct regions_open){r->depth, r->awaited};
			r->awaited = CLI_REGION_NONE;
		}
		r->depth += c == '{';
		r->depth -= c == '}' && r->depth;
		if (c == '}' && r->n && r->open[r->n - 1].depth == r->depth)
			r->n--;
	}
}

void cli_regions_done(struct regions *r)
{
	free(r->open);
	*r = (struct regions){0};
}
