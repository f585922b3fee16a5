/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - words for what checks find
 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>

enum outcome check_fail(struct reason *why, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
	return FAILED;
}

enum outcome check_analyze(const struct snag_trace *trace,
			   const struct snag_analyze_options *options,
			   struct snag_analysis *ret_analysis, struct reason *why)
{
	struct snag_error err;
	struct snag_source *src = snag_trace_source(trace);
	int rc = snag_analyze(src, options, ret_analysis, &err);
	snag_source_close(src);
	return rc < 0 ? check_fail(why, "%s: %s", options->detector[0]->name, err.msg) : PASSED;
}

void pairs_text(const event_set *races, unsigned n, char *to, size_t size)
{
	size_t at = 0;
	to[0] = '\0';
	for (unsigned e2 = 0; e2 < n; e2++)
		for (event_set rest = races[e2]; rest && at + 8 < size;)
			at += (size_t)snprintf(to + at, size - at, "%s%u-%u", at ? " " : "",
					       take_first(&rest), e2);
}
