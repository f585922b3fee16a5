/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_masked.c - makes the runtime see which thread executes blocks of master and masked
 */
#include "cc/openmp/openmp_masked.h"

/* Returns `master` or `masked`; empty: the pragma has neither, or the rewriter leaves it alone. */
static struct cc_span masked_find(struct cc_span line)
{
	struct cc_span word, none = {0};
	if (!cc_is_openmp(line, &word))
		return none;
	return cc_span_is(word, "master") || cc_span_is(word, "masked") ? word : none;
}

bool cc_masked_rewrite(struct cc_text *t, struct cc_span line)
{
	struct cc_span word = masked_find(line), name, value;
	struct cc_span rest = {word.end, line.end}, filter = {0};
	if (!word.at)
		return false;
	cc_text_span(t, (struct cc_span){line.at, word.at});
	cc_text_words(t, "masked");
	line.at = word.end;
	while (cc_clause_next(&rest, &name, &value))
		if (cc_span_is(name, "filter")) {
			filter = value;
			cc_text_span(t, (struct cc_span){line.at, name.at});
			line.at = rest.at;
		}
	cc_text_span(t, line);
	cc_text_words(t, " filter(__snag_omp_masked(");
	if (filter.at < filter.end)
		cc_text_span(t, filter);
	else
		cc_text_words(t, "0");
	cc_text_words(t, "))");
	return true;
}
