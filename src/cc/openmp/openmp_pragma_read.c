/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragma_read.c - what an OpenMP pragma says, as far as the rewriter needs it
 */
#include "cc/openmp/openmp_pragma_read.h"

#include "cc/text/scanner.h"

#include <string.h>

static bool is_directive_word(struct cc_span name)
{
	static const char *const word[] = {
		"parallel", "for",	"simd",	 "target", "teams",	 "masked", "master",
		"sections", "taskloop", "scope", "omp",	   "distribute", "pragma", "loop"};
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (cc_span_is(name, word[i]))
			return true;
	return false;
}

/* A chunk size may hold a colon, too. */
static void schedule_read(struct cc_pragma *p, struct cc_span value)
{
	struct cc_span kind = value, word, ignored;
	cc_clause_next(&kind, &word, &ignored);
	bool is_modifier = cc_span_is(word, "monotonic") || cc_span_is(word, "nonmonotonic") ||
			   cc_span_is(word, "simd");
	const char *colon = is_modifier ? cc_colon_find(value) : NULL;
	kind = (struct cc_span){colon ? colon + 1 : value.at, value.end};
	const char *comma = memchr(kind.at, ',', (size_t)(kind.end - kind.at));
	if (comma) {
		p->chunk = cc_span_trim((struct cc_span){comma + 1, kind.end});
		kind.end = comma;
	}
	p->is_auto = cc_span_is(cc_span_trim(kind), "auto");
	p->is_other = !p->is_auto && !cc_span_is(cc_span_trim(kind), "static");
}

static void reduction_read(struct cc_pragma *p, struct cc_span value, bool *ret_is_plain)
{
	struct cc_span word, ignored;
	cc_clause_next(&value, &word, &ignored);
	p->is_inscan |= cc_span_is(word, "inscan");
	*ret_is_plain |= !cc_span_is(word, "task");
}

/* Finds what a `loop` binds to: it follows from the rest of the pragma, or from the region
 * around it. In a combined directive, `loop` is the last part. */
static enum cc_region loop_region(const struct cc_pragma *p, struct cc_span bind,
				  enum cc_region around)
{
	if (bind.at < bind.end)
		return cc_span_is(bind, "teams")      ? CC_REGION_TEAMS
		       : cc_span_is(bind, "parallel") ? CC_REGION_PARALLEL
						      : CC_REGION_OTHER;
	return p->has_teams ? CC_REGION_TEAMS : p->is_region ? CC_REGION_PARALLEL : around;
}

struct cc_pragma cc_pragma_read(struct cc_span line, enum cc_region around)
{
	struct cc_pragma p = {0};
	struct cc_span name, value;
	bool is_directive = true, is_shared = false, has_tasks = false, has_reduction = false;
	struct cc_span bind = {0};
	while (cc_clause_next(&line, &name, &value)) {
		is_directive = is_directive && is_directive_word(name);
		if (is_directive && cc_span_is(name, "sections"))
			p.name = name;
		p.is_loop |= is_directive && cc_span_is(name, "for");
		has_tasks |= is_directive && cc_span_is(name, "taskloop");
		p.is_simd |= is_directive && cc_span_is(name, "simd");
		if (is_directive && cc_span_is(name, "loop"))
			p.loop = name;
		p.has_teams |= is_directive && cc_span_is(name, "teams");
		if (cc_span_is(name, "order"))
			p.order = (struct cc_span){name.at, line.at};
		if (cc_span_is(name, "bind")) {
			p.bind = (struct cc_span){name.at, line.at};
			bind = cc_span_trim(value);
		}
		p.is_region |= is_directive && cc_span_is(name, "parallel");
		is_shared |= is_directive &&
			     (p.is_loop || p.name.at || p.is_region || cc_span_is(name, "scope"));
		p.is_nowait |= cc_span_is(name, "nowait");
		p.is_none |= cc_span_is(name, "default") && cc_span_is(cc_span_trim(value), "none");
		if (cc_span_is(name, "reduction"))
			reduction_read(&p, value, &has_reduction);
		if (cc_span_is(name, "schedule")) {
			p.clause = (struct cc_span){name.at, line.at};
			schedule_read(&p, value);
		}
	}
	p.of = p.loop.at ? loop_region(&p, bind, around) : CC_REGION_NONE;
	if (p.of != CC_REGION_TEAMS &&
	    p.of != CC_REGION_PARALLEL) /* the loop belongs to one thread */
		p.loop = (struct cc_span){0};
	is_shared |= p.loop.at != NULL || p.has_teams;
	p.is_simd = (p.is_simd && !p.is_loop && !has_tasks) || p.of == CC_REGION_OTHER;
	if (p.is_simd) /* it becomes a region */
		p.is_region = is_shared = true;
	p.is_combining = has_reduction && is_shared && !has_tasks && !p.is_inscan;
	return p;
}
