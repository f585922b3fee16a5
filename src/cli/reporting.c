/* SPDX-License-Identifier: Apache-2.0
 *
 * reporting.c - what several commands print about an analysis
 */
#include "cli/reporting.h"

struct snag_report cli_report(const struct snag_analysis *a, const struct snag_source *src,
			      struct snag_report_part part[SNAG_MAX_DETECTORS])
{
	for (size_t i = 0; i < a->n; i++)
		part[i] = (struct snag_report_part){.findings = &a->findings[i],
						    .kind = a->detector[i]->kind,
						    .guarantee = a->detector[i]->guarantee};
	return (struct snag_report){.trace = src->name,
				    .names = snag_analysis_names(a, src),
				    .events = a->events,
				    .counts = a->counts,
				    .skipped = src->skipped,
				    .interrupted = a->interrupted,
				    .stretches = &a->stretches,
				    .part = part,
				    .nparts = a->n};
}

bool cli_is_windowed(const struct snag_analysis *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->findings[i].windows)
			return true;
	return false;
}
