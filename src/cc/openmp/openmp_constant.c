/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_constant.c - numbers that a pragma gives by name
 */
#include "cc/openmp/openmp_constant.h"

#include "cc/text/scanner.h"

#include <ctype.h>
#include <string.h>

static bool is_one_of(struct cc_token t, const char *characters)
{
	return t.is.end - t.is.at == 1 && strchr(characters, *t.is.at);
}

static bool is_digits(struct cc_span s)
{
	bool is_number = s.at < s.end;
	for (; s.at < s.end; s.at++)
		is_number &= isdigit((unsigned char)*s.at) != 0;
	return is_number;
}

/* [declares] Returns whether the name, between `before` and the text, may be declared there. */
static bool may_declare(struct cc_token before, struct cc_span text)
{
	struct cc_token next = cc_token_next(&text), behind = cc_token_next(&text);
	return before.is_word || (is_one_of(next, "=") && !is_one_of(behind, "=")) ||
	       (is_one_of(before, "{,") && is_one_of(next, ",}"));
}

/* Returns the number after `=`; empty: there is none, or more than a number. */
static struct cc_span value_read(struct cc_span text)
{
	struct cc_token equals = cc_token_next(&text), value = cc_token_next(&text);
	struct cc_token end = cc_token_next(&text);
	bool is_value = is_one_of(equals, "=") && is_digits(value.is) && is_one_of(end, ",};");
	return is_value ? value.is : (struct cc_span){0};
}

struct cc_span cc_constant_digits(struct cc_span text, struct cc_span name)
{
	const size_t n = (size_t)(name.end - name.at);
	struct cc_token before = {0}, at;
	struct cc_span found = {0};
	unsigned ndeclared = 0;
	for (at = cc_token_next(&text); at.is.at < at.is.end;
	     before = at, at = cc_token_next(&text)) {
		if (!at.is_word || (size_t)(at.is.end - at.is.at) != n ||
		    memcmp(at.is.at, name.at, n) != 0 || !may_declare(before, text))
			continue;
		found = value_read(text);
		ndeclared++;
	}
	return ndeclared == 1 ? found : (struct cc_span){0}; /* [once] */
}

bool cc_constant_rewrite(struct cc_text *t, struct cc_span text, struct cc_span line)
{
	struct cc_span rest = line, name, value;
	while (cc_clause_next(&rest, &name, &value)) {
		if (!cc_span_is(name, "collapse") || is_digits(cc_span_trim(value)))
			continue;
		struct cc_span digits = cc_constant_digits(text, cc_span_trim(value));
		if (digits.at == digits.end)
			return false;
		cc_text_span(t, (struct cc_span){line.at, value.at});
		cc_text_span(t, digits);
		cc_text_span(t, (struct cc_span){value.end, line.end});
		return true;
	}
	return false;
}
