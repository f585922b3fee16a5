/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_scan.c - loops with reduction(inscan, ...)
 */
#include "cli/openmp_scan.h"

#include <string.h>

/* The variables of such a clause; empty: it is another one. */
static struct span inscan_list(struct span name, struct span value)
{
	struct span rest = value, word, ignored;
	const char *at = value.at;
	if (!cli_span_is(name, "reduction") || !cli_clause_next(&rest, &word, &ignored) ||
	    !cli_span_is(word, "inscan"))
		return (struct span){0};
	while (at < value.end && (*at != ':' || (at + 1 < value.end && at[1] == ':')))
		at += *at == ':' ? 2 : 1; /* a name of C++ may have two */
	return cli_span_trim((struct span){at < value.end ? at + 1 : at, value.end});
}

static bool is_left(struct span line) /* [left] */
{
	struct span name, value;
	bool is_scan = false, is_odd = false;
	while (cli_clause_next(&line, &name, &value)) {
		struct span list = inscan_list(name, value);
		is_scan |= list.at != NULL;
		is_odd |= cli_span_is(name, "target") ||
			  (list.at && memchr(list.at, '[', (size_t)(list.end - list.at)));
	}
	return !is_scan || is_odd;
}

/* What guides code generation where iterations are of several threads too. */
static bool is_of_simd(struct span name)
{
	return cli_span_is(name, "simd") || cli_span_is(name, "safelen") ||
	       cli_span_is(name, "simdlen") || cli_span_is(name, "aligned") ||
	       cli_span_is(name, "nontemporal");
}

bool cli_scan_rewrite(struct text *t, struct span line)
{
	struct span name, value, rest = line;
	bool is_loop = false; /* of threads */
	if (is_left(line))
		return false;
	while (cli_clause_next(&rest, &name, &value)) {
		struct span list = inscan_list(name, value);
		is_loop |= cli_span_is(name, "for");
		if (!list.at && !(is_loop && is_of_simd(name)))
			continue;
		cli_text_span(t, (struct span){line.at, name.at});
		line.at = rest.at;
		if (!list.at)
			continue; /* [simd] */
		cli_text_words(t, "firstprivate(");
		cli_text_span(t, list);
		cli_text_words(t, ") lastprivate(");
		cli_text_span(t, list);
		cli_text_words(t, ")");
	}
	cli_text_span(t, line);
	return true;
}
