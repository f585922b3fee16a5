/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_pragmas.c - makes the runtime see every iteration of OpenMP loops
 *
 * Idea.   Compilers run loops with the static schedule by themselves: the runtime does not see
 *         where an iteration begins.  With the dynamic schedule they ask it for every
 *         chunk.  So, in the preprocessed text, where macros are expanded and lines joined,
 *         static schedules become dynamic ones (monotonic, so that the compiler leaves the order
 *         inside a chunk), and what was said goes into the chunk size
 *         (omp/core.h: MP_CHUNK_STATIC and so on).  A loop without the clause is static.
 *
 *         Where gcc could combine a reduction by itself, it gets a second one, of nothing, which it
 *         cannot: then it calls the runtime before and after.
 *
 * Rules.  [static]   schedule(static) and none     schedule(dynamic, STATIC)
 *                    schedule(static, c)           schedule(dynamic, STATIC | (c) & MASK)
 *         [nowait]   with that clause, | NOWAIT
 *         [simd]     see openmp_simd.h
 *         [sections] for clang, which runs the sections of a thread by itself: a loop around a switch
 *                    (openmp_code.h); gcc asks for every section
 *         [combine]  for gcc: reduction(...) of teams, a region, a loop or sections gets
 *                    reduction(__snag_combine : __snag_nothing), one inside of a region another
 *                    name; default(none) allows for both
 *         [loop]     `loop` is what `for` is if it binds to a parallel region, `distribute parallel for`
 *                    if to teams, `simd` if to a thread (openmp_regions.h): the compilers run the
 *                    iterations of each by themselves
 *         [order]    order(concurrent) is left out: gcc's loop with it and this schedule does not end
 *         [data]     for clang, which without a device leaves out `target update`, `target enter data` and
 *                    `target exit data`, also if something depends on them: those with a depend
 *                    clause become a task that does nothing, undeferred or as target regions are
 *         [inscan]   see openmp_scan.h
 *         [auto]     schedule(auto), which for gcc is static, becomes guided
 *         [odd]      loops that are no rectangle: see openmp_nest.h
 *         [left]     loops with inscan, and of simd, that are left as they are say that nobody sees their iterations
 *         [split]    for clang: see openmp_split.h
 *         [statements]  of simd loops are told apart: see openmp_statements.h
 *         [masked]   for gcc, from 12 on: see openmp_masked.h
 *         [chosen]   of a metadirective, what is in `when` and `default`
 *         [attribute] see openmp_attributes.h
 *         Everything else is left as it is, lines included; but see openmp_code.h.
 */
#include "cc/openmp_pragmas.h"

#include "base/memory.h"
#include "cc/openmp_attributes.h"
#include "cc/openmp_code.h"
#include "cc/openmp_lines.h"
#include "cc/openmp_masked.h"
#include "cc/openmp_nest.h"
#include "cc/openmp_regions.h"
#include "cc/openmp_scan.h"
#include "cc/openmp_simd.h"
#include "cc/openmp_split.h"
#include "cc/openmp_statements.h"
#include "cc/openmp_text.h"

#include <stdio.h>
#include <string.h>

#define CHUNK_STATIC "0x40000000"
#define CHUNK_NOWAIT " | 0x20000000"
#define CHUNK_SECTIONS "0x70000000"
#define CHUNK_SCAN "0x70000001"
#define CHUNK_MASK "0x0fffffff"
#define TARGET_PRIORITY "0x51D0002"

static bool is_directive_word(struct span name)
{
	static const char *const word[] = {
		"parallel", "for",	"simd",	 "target", "teams",	 "masked", "master",
		"sections", "taskloop", "scope", "omp",	   "distribute", "pragma", "loop"};
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		if (cli_span_is(name, word[i]))
			return true;
	return false;
}

/* What a pragma says, as far as it matters here. */
struct pragma {
	bool is_loop, is_nowait;
	bool is_other;	    /* a schedule that the runtime sees anyway */
	bool is_auto;	    /* [auto] */
	bool is_combining;  /* a region or worksharing, with a reduction that its threads combine */
	bool is_region;	    /* parallel */
	bool is_inscan;	    /* left as it is: its loop must have no schedule */
	bool is_none;	    /* default(none) */
	bool is_simd;	    /* and no loop of threads or tasks */
	const char *odd;    /* [odd]: behind the innermost head; NULL: its loops are a rectangle */
	struct span name;   /* `sections`; empty: it is none */
	struct span loop;   /* [loop]; empty: it is none */
	enum cli_region of; /* likewise: what it binds to */
	bool has_teams;
	struct span bind;   /* bind(...); empty: none */
	struct span order;  /* order(...); likewise */
	struct span clause; /* schedule(...); empty: none */
	struct span chunk;  /* empty: none */
};

/* A chunk size may have a colon, too. */
static void schedule_read(struct pragma *p, struct span value)
{
	struct span kind = value, word, ignored;
	cli_clause_next(&kind, &word, &ignored);
	bool is_modifier = cli_span_is(word, "monotonic") || cli_span_is(word, "nonmonotonic") ||
			   cli_span_is(word, "simd");
	const char *colon = is_modifier ? cli_colon_find(value) : NULL;
	kind = (struct span){colon ? colon + 1 : value.at, value.end};
	const char *comma = memchr(kind.at, ',', (size_t)(kind.end - kind.at));
	if (comma) {
		p->chunk = cli_span_trim((struct span){comma + 1, kind.end});
		kind.end = comma;
	}
	p->is_auto = cli_span_is(cli_span_trim(kind), "auto");
	p->is_other = !p->is_auto && !cli_span_is(cli_span_trim(kind), "static");
}

static void reduction_read(struct pragma *p, struct span value, bool *ret_is_plain)
{
	struct span word, ignored;
	cli_clause_next(&value, &word, &ignored);
	p->is_inscan |= cli_span_is(word, "inscan");
	*ret_is_plain |= !cli_span_is(word, "task");
}

/* What a `loop` binds to: what the rest of the pragma is, or it is in.  A combined one has to be of its
 * last part. */
static enum cli_region loop_region(const struct pragma *p, struct span bind, enum cli_region around)
{
	if (bind.at < bind.end)
		return cli_span_is(bind, "teams")      ? CLI_REGION_TEAMS
		       : cli_span_is(bind, "parallel") ? CLI_REGION_PARALLEL
						       : CLI_REGION_OTHER;
	return p->has_teams ? CLI_REGION_TEAMS : p->is_region ? CLI_REGION_PARALLEL : around;
}

static struct pragma pragma_read(struct span line, enum cli_region around)
{
	struct pragma p = {0};
	struct span name, value;
	bool is_directive = true, is_shared = false, has_tasks = false, has_reduction = false;
	struct span bind = {0};
	while (cli_clause_next(&line, &name, &value)) {
		is_directive = is_directive && is_directive_word(name);
		if (is_directive && cli_span_is(name, "sections"))
			p.name = name;
		p.is_loop |= is_directive && cli_span_is(name, "for");
		has_tasks |= is_directive && cli_span_is(name, "taskloop");
		p.is_simd |= is_directive && cli_span_is(name, "simd");
		if (is_directive && cli_span_is(name, "loop"))
			p.loop = name;
		p.has_teams |= is_directive && cli_span_is(name, "teams");
		if (cli_span_is(name, "order"))
			p.order = (struct span){name.at, line.at};
		if (cli_span_is(name, "bind")) {
			p.bind = (struct span){name.at, line.at};
			bind = cli_span_trim(value);
		}
		p.is_region |= is_directive && cli_span_is(name, "parallel");
		is_shared |= is_directive &&
			     (p.is_loop || p.name.at || p.is_region || cli_span_is(name, "scope"));
		p.is_nowait |= cli_span_is(name, "nowait");
		p.is_none |=
			cli_span_is(name, "default") && cli_span_is(cli_span_trim(value), "none");
		if (cli_span_is(name, "reduction"))
			reduction_read(&p, value, &has_reduction);
		if (cli_span_is(name, "schedule")) {
			p.clause = (struct span){name.at, line.at};
			schedule_read(&p, value);
		}
	}
	p.of = p.loop.at ? loop_region(&p, bind, around) : CLI_REGION_NONE;
	if (p.of != CLI_REGION_TEAMS && p.of != CLI_REGION_PARALLEL) /* a thread's */
		p.loop = (struct span){0};
	is_shared |= p.loop.at != NULL || p.has_teams;
	p.is_simd = (p.is_simd && !p.is_loop && !has_tasks) || p.of == CLI_REGION_OTHER;
	if (p.is_simd) /* a region to be */
		p.is_region = is_shared = true;
	p.is_combining = has_reduction && is_shared && !has_tasks && !p.is_inscan;
	return p;
}

/* [combine] */
static void combining_add(struct text *t, const struct pragma *p)
{
	bool is_region = p->is_region || p->has_teams;
	if (p->is_combining && is_region)
		cli_text_words(t, " reduction(__snag_combine : __snag_nothing)");
	else if (p->is_combining)
		cli_text_words(t, " reduction(__snag_combine : __snag_nothing_shared)");
	if (p->is_none && !(p->is_combining && is_region))
		cli_text_words(t, " shared(__snag_nothing)");
	if (p->is_none)
		cli_text_words(t, " shared(__snag_nothing_shared)");
}

/* What a loop says of itself, but for what only `loop` may say, or the new schedule cannot be with. */
static void clauses_copy(struct text *t, struct span text, const struct pragma *p)
{
	while (text.at < text.end) {
		struct span next = {text.end, text.end};
		const struct span gone[] = {p->clause, p->bind, p->order};
		for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
			if (gone[i].at && gone[i].at >= text.at && gone[i].at < next.at)
				next = gone[i];
		cli_text_span(t, (struct span){text.at, next.at});
		text.at = next.end;
	}
}

static void loop_rewrite(struct text *t, struct span line, const struct pragma *p, bool is_scan)
{
	if (p->loop.at) { /* [loop] */
		cli_text_span(t, (struct span){line.at, p->loop.at});
		cli_text_words(t, p->of == CLI_REGION_TEAMS ? "distribute parallel for" : "for");
		line.at = p->loop.end;
	}
	clauses_copy(t, line, p);
	if (p->odd)
		return;
	if (p->is_auto) {
		cli_text_words(t, " schedule(monotonic : guided) ");
		return;
	}
	cli_text_words(t, " schedule(monotonic : dynamic, ");
	cli_text_words(t, is_scan ? CHUNK_SCAN : CHUNK_STATIC);
	if (p->is_nowait && !is_scan)
		cli_text_words(t, CHUNK_NOWAIT);
	if (p->chunk.at < p->chunk.end) {
		cli_text_words(t, " | ((");
		cli_text_span(t, p->chunk);
		cli_text_words(t, ") & " CHUNK_MASK ")");
	}
	cli_text_words(t, ") ");
}

/* [sections] */
static void sections_rewrite(struct text *t, struct span line, struct span name)
{
	cli_text_span(t, (struct span){line.at, name.at});
	cli_text_words(t, "for schedule(monotonic : dynamic, " CHUNK_SECTIONS ")");
	cli_text_span(t, (struct span){name.end, line.end});
}

/* `cancel sections` and `cancellation point sections`, where sections are loops. */
static void cancel_rewrite(struct text *t, struct span line)
{
	struct span rest = line, name, value;
	while (cli_clause_next(&rest, &name, &value))
		if (cli_span_is(name, "sections")) {
			cli_text_span(t, (struct span){line.at, name.at});
			cli_text_words(t, "for");
			line.at = name.end;
		}
	cli_text_span(t, line);
}

/* [data] */
static bool is_dependent_data(struct span line)
{
	enum { BEHIND_TARGET = 3 };
	struct span name, value;
	bool is_data = false, depends = false;
	for (int i = 0; cli_clause_next(&line, &name, &value); i++) {
		is_data |= i == BEHIND_TARGET &&
			   (cli_span_is(name, "update") || cli_span_is(name, "enter") ||
			    cli_span_is(name, "exit"));
		depends |= cli_span_is(name, "depend");
	}
	return is_data && depends;
}

/* With the operator, so that the task's statement is on the same line. */
static void data_rewrite(struct text *t, struct span line, bool is_nowait)
{
	struct span name, value;
	cli_text_words(t, is_nowait ? "_Pragma(\"omp task priority(" TARGET_PRIORITY ")"
				    : "_Pragma(\"omp task if(0)");
	while (cli_clause_next(&line, &name, &value))
		if (cli_span_is(name, "depend")) {
			cli_text_words(t, " ");
			cli_text_span(t, (struct span){name.at, line.at});
		}
	cli_text_words(t, "\") ;");
}

/* A text that is rewritten. */
struct rewriting {
	struct text t;
	struct sections s;
	struct regions r;
	bool is_gnu;
	bool keeps_scan;   /* of the latest loop with inscan */
	const char *body;  /* of the latest loop that gets such words; NULL: it is past */
	const char *words; /* what it begins with then */
	bool has_odd, has_together;
	struct statements statements;
	const struct lines *lines;
};

/* [left] */
static void loop_leave(struct rewriting *w, struct span line, const struct pragma *p,
		       struct span after)
{
	unsigned nloops = cli_nest_loops(line);
	w->body = p->is_inscan ? cli_nest_block(after, nloops) : cli_nest_body(after, nloops);
	w->words = p->is_inscan && !w->is_gnu ? CLI_TOGETHER_INSIDE : CLI_TOGETHER_BEFORE;
	w->has_together |= w->body != NULL;
}

static void loops_rewrite(struct rewriting *w, struct text *t, struct span line, struct pragma *p,
			  struct span after, bool is_scan)
{
	bool is_loop = p->loop.at || (p->is_loop && !p->is_other && !p->is_inscan);
	if (!p->clause.at && !p->is_inscan && !is_scan)
		p->odd = cli_nest_odd(after, cli_nest_loops(line));
	if (p->is_simd && !p->is_inscan && cli_simd_rewrite(t, line, after, p->odd)) {
		is_loop = true;
		cli_statements_begin(&w->statements, after, cli_nest_loops(line));
	} else if (is_loop)
		loop_rewrite(t, line, p, is_scan);
	else
		cli_text_span(t, line);
	if (is_loop && p->odd) {
		w->body = p->odd;
		w->words = CLI_NEST_ITERATION;
		w->has_odd = true;
	}
	if (p->is_inscan || (p->is_simd && !is_loop))
		loop_leave(w, line, p, after);
	if (w->is_gnu)
		combining_add(t, p);
	if (is_scan || p->is_inscan)
		w->keeps_scan = p->is_inscan;
}

/* [chosen] */
static void directive_chosen(struct rewriting *w, struct span chosen, struct span after,
			     enum cli_region around)
{
	static const char pragma[] = "#pragma omp ";
	struct text from = {0}, to = {0};
	if (cli_nest_odd(after, cli_nest_loops(chosen))) { /* others may be no loops */
		cli_text_span(&w->t, chosen);
		return;
	}
	cli_text_words(&from, pragma);
	cli_text_span(&from, chosen);
	struct span line = {from.at, from.at + from.n};
	struct pragma p = pragma_read(line, around);
	loops_rewrite(w, &to, line, &p, after, false);
	cli_text_span(&w->t, (struct span){to.at + strlen(pragma), to.at + to.n});
	cli_regions_pragma(&w->r, line);
	free(from.at);
	free(to.at);
}

static void metadirective_rewrite(struct rewriting *w, struct span line, struct span after)
{
	struct span rest = line, name, value;
	const enum cli_region around = cli_regions_at(&w->r);
	while (cli_clause_next(&rest, &name, &value)) {
		const char *colon = cli_colon_find(value);
		if (cli_span_is(name, "when") && colon)
			value.at = colon + 1;
		else if (!cli_span_is(name, "default") && !cli_span_is(name, "otherwise"))
			continue;
		cli_text_span(&w->t, (struct span){line.at, value.at});
		directive_chosen(w, value, after, around);
		line.at = value.end;
	}
	cli_text_span(&w->t, line);
}

/* Whether what is in parentheses is there, and closed; else the compiler is to say so. */
static bool is_whole(struct span line)
{
	struct span name, value;
	while (cli_clause_next(&line, &name, &value)) {
		bool is_open = value.at[-1] == '('; /* a name is before it */
		struct span inside = cli_span_trim(value);
		if (is_open &&
		    (value.end == line.end || inside.at == inside.end || inside.end[-1] == ','))
			return false;
	}
	return true;
}

static void directive_rewrite(struct rewriting *w, struct span line, struct span word,
			      struct span after, bool is_scan)
{
	struct text *t = &w->t;
	if (!is_whole(line)) {
		cli_text_span(t, line);
		return;
	}
	struct pragma p = pragma_read(line, cli_regions_at(&w->r));
	if (!w->is_gnu && p.name.at && cli_sections_begin(&w->s, after))
		sections_rewrite(t, line, p.name);
	else if (!w->is_gnu && (cli_span_is(word, "cancel") || cli_span_is(word, "cancellation")))
		cancel_rewrite(t, line);
	else if (!w->is_gnu && is_dependent_data(line))
		data_rewrite(t, line, p.is_nowait);
	else
		loops_rewrite(w, t, line, &p, after, is_scan);
}

/* The text `after` follows the pragma. */
static void pragma_rewrite(struct rewriting *w, struct span line, struct span word,
			   struct span after)
{
	struct text scan = {0};
	if (!w->is_gnu && cli_span_is(word, "section")) {
		cli_section_begin(&w->s, &w->t);
		return;
	}
	cli_sections_pragma(&w->s);
	if (cli_span_is(word, "scan") && !w->keeps_scan)
		return; /* [inscan] */
	if (cli_span_is(word, "metadirective")) {
		metadirective_rewrite(w, line, after);
		return;
	}
	bool is_scan = cli_scan_rewrite(&scan, line, after);
	if (is_scan)
		line = (struct span){scan.at, scan.at + scan.n};
	directive_rewrite(w, line, word, after, is_scan);
	free(scan.at);
}

/* [combine] Before the last of the marks at the file's beginning that says where what follows comes
 * from, and no more: one that enters or leaves a header has flags, and what it returns to must not
 * have got another name. */
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

static void code_rewrite(struct rewriting *w, struct span line)
{
	cli_regions_code(&w->r, line);
	if (w->body && w->body <= line.end && w->body >= line.at) { /* [odd], [left] */
		cli_code_copy(&w->s, &w->t, (struct span){line.at, w->body});
		cli_text_words(&w->t, w->words);
		line.at = w->body;
		w->body = NULL;
	}
	cli_statements_copy(&w->statements, &w->s, w->lines, line, &w->t);
}

/* Directives on lines of their own that the compiler knows. */
static struct text lines_rewrite(struct span text, enum cli_compiler is)
{
	struct text renamed = {0}, t = {0}, split = {0};
	struct span line;
	cli_calls_rename(&renamed, text);
	cli_attributes_rewrite(&t, (struct span){renamed.at, renamed.at + renamed.n});
	free(renamed.at);
	struct lines l = cli_lines_of((struct span){t.at, t.at + t.n});
	while (cli_lines_next(&l, &line)) {
		bool is_done =
			(is == CLI_GCC && cli_masked_rewrite(&split, line)) ||	  /* [masked] */
			(is == CLI_CLANG && cli_split_rewrite(&split, &l, line)); /* [split] */
		if (!is_done)
			cli_text_span(&split, line);
		if (line.end < l.rest.at)
			cli_text_words(&split, "\n");
	}
	free(t.at);
	return split;
}

static void text_rewrite(struct rewriting *w, struct span text)
{
	struct lines l = cli_lines_of(text);
	struct span line, word;
	w->lines = &l;
	while (cli_lines_next(&l, &line)) {
		if (cli_is_openmp(line, &word)) {
			pragma_rewrite(w, line, word, l.rest);
			cli_regions_pragma(&w->r, line);
		} else {
			code_rewrite(w, line);
		}
		if (line.end < l.rest.at)
			cli_text_words(&w->t, "\n");
	}
}

char *cli_openmp_rewrite(const char *text, size_t n, enum cli_compiler is, size_t *ret_n)
{
	static const char combining[] =
		"typedef struct { } __snag_nothing_type;\n"
		"static __snag_nothing_type __snag_nothing __attribute__((unused));\n"
		"static __snag_nothing_type __snag_nothing_shared __attribute__((unused));\n"
		"#pragma omp declare reduction(__snag_combine : __snag_nothing_type : (void)0)\n";
	const bool is_gnu = is != CLI_CLANG;
	struct rewriting w = {.is_gnu = is_gnu};
	struct text from = lines_rewrite((struct span){text, text + n}, is), to = {0};
	const char *end = from.at + from.n, *begin = marks_end(from.at, end);
	text_rewrite(&w, (struct span){begin, end});
	cli_text_span(&to, (struct span){from.at, begin});
	if (is_gnu || w.has_odd || w.has_together || w.statements.are_there)
		cli_text_words(&to, "# 1 \"<snag>\" 3\n");
	if (w.statements.are_there)
		cli_text_words(&to, CLI_STATEMENT_DECLARATION);
	if (w.has_odd)
		cli_text_words(&to, CLI_NEST_DECLARATION);
	if (w.has_together)
		cli_text_words(&to, CLI_TOGETHER_DECLARATION);
	if (is == CLI_GCC)
		cli_text_words(&to, CLI_CALLS_OWN CLI_MASKED_DECLARATION);
	if (is_gnu)
		cli_text_words(&to, combining);
	cli_text_add(&to, w.t.at, w.t.n);
	free(from.at);
	free(w.t.at);
	cli_sections_done(&w.s);
	cli_regions_done(&w.r);
	*ret_n = to.n;
	return to.at ? to.at : snag_alloc(1);
}
