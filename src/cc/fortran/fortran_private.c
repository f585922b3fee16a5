/* SPDX-License-Identifier: Apache-2.0
 *
 * fortran_private.c - variables of simd loops that are private in the construct around them
 */
#include "cc/fortran/fortran_private.h"

#include "base/memory.h"
#include "cc/fortran/fortran_directive.h"
#include "cc/text/scanner.h"

#include <stdlib.h>
#include <string.h>

/* The constructs around a statement, from the outside in. */
struct around {
	struct construct {
		size_t at, last; /* its first and last statement */
	} * open;
	size_t n, cap;
};

/* What the words of a directive say. */
struct kind {
	bool is_around; /* [around] */
	bool has_loops; /* it ends with its loops */
	bool is_simd;
};

static struct kind kind_of(struct cc_span text)
{
	struct cc_span t = cc_span_trim(text);
	const char *word;
	if (cc_fortran_word(&(struct cc_span){t.at, t.end}, "task"))
		return (struct kind){.is_around = true};
	struct kind k = {0};
	while ((word = cc_fortran_directive_next(&t))) {
		k.is_around |= strcmp(word, "parallel") == 0 || strcmp(word, "teams") == 0 ||
			       strcmp(word, "taskloop") == 0;
		k.has_loops |= strcmp(word, "do") == 0 || strcmp(word, "loop") == 0 ||
			       strcmp(word, "taskloop") == 0 || strcmp(word, "distribute") == 0;
		k.is_simd |= strcmp(word, "simd") == 0;
	}
	return k;
}

/* Returns the last statement of a BLOCK that begins with statement `i`; 0: none begins there. */
static size_t block_end(const struct cc_fortran *f, size_t i)
{
	struct cc_span t = i < f->n ? cc_fortran_text(&f->at[i]) : (struct cc_span){0};
	int depth = 1;
	if (i >= f->n || f->at[i].kind != CC_FORTRAN_CODE || !cc_fortran_word(&t, "block") ||
	    t.at < t.end)
		return 0;
	for (i++; i < f->n; i++) {
		if (f->at[i].kind == CC_FORTRAN_CODE)
			depth += cc_fortran_depth(&f->at[i]);
		if (depth == 0)
			return i;
	}
	return 0;
}

/* [around] Returns the last statement of a construct; its own number: it has none. */
static size_t last_of(const struct cc_fortran *f, size_t i, bool has_loops)
{
	const struct cc_span text = cc_fortran_text(&f->at[i]);
	const size_t block = block_end(f, cc_fortran_next(f, i + 1));
	unsigned depth = 1;
	if (has_loops) {
		struct cc_fortran_loops l = cc_fortran_loops(f, i);
		return l.n ? l.last : i;
	}
	if (block)
		return block;
	for (size_t k = i + 1; k < f->n; k++) {
		struct cc_span rest;
		if (f->at[k].kind != CC_FORTRAN_OPENMP)
			continue;
		if (!cc_fortran_is_end(&f->at[k], &rest))
			depth += cc_fortran_is_same(text, cc_fortran_text(&f->at[k]));
		else if (cc_fortran_is_same(text, rest) && --depth == 0)
			return k;
	}
	return i;
}

static bool is_named(struct cc_span text, struct cc_span variable)
{
	struct cc_span name, value;
	while (cc_clause_next(&text, &name, &value))
		if (cc_word_find(value, variable))
			return true;
	return false;
}

/* [thread] */
static bool is_threadprivate(const struct cc_fortran *f, struct cc_span variable)
{
	for (size_t i = 0; i < f->n; i++)
		if (cc_fortran_is_directive(&f->at[i], "threadprivate") &&
		    is_named(cc_fortran_text(&f->at[i]), variable))
			return true;
	return false;
}

static void private_add(const struct cc_fortran *f, size_t directive, struct cc_text *to,
			struct cc_span variable)
{
	struct cc_span text = to->n ? (struct cc_span){to->at, to->at + to->n}
				    : cc_span_trim(cc_fortran_text(&f->at[directive]));
	if (is_named(text, variable) || is_threadprivate(f, variable))
		return;
	if (!to->n)
		cc_text_span(to, text);
	cc_text_words(to, " private(");
	cc_text_span(to, variable);
	cc_text_words(to, ")");
}

void cc_fortran_private(const struct cc_fortran *f, cc_fortran_new_text *new_text, void *of)
{
	struct around a = {0};
	for (size_t i = 0; i < f->n; i++) {
		struct cc_span text = cc_fortran_text(&f->at[i]), rest;
		while (a.n && a.open[a.n - 1].last < i)
			a.n--;
		if (f->at[i].kind != CC_FORTRAN_OPENMP || cc_fortran_is_end(&f->at[i], &rest))
			continue;
		struct kind k = kind_of(text);
		if (k.is_simd && !k.is_around && a.n) {
			struct cc_fortran_loops l = cc_fortran_loops(f, i);
			const unsigned n = cc_fortran_collapsed(text);
			const size_t at = a.open[a.n - 1].at;
			for (unsigned loop = 0; loop < n && loop < l.n; loop++)
				private_add(f, at, new_text(of, at), l.variable[loop]);
		}
		if (!k.is_around)
			continue;
		a.open = snag_grow(a.open, &a.cap, a.n + 1, sizeof(*a.open));
		a.open[a.n++] = (struct construct){i, last_of(f, i, k.has_loops)};
	}
	free(a.open);
}
