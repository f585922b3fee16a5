/* SPDX-License-Identifier: Apache-2.0
 *
 * run_suspects.c - suspicious pairs of a run, which snag reports if another run shows that
 * they race
 */
#include "cli/run/run_suspects.h"

#include "base/clock.h"
#include "base/memory.h"
#include "detect/candidates/suspects.h"
#include "record/replay/delay.h"

#include <stdlib.h>
#include <string.h>

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

/* Makes the witness of a race the schedule that holds its first access back, in the numbers of
 * the whole trace.  False: the second access does not come then. */
static bool delay(const struct snag_analysis *a, struct snag_race *race)
{
	const struct snag_slice *slice = a->slice;
	struct snag_race in_slice = {.first = race->first, .second = race->second};
	in_slice.first.event = snag_slice_find(slice, race->first.event);
	in_slice.second.event = snag_slice_find(slice, race->second.event);
	bool comes = snag_delay(&slice->trace, &in_slice);
	uint32_t *prefix = snag_calloc(a->stretches.nthreads, sizeof(*prefix));
	snag_stretches_before(&a->stretches, race->first.event, prefix);
	free(race->prefix);
	free(in_slice.prefix);
	snag_race_prefix_set(race, prefix, a->stretches.nthreads);
	free(prefix);
	free(race->witness);
	race->witness = in_slice.witness;
	race->nwitness = in_slice.nwitness;
	for (size_t i = 0; i < race->nwitness; i++)
		race->witness[i] = slice->number[race->witness[i]];
	return comes;
}

/* Sets its verdict if another run shows the race. */
static enum snag_replay suspect_try(struct cli_replays *replays, const struct snag_analysis *a,
				    struct snag_race *race)
{
	char *words = NULL;
	double begin = snag_seconds_now();
	bool comes = delay(a, race);
	replays->spent += snag_seconds_now() - begin;
	enum snag_replay outcome = SNAG_REPLAY_DIVERGED;
	if (comes && cli_replays_have_time(replays))
		outcome = cli_replay(replays, race, 1 + 3 * replays->seconds, &words);
	else if (comes)
		outcome = SNAG_REPLAY_NOT_TRIED;
	free(words);
	if (outcome == SNAG_REPLAY_CONFIRMED)
		race->verdict = SNAG_CONFIRMED;
	return outcome;
}

struct suspect {
	struct snag_race *race;
	uint32_t rank; /* the lower, the earlier it is tried */
};

enum { RANK_ORDERED = 1, RANK_REFUTED = 2 };

/* Returns the rank of a pair; the most likely race has the lowest. First come variables with
 * accesses that some reordering with the same reads may bring together, then those that only
 * counters order. */
static uint32_t suspect_rank(const struct snag_analysis *a, const struct snag_race *race)
{
	const struct snag_slice *slice = a->slice;
	uint32_t event = snag_slice_find(slice, race->second.event);
	return slice->wanted[slice->trace.ev[event].target] & SNAG_WANT_KEPT ? 0 : RANK_ORDERED;
}

/* Pairs that no run with the same branches brings together come last.  They are tried all the same,
 * because another branch may lead to them, too. */
static int refuted_rank(struct cli_replays *replays, const struct cli_run *run,
			struct suspect *suspect, size_t n, struct snag_error *err)
{
	struct snag_suspect *pair = snag_calloc(n, sizeof(*pair));
	struct snag_source *again = NULL;
	double begin = snag_seconds_now();
	for (size_t i = 0; i < n; i++)
		pair[i] = (struct snag_suspect){.first = suspect[i].race->first.event,
						.second = suspect[i].race->second.event};
	int rc = snag_source_again(run->src, &again, err);
	if (rc > 0)
		rc = snag_suspects_decide(again, pair, n, err);
	snag_source_close(again);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		suspect[i].rank += pair[i].is_refuted ? RANK_REFUTED : 0;
		replays->tally.suspects.refuted += pair[i].is_refuted;
	}
	free(pair);
	replays->spent += snag_seconds_now() - begin;
	return rc < 0 ? rc : 0;
}

/* Sorts by rank, then in the order of the run. */
static int suspect_compare(const void *a, const void *b)
{
	const struct suspect *x = a, *y = b;
	const uint32_t key[3][2] = {{x->rank, y->rank},
				    {x->race->second.event, y->race->second.event},
				    {x->race->first.event, y->race->first.event}};
	for (int i = 0; i < 3; i++)
		if (key[i][0] != key[i][1])
			return key[i][0] < key[i][1] ? -1 : 1;
	return 0;
}

/* Returns how many are confirmed, or a negative code. */
static int replay_all(struct cli_replays *replays, const struct cli_run *run,
		      const struct snag_incidents *all, struct snag_findings *f,
		      struct snag_error *err)
{
	const struct snag_analysis *a = run->analysis;
	struct snag_replay_count *count = &replays->tally.suspects;
	struct suspect *suspect = snag_calloc(all->n, sizeof(*suspect));
	size_t n = 0;
	int nconfirmed = 0;
	for (size_t i = 0; i < all->n; i++)
		if (is_suspect(&all->at[i])) {
			struct snag_race *race = &f->race[all->at[i].race - f->race];
			suspect[n++] = (struct suspect){race, suspect_rank(a, race)};
		}
	int rc = n > 1 ? refuted_rank(replays, run, suspect, n, err) : 0;
	qsort(suspect, n, sizeof(*suspect), suspect_compare);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		enum snag_replay outcome = SNAG_REPLAY_NOT_TRIED;
		if (cli_replays_have_time(replays))
			outcome = suspect_try(replays, a, suspect[i].race);
		nconfirmed += outcome == SNAG_REPLAY_CONFIRMED;
		count->tried += outcome != SNAG_REPLAY_NOT_TRIED;
		count->left += outcome == SNAG_REPLAY_NOT_TRIED && !cli_replays_have_time(replays);
	}
	free(suspect);
	return rc < 0 ? rc : nconfirmed;
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

int cli_suspects_settle(struct cli_replays *replays, struct snag_analysis *a,
			const struct cli_run *run, struct snag_error *err)
{
	size_t i = find(a);
	int rc = 0, n = 0;
	if (i == a->n)
		return 0;
	if (a->findings[i].nraces && replays->steps && a->slice) {
		struct cli_run_report r;
		rc = cli_run_report_build(&r, run, err);
		replays->report = &r.report;
		bool is_worth_it = rc == 0 && has_suspects(&r.incidents);
		if (is_worth_it) {
			cli_replays_run(replays, &r.incidents); /* these come first */
			n = replay_all(replays, run, &r.incidents, &a->findings[i], err);
		}
		cli_run_report_done(&r);
	}
	keep_confirmed(&a->findings[i]);
	if (n <= 0)
		snag_analysis_leave_out(a, i);
	return n < 0 ? n : rc;
}
