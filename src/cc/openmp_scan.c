/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_scan.c - loops with reduction(inscan, ...)
 */
#include "cc/openmp_scan.h"

#include <string.h>

#define EXCLUSIVE "exclusive"

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

/* What comes before `scan`, or, if that is exclusive, behind it up to the end of the block. */
static struct span input_phase(struct span after)
{
	struct span word, none = {0};
	int depth = 0;
	for (const char *at = after.at, *next; at < after.end; at = next) {
		const char *newline = memchr(at, '\n', (size_t)(after.end - at));
		struct span line = {at, newline ? newline : after.end};
		next = newline ? newline + 1 : after.end;
		if (!cli_is_openmp(line, &word) || !cli_span_is(word, "scan"))
			continue;
		if (!cli_word_find(line, (struct span){EXCLUSIVE, strchr(EXCLUSIVE, 0)}))
			return (struct span){after.at, at};
		for (at = next; at < after.end && depth >= 0; at++)
			depth += (*at == '{') - (*at == '}');
		return (struct span){next, at};
	}
	return none;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Behind the members and elements of what is named before. */
static const char *parts_skip(const char *at, const char *end)
{
	int depth = 0;
	bool is_word, is_member = false;
	for (const char *next; at < end; at = next) {
		next = cli_token_end((struct span){at, end}, &is_word);
		if (is_blank(*at))
			continue;
		if (depth == 0 && *at != '.' && *at != '[' && !(is_word && is_member))
			break;
		depth += (*at == '[') - (*at == ']');
		is_member = *at == '.';
	}
	return at;
}

/* Whether what is done to the variable, named at `at`, may be something else than an update. */
static bool is_set(struct span phase, const char *at, struct span name)
{
	const char *before = at, *next = parts_skip(at + (name.end - name.at), phase.end);
	while (before > phase.at && is_blank(before[-1]))
		before--;
	if (before > phase.at && before[-1] == '&' && (before - 1 == phase.at || before[-2] != '&'))
		return true; /* whoever gets its address */
	if (next < phase.end && *next == '(')
		return true;
	if (next + 1 >= phase.end || next[0] != '=' || next[1] == '=')
		return false;
	const char *stop = memchr(next, ';', (size_t)(phase.end - next));
	return !cli_word_find((struct span){next, stop ? stop : phase.end}, name);
}

/* [update] */
static bool is_updated_only(struct span list, struct span after)
{
	const struct span phase = input_phase(after);
	for (const char *at = list.at, *next; at < list.end; at = next) {
		bool is_word;
		next = cli_token_end((struct span){at, list.end}, &is_word);
		if (!is_word)
			continue;
		const struct span name = {at, next};
		for (const char *use = phase.at;
		     use && (use = cli_word_find((struct span){use, phase.end}, name));
		     use += next - at)
			if (is_set(phase, use, name))
				return false;
	}
	return true;
}

static bool is_left(struct span line, struct span after) /* [left] */
{
	struct span name, value;
	bool is_scan = false, is_odd = false;
	while (cli_clause_next(&line, &name, &value)) {
		struct span list = inscan_list(name, value);
		is_scan |= list.at != NULL;
		is_odd |= cli_span_is(name, "target") ||
			  (list.at && (memchr(list.at, '[', (size_t)(list.end - list.at)) ||
				       !is_updated_only(list, after)));
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

bool cli_scan_rewrite(struct text *t, struct span line, struct span after)
{
	struct span name, value, rest = line;
	bool is_loop = false; /* of threads */
	if (is_left(line, after))
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
