/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragmas.c - makes the runtime see every iteration of OpenMP loops
 *
 * Idea.   A loop with the static schedule makes no calls of the runtime, which therefore does not
 *         see where an iteration begins.  A loop with the dynamic schedule calls it for every
 *         chunk.  So the rewriter turns static schedules into dynamic ones (monotonic, so that the
 *         compiler keeps the order inside a chunk).  The original schedule goes into the chunk size
 *         (omp/marks.def: CHUNK_STATIC and so on).  The rewriter works on preprocessed text, where
 *         macros are expanded and lines joined.  A loop without the clause is static.
 *
 *         Where gcc would combine a reduction in its own code, the rewriter adds a second
 *         reduction, of an empty variable, that gcc cannot combine so.  Then gcc calls the runtime
 *         before and after.
 *
 * Rules.  [static]   schedule(static) and none     schedule(dynamic, STATIC)
 *                    schedule(static, c)           schedule(dynamic, STATIC | (c) & MASK)
 *         [nowait]   with that clause, | NOWAIT
 *         [simd]     see openmp_simd.h
 *         [sections] for clang, which runs the sections of a thread by itself: a loop around a
 *                    switch (openmp_code.h); gcc asks for every section
 *         [combine]  for gcc: reduction(...) of teams, a region, a loop or sections gets
 *                    reduction(__snag_combine : __snag_nothing), or another name inside of a
 *                    region; with default(none) the rewriter also names these variables
 *         [loop]     `loop` is what `for` is if it binds to a parallel region, `distribute
 *                    parallel for` if to teams, `simd` if to a thread (openmp_regions.h): the
 *                    compilers run the iterations of each by themselves
 *         [order]    order(concurrent) is left out: gcc's loop with it and this schedule does
 *                    not end
 *         [data]     for clang, which without a device drops `target update`, `target enter data`
 *                    and `target exit data`, even if other tasks depend on them: a directive with a
 *                    depend clause becomes an empty task, deferred as a target region would be
 *         [inscan]   see openmp_scan.h
 *         [auto]     schedule(auto), which for gcc is static, becomes guided
 *         [odd]      loops that are no rectangle: see openmp_nest.h
 *         [name]     collapse(NAME) gets the number that NAME stands for (openmp_constant.h)
 *         [unknown]  if the number is unknown, the rewriter leaves simd loops, and loops that may
 *                    be no rectangle, as they are
 *         [left]     loops with inscan, and of simd, that are left as they are get a mark: the
 *                    runtime does not see their iterations
 *         [split]    for clang: see openmp_split.h
 *         [statements]  the statements of simd loops are reported one by one: see
 *                       openmp_statements.h
 *         [masked]   for gcc, from 12 on: see openmp_masked.h
 *         [chosen]   of a metadirective, the directives in `when` and `default` are rewritten
 *         [attribute] see openmp_attributes.h
 *         Everything else is left as it is, lines included; but see openmp_code.h.
 */
#include "cc/openmp/openmp_pragmas.h"

#include "base/memory.h"
#include "cc/openmp/openmp_attributes.h"
#include "cc/openmp/openmp_code.h"
#include "cc/openmp/openmp_constant.h"
#include "cc/text/lines.h"
#include "cc/openmp/openmp_marks.h"
#include "cc/openmp/openmp_masked.h"
#include "cc/openmp/openmp_nest.h"
#include "cc/openmp/openmp_pragma_read.h"
#include "cc/openmp/openmp_regions.h"
#include "cc/openmp/openmp_scan.h"
#include "cc/text/scanner.h"
#include "cc/openmp/openmp_simd.h"
#include "cc/openmp/openmp_split.h"
#include "cc/openmp/openmp_statements.h"
#include "cc/text/text.h"

#include <stdio.h>
#include <string.h>

/* [combine] */
static void combining_add(struct cc_text *t, const struct cc_pragma *p)
{
	bool is_region = p->is_region || p->has_teams;
	if (p->is_combining && is_region)
		cc_text_words(t, " reduction(__snag_combine : __snag_nothing)");
	else if (p->is_combining)
		cc_text_words(t, " reduction(__snag_combine : __snag_nothing_shared)");
	if (p->is_none && !(p->is_combining && is_region))
		cc_text_words(t, " shared(__snag_nothing)");
	if (p->is_none)
		cc_text_words(t, " shared(__snag_nothing_shared)");
}

/* Copies the clauses of a loop, without those that only `loop` may have or that the new schedule
 * excludes. */
static void clauses_copy(struct cc_text *t, struct cc_span text, const struct cc_pragma *p)
{
	while (text.at < text.end) {
		struct cc_span next = {text.end, text.end};
		const struct cc_span gone[] = {p->clause, p->bind, p->order};
		for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
			if (gone[i].at && gone[i].at >= text.at && gone[i].at < next.at)
				next = gone[i];
		cc_text_span(t, (struct cc_span){text.at, next.at});
		text.at = next.end;
	}
}

static void loop_rewrite(struct cc_text *t, struct cc_span line, const struct cc_pragma *p,
			 bool is_scan)
{
	if (p->loop.at) { /* [loop] */
		cc_text_span(t, (struct cc_span){line.at, p->loop.at});
		cc_text_words(t, p->of == CC_REGION_TEAMS ? "distribute parallel for" : "for");
		line.at = p->loop.end;
	}
	clauses_copy(t, line, p);
	if (p->odd)
		return;
	if (p->is_auto) {
		cc_text_words(t, " schedule(monotonic : guided) ");
		return;
	}
	cc_text_words(t, " schedule(monotonic : dynamic, ");
	cc_mark_add(t, is_scan ? CC_MARK_CHUNK_SCAN : CC_MARK_CHUNK_STATIC);
	if (p->is_nowait && !is_scan) {
		cc_text_words(t, " | ");
		cc_mark_add(t, CC_MARK_CHUNK_NOWAIT);
	}
	cc_mark_value(t, p->chunk);
	cc_text_words(t, ") ");
}

/* [sections] */
static void sections_rewrite(struct cc_text *t, struct cc_span line, struct cc_span name)
{
	cc_text_span(t, (struct cc_span){line.at, name.at});
	cc_text_words(t, "for schedule(monotonic : dynamic, ");
	cc_mark_add(t, CC_MARK_CHUNK_SECTIONS);
	cc_text_words(t, ")");
	cc_text_span(t, (struct cc_span){name.end, line.end});
}

/* Rewrites `cancel sections` and `cancellation point sections`, where
 * sections have become loops. */
static void cancel_rewrite(struct cc_text *t, struct cc_span line)
{
	struct cc_span rest = line, name, value;
	while (cc_clause_next(&rest, &name, &value))
		if (cc_span_is(name, "sections")) {
			cc_text_span(t, (struct cc_span){line.at, name.at});
			cc_text_words(t, "for");
			line.at = name.end;
		}
	cc_text_span(t, line);
}

/* [data] */
static bool is_dependent_data(struct cc_span line)
{
	enum { BEHIND_TARGET = 3 };
	struct cc_span name, value;
	bool is_data = false, depends = false;
	for (int i = 0; cc_clause_next(&line, &name, &value); i++) {
		is_data |= i == BEHIND_TARGET &&
			   (cc_span_is(name, "update") || cc_span_is(name, "enter") ||
			    cc_span_is(name, "exit"));
		depends |= cc_span_is(name, "depend");
	}
	return is_data && depends;
}

/* Writes an empty task, with the operator _Pragma, so that its statement is on the same line. */
static void data_rewrite(struct cc_text *t, struct cc_span line, bool is_nowait)
{
	struct cc_span name, value;
	cc_text_words(t, is_nowait ? "_Pragma(\"omp task priority(" : "_Pragma(\"omp task if(0");
	if (is_nowait)
		cc_mark_add(t, CC_MARK_TARGET);
	cc_text_words(t, ")");
	while (cc_clause_next(&line, &name, &value))
		if (cc_span_is(name, "depend")) {
			cc_text_words(t, " ");
			cc_text_span(t, (struct cc_span){name.at, line.at});
		}
	cc_text_words(t, "\") ;");
}

/* A text that the rewriter works on. */
struct rewriting {
	struct cc_text t;
	struct cc_sections s;
	struct cc_regions r;
	bool is_gnu;
	bool keeps_scan; /* the latest loop with inscan keeps its `scan` */
	/* where the latest loop that gets `words` has its body; NULL: the text is past it */
	const char *body;
	const char *words; /* the body begins with them */
	bool has_odd, has_together;
	struct cc_statements statements;
	const struct cc_lines *lines;
};

/* [left] */
static void loop_leave(struct rewriting *w, unsigned nloops, const struct cc_pragma *p,
		       struct cc_span after)
{
	w->body = p->is_inscan ? cc_nest_block(after, nloops) : cc_nest_body(after, nloops);
	w->words = p->is_inscan && !w->is_gnu ? CC_TOGETHER_INSIDE : CC_TOGETHER_BEFORE;
	w->has_together |= w->body != NULL;
}

static void loops_rewrite(struct rewriting *w, struct cc_text *t, struct cc_span line,
			  struct cc_pragma *p, struct cc_span after, bool is_scan)
{
	struct cc_nest nest = cc_nest_of(line, after);
	bool is_loop = p->loop.at || (p->is_loop && !p->is_other && !p->is_inscan);
	bool is_simd = p->is_simd && !p->is_inscan;
	if (!p->clause.at && !p->is_inscan && !is_scan)
		p->odd = cc_nest_odd(after, nest.n);
	bool is_left = p->is_inscan ||
		       (!nest.is_known && (is_simd || (is_loop && p->odd))); /* [unknown] */
	if (!is_left && is_simd && cc_simd_rewrite(t, line, after, nest.n, p->odd)) {
		is_loop = true;
		cc_statements_begin(&w->statements, after, nest.n);
	} else if (!is_left && is_loop)
		loop_rewrite(t, line, p, is_scan);
	else
		cc_text_span(t, line);
	if (!is_left && is_loop && p->odd) {
		w->body = p->odd;
		w->words = CC_NEST_ITERATION;
		w->has_odd = true;
	}
	if (is_left || (is_simd && !is_loop))
		loop_leave(w, nest.n, p, after);
	if (w->is_gnu)
		combining_add(t, p);
	if (is_scan || p->is_inscan)
		w->keeps_scan = p->is_inscan;
}

/* [chosen] */
static void directive_chosen(struct rewriting *w, struct cc_span chosen, struct cc_span after,
			     enum cc_region around)
{
	static const char pragma[] = "#pragma omp ";
	struct cc_text from = {0}, to = {0};
	if (cc_nest_odd(after, cc_nest_of(chosen, after).n)) { /* others may be no loops */
		cc_text_span(&w->t, chosen);
		return;
	}
	cc_text_words(&from, pragma);
	if (!cc_constant_rewrite(&from, w->lines->before, chosen))
		cc_text_span(&from, chosen);
	struct cc_span line = {from.at, from.at + from.n};
	struct cc_pragma p = cc_pragma_read(line, around);
	loops_rewrite(w, &to, line, &p, after, false);
	cc_text_span(&w->t, (struct cc_span){to.at + strlen(pragma), to.at + to.n});
	cc_regions_pragma(&w->r, line);
	free(from.at);
	free(to.at);
}

static void metadirective_rewrite(struct rewriting *w, struct cc_span line, struct cc_span after)
{
	struct cc_span rest = line, name, value;
	const enum cc_region around = cc_regions_at(&w->r);
	while (cc_clause_next(&rest, &name, &value)) {
		const char *colon = cc_colon_find(value);
		if (cc_span_is(name, "when") && colon)
			value.at = colon + 1;
		else if (!cc_span_is(name, "default") && !cc_span_is(name, "otherwise"))
			continue;
		cc_text_span(&w->t, (struct cc_span){line.at, value.at});
		directive_chosen(w, value, after, around);
		line.at = value.end;
	}
	cc_text_span(&w->t, line);
}

/* Returns whether the parentheses exist and are closed. If not, the compiler reports that. */
static bool is_whole(struct cc_span line)
{
	struct cc_span name, value;
	while (cc_clause_next(&line, &name, &value)) {
		bool is_open = value.at[-1] == '('; /* a name precedes it */
		struct cc_span inside = cc_span_trim(value);
		if (is_open &&
		    (value.end == line.end || inside.at == inside.end || inside.end[-1] == ','))
			return false;
	}
	return true;
}

static void directive_rewrite(struct rewriting *w, struct cc_span line, struct cc_span word,
			      struct cc_span after, bool is_scan)
{
	struct cc_text *t = &w->t;
	if (!is_whole(line)) {
		cc_text_span(t, line);
		return;
	}
	struct cc_pragma p = cc_pragma_read(line, cc_regions_at(&w->r));
	if (!w->is_gnu && p.name.at && cc_sections_begin(&w->s, after))
		sections_rewrite(t, line, p.name);
	else if (!w->is_gnu && (cc_span_is(word, "cancel") || cc_span_is(word, "cancellation")))
		cancel_rewrite(t, line);
	else if (!w->is_gnu && is_dependent_data(line))
		data_rewrite(t, line, p.is_nowait);
	else
		loops_rewrite(w, t, line, &p, after, is_scan);
}

/* Rewrites a pragma that the text `after` follows. */
static void pragma_rewrite(struct rewriting *w, struct cc_span line, struct cc_span word,
			   struct cc_span after)
{
	struct cc_text known = {0}, scan = {0};
	if (!w->is_gnu && cc_span_is(word, "section")) {
		cc_section_begin(&w->s, &w->t);
		return;
	}
	cc_sections_pragma(&w->s);
	if (cc_span_is(word, "scan") && !w->keeps_scan)
		return; /* [inscan] */
	if (cc_span_is(word, "metadirective")) {
		metadirective_rewrite(w, line, after);
		return;
	}
	if (cc_constant_rewrite(&known, w->lines->before, line)) /* [name] */
		line = (struct cc_span){known.at, known.at + known.n};
	bool is_scan = cc_scan_rewrite(&scan, line, after);
	if (is_scan)
		line = (struct cc_span){scan.at, scan.at + scan.n};
	directive_rewrite(w, line, word, after, is_scan);
	free(known.at);
	free(scan.at);
}

/* [combine] Inserts before the last mark at the beginning of the file that says where the next
 * line comes from, and nothing else. A mark that enters or leaves a header has flags, and the
 * file that it returns to must keep its name. */
static const char *marks_end(const char *text, const char *end)
{
	const char *last = text;
	while (text < end && *text == '#') {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *next = newline ? newline + 1 : end;
		if (next - text >= 2 && next[-2] == '"')
			last = text;
		text = next;
	}
	return last;
}

static void code_rewrite(struct rewriting *w, struct cc_span line)
{
	cc_regions_code(&w->r, line);
	if (w->body && w->body <= line.end && w->body >= line.at) { /* [odd], [left] */
		cc_code_copy(&w->s, &w->t, (struct cc_span){line.at, w->body});
		cc_text_words(&w->t, w->words);
		line.at = w->body;
		w->body = NULL;
	}
	cc_statements_copy(&w->statements, &w->s, w->lines, line, &w->t);
}

/* Writes the directives that the compiler knows, on lines of their own. */
static struct cc_text lines_rewrite(struct cc_span text, enum cc_compiler is)
{
	struct cc_text renamed = {0}, t = {0}, split = {0};
	struct cc_span line;
	cc_calls_rename(&renamed, text);
	cc_attributes_rewrite(&t, (struct cc_span){renamed.at, renamed.at + renamed.n});
	free(renamed.at);
	struct cc_lines l = cc_lines_of((struct cc_span){t.at, t.at + t.n});
	while (cc_lines_next(&l, &line)) {
		bool is_done = (is == CC_GCC && cc_masked_rewrite(&split, line)) || /* [masked] */
			       (is == CC_CLANG && cc_split_rewrite(&split, &l, line)); /* [split] */
		if (!is_done)
			cc_text_span(&split, line);
		if (line.end < l.rest.at)
			cc_text_words(&split, "\n");
	}
	free(t.at);
	return split;
}

static void text_rewrite(struct rewriting *w, struct cc_span text)
{
	struct cc_lines l = cc_lines_of(text);
	struct cc_span line, word;
	w->lines = &l;
	while (cc_lines_next(&l, &line)) {
		if (cc_is_openmp(line, &word)) {
			pragma_rewrite(w, line, word, l.rest);
			cc_regions_pragma(&w->r, line);
		} else {
			code_rewrite(w, line);
		}
		if (line.end < l.rest.at)
			cc_text_words(&w->t, "\n");
	}
}

char *cc_openmp_rewrite(const char *text, size_t n, enum cc_compiler is, size_t *ret_n)
{
	static const char combining[] =
		"typedef struct { } __snag_nothing_type;\n"
		"static __snag_nothing_type __snag_nothing __attribute__((unused));\n"
		"static __snag_nothing_type __snag_nothing_shared __attribute__((unused));\n"
		"#pragma omp declare reduction(__snag_combine : __snag_nothing_type : (void)0)\n";
	const bool is_gnu = is != CC_CLANG;
	struct rewriting w = {.is_gnu = is_gnu};
	struct cc_text from = lines_rewrite((struct cc_span){text, text + n}, is), to = {0};
	const char *end = from.at + from.n, *begin = marks_end(from.at, end);
	text_rewrite(&w, (struct cc_span){begin, end});
	cc_text_span(&to, (struct cc_span){from.at, begin});
	if (is_gnu || w.has_odd || w.has_together || w.statements.are_there)
		cc_text_words(&to, "# 1 \"<snag>\" 3\n");
	if (w.statements.are_there)
		cc_text_words(&to, CC_STATEMENT_DECLARATION);
	if (w.has_odd)
		cc_text_words(&to, CC_NEST_DECLARATION);
	if (w.has_together)
		cc_text_words(&to, CC_TOGETHER_DECLARATION);
	if (is == CC_GCC)
		cc_text_words(&to, CC_CALLS_OWN CC_MASKED_DECLARATION);
	if (is_gnu)
		cc_text_words(&to, combining);
	cc_text_add(&to, w.t.at, w.t.n);
	free(from.at);
	free(w.t.at);
	cc_sections_done(&w.s);
	cc_regions_done(&w.r);
	*ret_n = to.n;
	return to.at ? to.at : snag_alloc(1);
}
