/* SPDX-License-Identifier: Apache-2.0
 *
 * run_suspects.c - suspicious pairs of a run, which count if another run shows that they race
 */
#include "cli/run_suspects.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/interrupt.h"
#include "record/delay.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 3, MOST = 20 }; /* that are tried, if there are so many */

static const char hybrid[] = "hybrid";

static size_t find(const struct snag_analysis *a)
{
	size_t i = 0;
	while (i < a->n && strcmp(a->detector[i]->name, hybrid) != 0)
		i++;
	return i;
}

static bool is_suspect(const struct snag_incident *in)
{
	return !in->is_suppressed && strcmp(in->found_by, hybrid) == 0;
}

static bool is_confirmed(const struct cli_replays *replays, const struct snag_trace *trace,
			 struct snag_race *race, double seconds)
{
	char *words = NULL;
	bool confirmed = snag_delay(trace, race) &&
			 cli_replay(replays, race, seconds, &words) == SNAG_REPLAY_CONFIRMED;
	free(words);
	if (confirmed)
		race->verdict = SNAG_CONFIRMED;
	return confirmed;
}

/* Returns how many are confirmed. */
static size_t replay_all(const struct cli_replays *replays, const struct snag_trace *trace,
			 const struct snag_incidents *all, struct snag_findings *f)
{
	double end = snag_seconds_now() + 1 + replays->seconds;
	size_t tried = 0, n = 0;
	for (size_t i = 0; i < all->n && tried < MOST && !cli_stop; i++) {
		const struct snag_incident *in = &all->at[i];
		if (tried >= LEAST && snag_seconds_now() >= end)
			break;
		if (is_suspect(in)) {
			n += is_confirmed(replays, trace, &f->race[in->race - f->race],
					  2 + 3 * replays->seconds);
			tried++;
		}
	}
	return n;
}

static void keep_confirmed(struct snag_findings *f)
{
	size_t n = 0;
	f->npairs = f->nracy = 0;
	for (size_t i = 0; i < f->nraces; i++) {
		uint32_t second = f->race[i].second.event;
		if (f->race[i].verdict != SNAG_CONFIRMED) {
			snag_race_done(&f->race[i]);
			continue;
		}
		f->npairs += f->race[i].count;
		if (!f->nracy || f->racy[f->nracy - 1] != second)
			f->racy[f->nracy++] = second;
		f->race[n++] = f->race[i];
	}
	f->nraces = n;
}

static bool has_suspects(const struct snag_incidents *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (is_suspect(&all->at[i]))
			return true;
	return false;
}

static int trace_load(struct snag_trace *trace, struct snag_source *src, struct snag_error *err)
{
	struct snag_source *again;
	int rc = snag_source_again(src, &again, err);
	if (rc < 0)
		return rc;
	rc = snag_trace_load(trace, again, err);
	snag_source_close(again);
	return rc;
}

int cli_suspects_settle(struct cli_replays *replays, struct snag_analysis *a,
			const struct cli_run *run, struct snag_error *err)
{
	size_t i = find(a), n = 0;
	int rc = 0;
	if (i == a->n)
		return 0;
	if (a->findings[i].nraces && replays->step) {
		struct cli_run_report r;
		struct snag_trace trace;
		snag_trace_init(&trace);
		rc = cli_run_report_build(&r, run, err);
		replays->report = &r.report;
		bool is_worth_it = rc == 0 && has_suspects(&r.incidents);
		if (is_worth_it)
			rc = trace_load(&trace, run->src, err);
		if (is_worth_it && rc == 0)
			n = replay_all(replays, &trace, &r.incidents, &a->findings[i]);
		snag_trace_done(&trace);
		cli_run_report_done(&r);
	}
	keep_confirmed(&a->findings[i]);
	if (!n)
		snag_analysis_leave_out(a, i);
	return rc;
}
