/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_regions.c - which region of OpenMP a place of the text is right inside of
 */
#include "cc/openmp/openmp_regions.h"

#include "cc/text/scanner.h"

#include "base/memory.h"

/* The meaning of a word in a directive. */
static enum cc_region region_of(struct cc_span word)
{
	static const char *const other[] = {
		"for",	  "simd",	"sections", "section",	"single",    "master",
		"masked", "critical",	"task",	    "taskloop", "taskgroup", "ordered",
		"scope",  "distribute", "target",   "atomic",	"loop",	     "dispatch"};
	if (cc_span_is(word, "parallel"))
		return CC_REGION_PARALLEL;
	if (cc_span_is(word, "teams"))
		return CC_REGION_TEAMS;
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (cc_span_is(word, other[i]))
			return CC_REGION_OTHER;
	return CC_REGION_NONE;
}

enum cc_region cc_regions_at(const struct cc_regions *r)
{
	if (r->awaited)
		return r->awaited;
	return r->n ? r->open[r->n - 1].region : CC_REGION_NONE;
}

void cc_regions_pragma(struct cc_regions *r, struct cc_span line)
{
	struct cc_span name, value;
	enum cc_region region = CC_REGION_NONE, more;
	if (!cc_clause_next(&line, &name, &value) || !cc_clause_next(&line, &name, &value))
		return; /* skips `pragma` and `omp` */
	while (cc_clause_next(&line, &name, &value) && (more = region_of(name)))
		region = more; /* the last word is the innermost */
	if (cc_span_is(name, "update") || cc_span_is(name, "enter") || cc_span_is(name, "exit"))
		return; /* then `target` has no block */
	if (region)
		r->awaited = region; /* [block] */
}

void cc_regions_code(struct cc_regions *r, struct cc_span line)
{
	bool is_word;
	for (; line.at < line.end; line.at = cc_token_end(line, &is_word)) {
		char c = *line.at;
		r->parentheses += c == '(';
		r->parentheses -= c == ')' && r->parentheses;
		if (c == ';' && !r->parentheses)
			r->awaited = CC_REGION_NONE; /* [other] */
		if (c == '{' && r->awaited) {
			r->open = snag_grow(r->open, &r->cap, r->n + 1, sizeof(*r->open));
			r->open[r->n++] = (struct regions_open){r->depth, r->awaited};
			r->awaited = CC_REGION_NONE;
		}
		r->depth += c == '{';
		r->depth -= c == '}' && r->depth;
		if (c == '}' && r->n && r->open[r->n - 1].depth == r->depth)
			r->n--;
	}
}

void cc_regions_done(struct cc_regions *r)
{
	free(r->open);
	*r = (struct cc_regions){0};
}
