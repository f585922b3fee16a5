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
 *         [combine]  for gcc: reduction(...) of a region, a loop or sections gets
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
 *         Everything else is left as it is, lines included; but see openmp_code.h.
 */
#include "cli/openmp_pragmas.h"

#include "base/memory.h"
#include "cli/openmp_code.h"
#include "cli/openmp_regions.h"
#include "cli/openmp_scan.h"
#include "cli/openmp_simd.h"
#include "cli/openmp_text.h"

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
	bool is_combining;  /* a region or worksharing, with a reduction that its threads combine */
	bool is_region;	    /* parallel */
	bool is_inscan;	    /* left as it is: its loop must have no schedule */
	bool is_none;	    /* default(none) */
	struct span name;   /* `sections`; empty: it is none */
	struct span loop;   /* [loop]; empty: it is none */
	enum cli_region of; /* likewise: what it binds to */
	bool has_teams;
	struct span bind;   /* bind(...); empty: none */
	struct span order;  /* order(...); likewise */
	struct span clause; /* schedule(...); empty: none */
	struct span chunk;  /* empty: none */
};

static void schedule_read(struct pragma *p, struct span value)
{
	const char *colon = memchr(value.at, ':', (size_t)(value.end - value.at));
	struct span kind = {colon ? colon + 1 : value.at, value.end};
	const char *comma = memchr(kind.at, ',', (size_t)(kind.end - kind.at));
	if (comma) {
		p->chunk = cli_span_trim((struct span){comma + 1, kind.end});
		kind.end = comma;
	}
	p->is_other = !cli_span_is(cli_span_trim(kind), "static");
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

static struct pragma pragma_read(struct span line, struct span word, enum cli_region around)
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
	is_shared |= p.loop.at != NULL;
	if (cli_span_is(word, "simd") || p.of == CLI_REGION_OTHER) /* a region to be */
		p.is_region = is_shared = true;
	p.is_combining = has_reduction && is_shared && !has_tasks && !p.is_inscan;
	return p;
}

/* [combine] */
static void combining_add(struct text *t, const struct pragma *p)
{
	if (p->is_combining && p->is_region)
		cli_text_words(t, " reduction(__snag_combine : __snag_nothing)");
	else if (p->is_combining)
		cli_text_words(t, " reduction(__snag_combine : __snag_nothing_shared)");
	if (p->is_none && !(p->is_combining && p->is_region))
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

static void other_rewrite(struct text *t, struct span line, const struct pragma *p, bool is_scan)
{
	if (p->loop.at || (p->is_loop && !p->is_other && !p->is_inscan))
		loop_rewrite(t, line, p, is_scan);
	else
		cli_text_span(t, line);
}

/* A text that is rewritten. */
struct rewriting {
	struct text t;
	struct sections s;
	struct regions r;
	bool is_gnu;
	bool keeps_scan; /* of the latest loop with inscan */
};

static void directive_rewrite(struct rewriting *w, struct span line, struct span word,
			      struct span after, bool is_scan)
{
	struct text *t = &w->t;
	struct pragma p = pragma_read(line, word, cli_regions_at(&w->r));
	if (!w->is_gnu && p.name.at && cli_sections_begin(&w->s, after)) {
		sections_rewrite(t, line, p.name);
	} else if (!w->is_gnu &&
		   (cli_span_is(word, "cancel") || cli_span_is(word, "cancellation"))) {
		cancel_rewrite(t, line);
	} else if (!w->is_gnu && is_dependent_data(line)) {
		data_rewrite(t, line, p.is_nowait);
	} else {
		bool is_simd = cli_span_is(word, "simd") || p.of == CLI_REGION_OTHER;
		if (!is_simd || p.is_inscan || !cli_simd_rewrite(t, line, after))
			other_rewrite(t, line, &p, is_scan);
		if (w->is_gnu)
			combining_add(t, &p);
	}
	if (is_scan || p.is_inscan)
		w->keeps_scan = p.is_inscan;
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

char *cli_openmp_rewrite(const char *text, size_t n, bool is_gnu, size_t *ret_n)
{
	static const char combining[] =
		"# 1 \"<snag>\" 3\n"
		"typedef struct { } __snag_nothing_type;\n"
		"static __snag_nothing_type __snag_nothing __attribute__((unused));\n"
		"static __snag_nothing_type __snag_nothing_shared __attribute__((unused));\n"
		"#pragma omp declare reduction(__snag_combine : __snag_nothing_type : (void)0)\n";
	struct text renamed = {0};
	struct rewriting w = {.is_gnu = is_gnu};
	cli_calls_rename(&renamed, (struct span){text, text + n});
	const char *end = renamed.at + renamed.n, *begin = marks_end(renamed.at, end);
	cli_text_span(&w.t, (struct span){renamed.at, begin});
	if (is_gnu)
		cli_text_words(&w.t, combining);
	for (const char *at = begin; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		struct span line = {at, newline ? newline : end}, word;
		const char *next = newline ? newline + 1 : end;
		if (cli_is_openmp(line, &word)) {
			pragma_rewrite(&w, line, word, (struct span){next, end});
			cli_regions_pragma(&w.r, line);
		} else {
			cli_code_copy(&w.s, &w.t, line);
			cli_regions_code(&w.r, line);
		}
		if (newline)
			cli_text_add(&w.t, "\n", 1);
		at = next;
	}
	free(renamed.at);
	cli_sections_done(&w.s);
	cli_regions_done(&w.r);
	*ret_n = w.t.n;
	return w.t.at ? w.t.at : snag_alloc(1);
}
