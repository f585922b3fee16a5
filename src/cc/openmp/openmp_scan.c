/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_scan.c - loops with reduction(inscan, ...)
 */
#include "cc/openmp/openmp_scan.h"

#include "cc/text/scanner.h"

#include <string.h>

#define EXCLUSIVE "exclusive"

/* Returns the variables of such a clause; empty: it is another clause. */
static struct cc_span inscan_list(struct cc_span name, struct cc_span value)
{
	struct cc_span rest = value, word, ignored;
	const char *at = value.at;
	if (!cc_span_is(name, "reduction") || !cc_clause_next(&rest, &word, &ignored) ||
	    !cc_span_is(word, "inscan"))
		return (struct cc_span){0};
	while (at < value.end && (*at != ':' || (at + 1 < value.end && at[1] == ':')))
		at += *at == ':' ? 2 : 1; /* a name of C++ may have `::` in it */
	return cc_span_trim((struct cc_span){at < value.end ? at + 1 : at, value.end});
}

/* Returns the text before `scan`. If `scan` is exclusive, returns the text after it, up to the
 * end of the block. */
static struct cc_span input_phase(struct cc_span after)
{
	struct cc_span word, none = {0};
	int depth = 0;
	for (const char *at = after.at, *next; at < after.end; at = next) {
		const char *newline = memchr(at, '\n', (size_t)(after.end - at));
		struct cc_span line = {at, newline ? newline : after.end};
		next = newline ? newline + 1 : after.end;
		if (!cc_is_openmp(line, &word) || !cc_span_is(word, "scan"))
			continue;
		if (!cc_word_find(line, (struct cc_span){EXCLUSIVE, strchr(EXCLUSIVE, 0)}))
			return (struct cc_span){after.at, at};
		for (at = next; at < after.end && depth >= 0; at++)
			depth += (*at == '{') - (*at == '}');
		return (struct cc_span){next, at};
	}
	return none;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* Skips the members and elements of the variable that was just named. */
static const char *parts_skip(const char *at, const char *end)
{
	int depth = 0;
	bool is_word, is_member = false;
	for (const char *next; at < end; at = next) {
		next = cc_token_end((struct cc_span){at, end}, &is_word);
		if (is_blank(*at))
			continue;
		if (depth == 0 && *at != '.' && *at != '[' && !(is_word && is_member))
			break;
		depth += (*at == '[') - (*at == ']');
		is_member = *at == '.';
	}
	return at;
}

/* Returns whether the program may do something else with the variable, named at `at`, than
 * update it. */
static bool is_set(struct cc_span phase, const char *at, struct cc_span name)
{
	const char *before = at, *next = parts_skip(at + (name.end - name.at), phase.end);
	while (before > phase.at && is_blank(before[-1]))
		before--;
	if (before > phase.at && before[-1] == '&' && (before - 1 == phase.at || before[-2] != '&'))
		return true; /* a function that gets the address may do anything */
	if (next < phase.end && *next == '(')
		return true;
	if (next + 1 >= phase.end || next[0] != '=' || next[1] == '=')
		return false;
	const char *stop = memchr(next, ';', (size_t)(phase.end - next));
	return !cc_word_find((struct cc_span){next, stop ? stop : phase.end}, name);
}

/* [update] */
static bool is_updated_only(struct cc_span list, struct cc_span after)
{
	const struct cc_span phase = input_phase(after);
	for (const char *at = list.at, *next; at < list.end; at = next) {
		bool is_word;
		next = cc_token_end((struct cc_span){at, list.end}, &is_word);
		if (!is_word)
			continue;
		const struct cc_span name = {at, next};
		for (const char *use = phase.at;
		     use && (use = cc_word_find((struct cc_span){use, phase.end}, name));
		     use += next - at)
			if (is_set(phase, use, name))
				return false;
	}
	return true;
}

static bool is_left(struct cc_span line, struct cc_span after) /* [left] */
{
	struct cc_span name, value;
	bool is_scan = false, is_odd = false;
	while (cc_clause_next(&line, &name, &value)) {
		struct cc_span list = inscan_list(name, value);
		is_scan |= list.at != NULL;
		is_odd |= cc_span_is(name, "target") ||
			  (list.at && (memchr(list.at, '[', (size_t)(list.end - list.at)) ||
				       !is_updated_only(list, after)));
	}
	return !is_scan || is_odd;
}

/* Returns whether the clause only guides code generation, also where several threads share the
 * iterations. */
static bool is_of_simd(struct cc_span name)
{
	return cc_span_is(name, "simd") || cc_span_is(name, "safelen") ||
	       cc_span_is(name, "simdlen") || cc_span_is(name, "aligned") ||
	       cc_span_is(name, "nontemporal");
}

bool cc_scan_rewrite(struct cc_text *t, struct cc_span line, struct cc_span after)
{
	struct cc_span name, value, rest = line;
	bool is_loop = false; /* it is a loop of threads */
	if (is_left(line, after))
		return false;
	while (cc_clause_next(&rest, &name, &value)) {
		struct cc_span list = inscan_list(name, value);
		is_loop |= cc_span_is(name, "for");
		if (!list.at && !(is_loop && is_of_simd(name)))
			continue;
		cc_text_span(t, (struct cc_span){line.at, name.at});
		line.at = rest.at;
		if (!list.at)
			continue; /* [simd] */
		cc_text_words(t, "firstprivate(");
		cc_text_span(t, list);
		cc_text_words(t, ") lastprivate(");
		cc_text_span(t, list);
		cc_text_words(t, ")");
	}
	cc_text_span(t, line);
	return true;
}
