/* SPDX-License-Identifier: Apache-2.0
 *
 * stats.c - the figures that a detector reports about its run
 */
#include "report/stats.h"

void snag_stats_text(const struct snag_findings *f, struct snag_printer *to)
{
	for (size_t i = 0; i < f->nstats; i++)
		snag_printf(to, "  %-30s %llu\n", f->stat[i].name,
			    (unsigned long long)f->stat[i].value);
}

void snag_stats_json(const struct snag_findings *f, struct snag_json *j)
{
	snag_json_object(j, "stats");
	for (size_t i = 0; i < f->nstats; i++)
		snag_json_uint(j, f->stat[i].name, f->stat[i].value);
	snag_json_end(j);
}
