/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp_masked.c - makes the runtime see who is to execute blocks of master and masked
 */
#include "cc/openmp_masked.h"

/* `master` or `masked`; empty: it is none, or to be left. */
static struct span masked_find(struct span line)
{
	struct span word, none = {0};
	if (!cli_is_openmp(line, &word))
		return none;
	return cli_span_is(word, "master") || cli_span_is(word, "masked") ? word : none;
}

bool cli_masked_rewrite(struct text *t, struct span line)
{
	struct span word = masked_find(line), name, value;
	struct span rest = {word.end, line.end}, filter = {0};
	if (!word.at)
		return false;
	cli_text_span(t, (struct span){line.at, word.at});
	cli_text_words(t, "masked");
	line.at = word.end;
	while (cli_clause_next(&rest, &name, &value))
		if (cli_span_is(name, "filter")) {
			filter = value;
			cli_text_span(t, (struct span){line.at, name.at});
			line.at = rest.at;
		}
	cli_text_span(t, line);
	cli_text_words(t, " filter(__snag_omp_masked(");
	if (filter.at < filter.end)
		cli_text_span(t, filter);
	else
		cli_text_words(t, "0");
	cli_text_words(t, "))");
	return true;
}
