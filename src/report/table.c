/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c - detectors side by side
 *
 * One line per detector: races (static: by pair of locations), pairs of events (dynamic), racy
 * events, the number of races that a witness verifies, the mean and largest number of events
 * between the two accesses of its races, its time, and whether it is complete.
 */
#include "report/report.h"

#include "report/deadlocks.h"
#include "report/stats.h"

struct distances {
	double mean;
	uint32_t largest;
	size_t nverified;
};

static struct distances distances_of(const struct snag_findings *f)
{
	struct distances d = {0};
	double sum = 0;
	for (size_t i = 0; i < f->nraces; i++) {
		uint32_t between = f->race[i].second.event - f->race[i].first.event - 1;
		sum += between;
		d.largest = between > d.largest ? between : d.largest;
		d.nverified += f->race[i].verdict == SNAG_PREDICTED;
	}
	d.mean = f->nraces ? sum / (double)f->nraces : 0;
	return d;
}

void snag_report_table(const struct snag_report *r, struct snag_printer *to)
{
	snag_print(to, "detector    races       pairs  racy events  verified  mean distance  "
		       "max distance  seconds  complete\n");
	for (size_t i = 0; i < r->nparts; i++) {
		const struct snag_findings *f = r->part[i].findings;
		if (f->finds_deadlocks)
			continue;
		struct distances d = distances_of(f);
		snag_printf(to, "%-8s %8zu %11llu %12zu %9zu %14.0f %13u %8.2f  %s", f->name,
			    f->nraces, (unsigned long long)f->npairs, f->nracy, d.nverified, d.mean,
			    d.largest, f->seconds, f->complete ? "yes" : "no");
		if (f->orders_races)
			snag_print(to, ", each race ordered from then on");
		if (f->by_paper)
			snag_printf(to, ", %llu uncertain", (unsigned long long)f->uncertain);
		snag_print(to, "\n");
		snag_report_abridged(f, to);
		if (r->stats)
			snag_stats_text(f, to);
	}
	const struct snag_findings *f = snag_report_deadlocks(r);
	if (f)
		snag_printf(to, "%s: %zu deadlock%s in %.2f s, complete: %s\n", f->name,
			    f->ndeadlocks, snag_plural(f->ndeadlocks), f->seconds,
			    f->complete ? "yes" : "no");
	if (f && r->stats)
		snag_stats_text(f, to);
}
