/* SPDX-License-Identifier: Apache-2.0
 *
 * pair_judge.c - decides one candidate pair, and checks its witness
 */
#include "detect/candidates/pair_judge.h"

#include "base/memory.h"
#include "witness/decide/check.h"
#include "witness/decide/closed.h"
#include "witness/decide/paper.h"
#include "witness/decide/vindicate.h"

#include <string.h>

/* The number of events that may be replayed for all witnesses together; a replay costs the
 * trace. */
#define MAX_REPLAYED ((uint64_t)2 << 20)
static void worker_init(struct snag_pair_worker *w, const struct snag_index *ix,
			enum snag_procedure procedure, const struct snag_decide_options *options)
{
	switch (procedure) {
	case SNAG_DECIDE_EXACTLY:
		w->decider = snag_decider_new(ix, options);
		break;
	case SNAG_RACE_DECISION:
		w->paper = snag_paper_new(ix, options->max_window);
		break;
	case SNAG_VINDICATE:
		w->vindicator = snag_vindicator_new(ix, options->mode, options->max_window);
		break;
	case SNAG_SYNC_PRESERVING:
		w->closed = snag_closed_new(ix, SNAG_PRESERVING);
		break;
	case SNAG_SYNC_REVERSAL:
		w->closed = snag_closed_new(ix, SNAG_OPTIMISTIC);
		break;
	}
}

void snag_pair_judge_init(struct snag_pair_judge *j, const struct snag_detector_env *env,
			  const struct snag_index *ix, enum snag_mode mode,
			  enum snag_procedure procedure)
{
	struct snag_decide_options options = {.mode = mode, .max_nodes = env->budget};
	j->ix = ix;
	j->mode = mode;
	j->procedure = procedure;
	j->workers = env->jobs;
	j->worker = snag_calloc(j->workers, sizeof(*j->worker));
	for (unsigned i = 0; i < j->workers; i++)
		worker_init(&j->worker[i], ix, procedure, &options);
}

void snag_pair_judge_done(struct snag_pair_judge *j)
{
	for (unsigned i = 0; i < j->workers; i++) {
		snag_decider_free(j->worker[i].decider);
		snag_paper_free(j->worker[i].paper);
		snag_vindicator_free(j->worker[i].vindicator);
		snag_closed_free(j->worker[i].closed);
	}
	free(j->worker);
}

void snag_pair_judge_hurry(struct snag_pair_judge *j, uint32_t max_window)
{
	for (unsigned i = 0; i < j->workers; i++)
		if (j->worker[i].decider)
			snag_decider_hurry(j->worker[i].decider, max_window);
}

static bool is_valid(struct snag_pair_judge *j, const struct snag_witness *w)
{
	uint64_t n = j->ix->nevents;
	/* Relaxed: a count, nothing is published by it. */
	if (atomic_fetch_add_explicit(&j->replayed, n, memory_order_relaxed) > MAX_REPLAYED)
		return snag_witness_check_indexed(j->ix, j->mode, w);
	return snag_witness_check(j->ix->trace, w, snag_rules_of_mode(j->mode), NULL) == 0;
}

/* Whether a read of the witness sees another write than it saw; when replays are over, taken for
 * granted where it can be. */
static bool changes_reads(struct snag_pair_judge *j, const struct snag_witness *w)
{
	if (snag_rules_of_mode(j->mode) == SNAG_RULES_READS)
		return false;
	/* Relaxed: a count, nothing is published by it. */
	uint64_t n = j->ix->nevents;
	if (atomic_fetch_add_explicit(&j->replayed, n, memory_order_relaxed) > MAX_REPLAYED)
		return true;
	return snag_witness_check(j->ix->trace, w, SNAG_RULES_READS, NULL) < 0;
}

struct snag_site snag_site_of(const struct snag_index *ix, uint32_t e)
{
	const struct snag_event *ev = &ix->trace->ev[e];
	return (struct snag_site){.event = e,
				  .thread = ev->thread,
				  .target = ev->target,
				  .loc = ev->loc,
				  .op = ev->op};
}

const struct snag_witness *snag_pair_judge_answer(const struct snag_pair_judge *j, unsigned worker,
						  struct snag_candidate pair,
						  struct snag_pair_result *ret)
{
	const struct snag_pair_worker *w = &j->worker[worker];
	ret->is_uncertain = false;
	switch (j->procedure) {
	case SNAG_RACE_DECISION:
		ret->decision = snag_paper_decide(w->paper, pair.e1, pair.e2);
		ret->is_uncertain =
			ret->decision == SNAG_INFEASIBLE && !snag_paper_is_certain(w->paper);
		return snag_paper_witness(w->paper);
	case SNAG_VINDICATE:
		ret->decision = snag_vindicate(w->vindicator, pair.e1, pair.e2);
		ret->is_uncertain = ret->decision == SNAG_INFEASIBLE && j->mode == SNAG_MODE_DC;
		return snag_vindicator_witness(w->vindicator);
	case SNAG_SYNC_PRESERVING:
	case SNAG_SYNC_REVERSAL:
		ret->decision = snag_closed_decide(w->closed, pair.e1, pair.e2);
		ret->is_uncertain =
			ret->decision == SNAG_INFEASIBLE && !snag_closed_is_certain(w->closed);
		return snag_closed_witness(w->closed);
	default:
		ret->decision = snag_decide(w->decider, pair.e1, pair.e2);
		return snag_decider_witness(w->decider);
	}
}

void snag_pair_judge_decide(struct snag_pair_judge *j, unsigned worker, struct snag_candidate pair,
			    struct snag_pair_result *ret)
{
	ret->pair = pair;
	const struct snag_witness *w = snag_pair_judge_answer(j, worker, pair, ret);
	ret->race = (struct snag_race){.first = snag_site_of(j->ix, pair.e1),
				       .second = snag_site_of(j->ix, pair.e2),
				       .count = 1,
				       .verdict = SNAG_UNVERIFIED};
	if (ret->decision != SNAG_VERIFIED)
		return;
	if (!is_valid(j, w)) {
		ret->decision = SNAG_UNDECIDED;
		return;
	}
	ret->race.verdict = SNAG_PREDICTED;
	ret->race.changes_reads = changes_reads(j, w);
	snag_witness_copy(w, j->ix->nthreads, &ret->race);
}
