/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran_openmp.c - makes the runtime see every iteration of OpenMP loops of Fortran
 */
#include "cc/fortran/fortran_openmp.h"

#include "base/memory.h"
#include "cc/fortran/fortran_directive.h"
#include "cc/fortran/fortran_private.h"
#include "cc/openmp/openmp_marks.h"
#include "cc/openmp/openmp_pragmas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char cc_fortran_module[] =
	"module snag_omp\n"
	"implicit none\n"
	"type :: snag_nothing_type\n"
	"end type\n"
	"!$omp declare reduction(+ : snag_nothing_type : omp_out = omp_in) "
	"initializer(omp_priv = snag_nothing_type())\n"
	"type(snag_nothing_type) :: snag_nothing, snag_nothing_shared\n"
	"interface\n"
	"subroutine snag_omp_masked(filter) bind(c, name=\"__snag_omp_masked\")\n"
	"integer(4), value :: filter\n"
	"end subroutine\n"
	"subroutine snag_omp_statement(number) bind(c, name=\"__snag_omp_statement\")\n"
	"integer(4), value :: number\n"
	"end subroutine\n"
	"subroutine snag_omp_together() bind(c, name=\"__snag_omp_together\")\n"
	"end subroutine\n"
	"end interface\n"
	"end module\n";

/* The text that the rewriter writes for a statement. */
struct change {
	struct cc_text directive; /* replaces the statement; empty: its own lines stay */
	struct cc_text behind;	  /* lines of code */
};

struct rewriting {
	struct cc_fortran *f;
	struct change *change; /* of each statement */
	bool needs_module;
};

/* [do] */
static void pragma_add(struct cc_text *t, struct cc_span text, bool is_nowait)
{
	const char *word;
	cc_text_words(t, "#pragma omp");
	while ((word = cc_fortran_directive_next(&text))) {
		cc_text_words(t, " ");
		cc_text_words(t, strcmp(word, "do") == 0 ? "for" : word);
	}
	cc_text_words(t, " ");
	cc_text_span(t, cc_span_trim(text));
	if (is_nowait)
		cc_text_words(t, " nowait");
	cc_text_words(t, "\n");
}

static void loops_add(struct cc_text *t, const struct cc_fortran_loops *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		cc_text_words(t, "for (");
		cc_text_span(t, l->variable[i]);
		cc_text_words(t, " = 0; ");
		cc_text_span(t, l->variable[i]);
		cc_text_words(t, " < 9; ");
		cc_text_span(t, l->variable[i]);
		cc_text_words(t, "++)\n");
	}
	cc_text_words(t, l->is_ordered ? "{\n#pragma omp ordered\nf();\n}\n" : "f();\n");
}

/* Copies a part of a pragma with numbers in decimal, and with names and operators of
 * Fortran.  Only the chunk sizes of cc/ have such operators. */
static void part_translate(struct cc_text *t, struct cc_span s)
{
	static const struct {
		const char *from, *to;
	} names[] = {
		{"__snag_combine", "+"},
		{"__snag_nothing", "snag_nothing"}, /* and _shared */
		{"__snag_omp_get_", "omp_get_"},
		{" | ((", " + iand(int("}, /* cc_mark_value() */
		{") & ", "), "},
		{" | ", " + "},
	};
	while (s.at < s.end) {
		size_t i = 0;
		for (; i < sizeof(names) / sizeof(names[0]); i++)
			if ((size_t)(s.end - s.at) >= strlen(names[i].from) &&
			    strncmp(s.at, names[i].from, strlen(names[i].from)) == 0)
				break;
		if (i < sizeof(names) / sizeof(names[0])) {
			cc_text_words(t, names[i].to);
			s.at += strlen(names[i].from);
		} else if (s.end - s.at > 2 && s.at[0] == '0' && s.at[1] == 'x') {
			char number[32], *end;
			snprintf(number, sizeof(number), "%lu", strtoul(s.at, &end, 16));
			cc_text_words(t, number);
			s.at = end;
		} else {
			cc_text_add(t, s.at++, 1);
		}
	}
}

/* Translates a pragma back to a directive; Fortran has `nowait` in the END directive. */
static void pragma_translate(struct cc_text *t, struct cc_span pragma, bool is_nowait)
{
	struct cc_span name, value, rest = pragma;
	bool is_first = true;
	cc_clause_next(&rest, &name, &value); /* pragma */
	cc_clause_next(&rest, &name, &value); /* omp */
	while (cc_clause_next(&rest, &name, &value)) {
		if (is_nowait && cc_span_is(name, "nowait"))
			continue;
		if (!is_first)
			cc_text_words(t, " ");
		is_first = false;
		if (cc_span_is(name, "for"))
			cc_text_words(t, "do");
		else
			part_translate(t, (struct cc_span){name.at, rest.at});
	}
}

/* Returns the last pragma of a rewritten text that is not in the body of its loops. */
static struct cc_span pragma_find(struct cc_span text)
{
	static const char pragma[] = "#pragma omp", ordered[] = "#pragma omp ordered\n";
	struct cc_span found = {0};
	while (text.at < text.end) {
		const char *end = memchr(text.at, '\n', (size_t)(text.end - text.at));
		struct cc_span line = {text.at, end ? end : text.end};
		if ((size_t)(line.end - line.at) > strlen(pragma) &&
		    memcmp(line.at, pragma, strlen(pragma)) == 0 &&
		    strncmp(line.at, ordered, strlen(ordered)) != 0)
			found = line;
		text.at = end ? end + 1 : text.end;
	}
	return found;
}

/* [simd] Adds a call after each statement of the body but the last one. */
static void statements_mark(struct rewriting *w, const struct cc_fortran_loops *l, unsigned nloops)
{
	const struct cc_fortran *f = w->f;
	const size_t head = l->at[nloops - 1], end = cc_fortran_loop_end(f, head);
	size_t before = 0;
	unsigned n = 0;
	int depth = 0;
	for (size_t i = cc_fortran_next(f, head + 1); i < end; i = cc_fortran_next(f, i + 1)) {
		char call[64];
		struct cc_fortran_do is;
		if (f->at[i].kind != CC_FORTRAN_CODE)
			continue;
		if (before && depth == 0) {
			snprintf(call, sizeof(call), "      call snag_omp_statement(%u)\n", n++);
			cc_text_words(&w->change[before].behind, call);
		}
		depth += cc_fortran_depth(&f->at[i]);
		if (cc_fortran_is_do(&f->at[i], &is) && is.label)
			i = cc_fortran_loop_end(f, i);
		before = i;
	}
}

/* [end] */
static void end_change(struct rewriting *w, size_t end, struct cc_span directive, bool is_nowait)
{
	struct cc_text *t = &w->change[end].directive;
	const char *word;
	cc_text_words(t, "end");
	while ((word = cc_fortran_directive_next(&directive))) {
		cc_text_words(t, " ");
		cc_text_words(t, word);
	}
	if (is_nowait)
		cc_text_words(t, " nowait");
}

static bool has_mark(struct cc_span text, const char *mark)
{
	return memmem(text.at, (size_t)(text.end - text.at), mark, strlen(mark));
}

/* The rewriter has made a simd loop a loop of threads. */
static bool has_simd(struct cc_span pragma)
{
	struct cc_text mark = {0};
	cc_text_words(&mark, "num_threads(");
	cc_mark_add(&mark, CC_MARK_SIMD);
	bool is_there = memmem(pragma.at, (size_t)(pragma.end - pragma.at), mark.at, mark.n);
	free(mark.at);
	return is_there;
}

/* [masked] */
static bool masked_mark(struct rewriting *w, size_t i)
{
	struct cc_span text = cc_span_trim(cc_fortran_text(&w->f->at[i])), name, value;
	struct cc_text *to = &w->change[i ? i - 1 : 0].behind;
	if (i == 0 || (!cc_fortran_word(&text, "master") && !cc_fortran_word(&text, "masked")))
		return false;
	if (cc_fortran_directive_next(
		    &(struct cc_span){text.at, text.end})) /* other directives follow */
		return false;
	cc_text_words(to, "      call snag_omp_masked(int(");
	bool has_filter = cc_clause_next(&text, &name, &value) && cc_span_is(name, "filter");
	if (has_filter)
		cc_text_span(to, value);
	else
		cc_text_words(to, "0");
	cc_text_words(to, ", 4))\n");
	w->needs_module = true;
	return true;
}

static void directive_change(struct rewriting *w, size_t i, enum cc_compiler is)
{
	struct cc_fortran_statement *s = &w->f->at[i];
	struct cc_span text = cc_fortran_text(s), rest;
	if (cc_fortran_is_end(s, &rest))
		return;
	if (is == CC_GCC && masked_mark(w, i))
		return;
	struct cc_span first = text;
	if (!cc_fortran_directive_next(&first) || cc_fortran_has_clause(text, "inscan"))
		return;
	struct cc_fortran_loops l = cc_fortran_loops(w->f, i);
	bool is_nowait =
		l.end && cc_fortran_has_clause(cc_fortran_text(&w->f->at[l.end]), "nowait");
	struct cc_text from = {0}, *to = &w->change[i].directive;
	size_t n;
	pragma_add(&from, text, is_nowait);
	loops_add(&from, &l);
	char *made = cc_openmp_rewrite(from.at, from.n, is, &n);
	struct cc_span all = {made, made + n}, pragma = pragma_find(all);
	if (pragma.at)
		pragma_translate(to, pragma, is_nowait);
	struct cc_span changed = {to->at, to->at + to->n};
	w->needs_module |= to->n && has_mark(changed, "snag_");
	const bool is_simd = l.n && pragma.at && has_simd(pragma);
	if (is_simd && l.n >= cc_fortran_collapsed(text)) {
		statements_mark(w, &l, cc_fortran_collapsed(text));
		w->needs_module = true;
	}
	if (l.n && has_mark(all, "__snag_omp_together()") && l.n >= cc_fortran_collapsed(text)) {
		cc_text_words(&w->change[l.at[cc_fortran_collapsed(text) - 1]].behind,
			      "      call snag_omp_together()\n");
		w->needs_module = true;
	}
	if (l.end && (is_simd || cc_fortran_has_clause(text, "loop")))
		end_change(w, l.end, changed, is_nowait);
	free(made);
	free(from.at);
}

/* Writes one line. In the fixed form, column 6 continues a line even inside a token. */
static void directive_add(struct cc_text *to, const struct cc_text *directive, bool is_fixed)
{
	const size_t width = is_fixed ? 60 : directive->n;
	for (size_t at = 0; at < directive->n; at += width) {
		const size_t left = directive->n - at;
		cc_text_words(to, at ? "!$omp&" : "!$omp ");
		cc_text_add(to, directive->at + at, left < width ? left : width);
		cc_text_words(to, "\n");
	}
}

static void mark_add(struct cc_text *to, unsigned long number, struct cc_span file,
		     const char *name)
{
	char text[32];
	snprintf(text, sizeof(text), "# %lu ", number);
	cc_text_words(to, text);
	if (file.at < file.end) {
		const char *end = memchr(file.at + 1, '"', (size_t)(file.end - file.at - 1));
		cc_text_span(to, (struct cc_span){file.at, end ? end + 1 : file.end});
	} else {
		cc_text_words(to, "\"");
		cc_text_words(to, name);
		cc_text_words(to, "\"");
	}
	cc_text_words(to, "\n");
}

/* [use] */
static void modules_use(struct rewriting *w)
{
	static const char use[] = "      use snag_omp\n";
	const struct cc_fortran *f = w->f;
	int interfaces = 0;
	for (size_t i = 0; i < f->n; i++) {
		struct cc_span t = cc_fortran_text(&f->at[i]), rest = t;
		if (f->at[i].kind != CC_FORTRAN_CODE)
			continue;
		if (cc_fortran_word(&rest, "end interface"))
			interfaces--;
		else if (cc_fortran_word(&rest, "interface") ||
			 cc_fortran_word(&rest, "abstract interface"))
			interfaces++;
		else if (interfaces == 0 && cc_fortran_is_head(&f->at[i]))
			cc_text_words(&w->change[i].behind, use);
	}
}

/* [use] Whether the source has a main program without a head: its first statement neither is a
 * head nor belongs to a module. */
static bool begins_without_head(const struct cc_fortran *f)
{
	size_t i = cc_fortran_next(f, 0);
	struct cc_span t = i < f->n ? cc_fortran_text(&f->at[i]) : (struct cc_span){0};
	return i < f->n && !cc_fortran_is_head(&f->at[i]) && !cc_fortran_word(&t, "module") &&
	       !cc_fortran_word(&t, "submodule") && !cc_fortran_word(&t, "block data");
}

static void statement_add(struct cc_text *to, const struct rewriting *w, size_t i, const char *name)
{
	const struct cc_fortran_statement *s = &w->f->at[i];
	const struct change *c = &w->change[i];
	if (!c->directive.n)
		cc_text_span(to, s->lines);
	else
		directive_add(to, &c->directive, w->f->is_fixed);
	if (!c->directive.n && !c->behind.n)
		return;
	if (to->at[to->n - 1] != '\n')
		cc_text_words(to, "\n");
	if (c->behind.n)
		cc_text_add(to, c->behind.at, c->behind.n);
	mark_add(to, s->next, s->file, name);
}

static struct cc_text *new_text(void *of, size_t statement)
{
	struct rewriting *w = of;
	return &w->change[statement].directive;
}

void cc_fortran_rewrite(struct cc_text *to, struct cc_span source, const char *name,
			struct cc_fortran *f)
{
	cc_fortran_read(f, source);
	struct rewriting w = {.f = f};
	w.change = snag_alloc((f->n + 1) * sizeof(*w.change));
	memset(w.change, 0, (f->n + 1) * sizeof(*w.change));
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].kind == CC_FORTRAN_OPENMP)
			directive_change(&w, i, CC_GCC);
	cc_fortran_private(f, new_text, &w);
	if (w.needs_module)
		modules_use(&w);
	const size_t first = cc_fortran_next(f, 0);
	mark_add(to, 1, (struct cc_span){0}, name);
	for (size_t i = 0; i < f->n; i++) {
		if (i == first && w.needs_module && begins_without_head(f)) {
			cc_text_words(to, "      use snag_omp\n");
			mark_add(to, first ? f->at[first - 1].next : 1, f->at[i].file, name);
		}
		statement_add(to, &w, i, name);
	}
	for (size_t i = 0; i < f->n; i++) {
		free(w.change[i].directive.at);
		free(w.change[i].behind.at);
	}
	free(w.change);
	cc_fortran_done(f);
}
