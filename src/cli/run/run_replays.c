/* SPDX-License-Identifier: Apache-2.0
 *
 * run_replays.c - the predicted races of a run, replayed
 */
#include "cli/run/run_replays.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/run/effect.h"
#include "cli/interrupt.h"
#include "record/replay/replay_atomicity.h"
#include "record/replay/replay_file.h"
#include "record/replay/replay_freed.h"

#include <stdlib.h>
#include <string.h>

struct plan {
	struct snag_turns turns;
	char place[SNAG_REPLAY_ACCESSES][4096];
	struct snag_replay_access access[SNAG_REPLAY_ACCESSES];
	size_t naccesses; /* of an atomicity violation 3 */
	bool is_behind;	  /* of a use of freed memory that is no race: the access, and the free */
};

static void plan_make(const struct cli_replays *r, const struct snag_race *race, struct plan *ret)
{
	const struct snag_site *site[SNAG_REPLAY_ACCESSES] = {&race->first, &race->second};
	size_t n;
	struct snag_step *step = cli_steps_of_witness(r->steps, r->report->stretches, race, &n);
	snag_turns_of_steps(&ret->turns, step, n, SNAG_GOAL_ACCESSES, snag_race_goal(race),
			    r->steps->cursor.log);
	free(step);
	ret->naccesses = 2;
	ret->is_behind = race->is_behind;
	if (race->is_atomicity) {
		ret->naccesses = SNAG_REPLAY_ACCESSES;
		site[0] = &race->read;
		site[1] = snag_race_between(race);
		site[2] = snag_race_write(race);
	}
	for (size_t i = 0; i < ret->naccesses; i++) {
		snag_location_text(r->report->names, site[i]->loc, ret->place[i],
				   sizeof(ret->place[i]));
		ret->access[i] = (struct snag_replay_access){
			.place = ret->place[i], .is_write = snag_op_writes(site[i]->op)};
	}
}

void cli_replays_members(void *ctx, const struct snag_race *race, struct snag_json *j)
{
	const struct cli_replays *r = ctx;
	struct plan *plan = snag_calloc(1, sizeof(*plan));
	if (r->steps) {
		plan_make(r, race, plan);
		snag_replay_file_write(&plan->turns, plan->access, plan->naccesses, j);
	}
	snag_turns_done(&plan->turns);
	free(plan);
}

double cli_replays_budget(double seconds, bool wants_effects)
{
	double least = wants_effects ? CLI_REPLAYS_EFFECTS_SECONDS : CLI_REPLAYS_LEAST_SECONDS;
	return seconds > least ? seconds : least;
}

bool cli_replays_have_time(const struct cli_replays *r)
{
	return r->spent < r->budget && !cli_stop;
}

/* Notes how the replays ended, and how many seconds would have been enough: an estimate from
 * the replays that were tried, and at least twice the budget. */
static void tally_end(struct cli_replays *r)
{
	struct snag_replay_tally *t = &r->tally;
	size_t tried = t->predicted.tried + t->suspects.tried;
	double each = tried ? r->spent / (double)tried : r->seconds;
	double all = r->spent + each * (double)(t->predicted.left + t->suspects.left);
	t->was_interrupted = cli_stop != 0;
	t->enough = 1 + (uint64_t)(all > 2 * r->budget ? all : 2 * r->budget);
}

static int race_follow(const struct cli_replays *r, const struct plan *plan, double seconds,
		       struct snag_replay_result *ret, struct snag_error *err)
{
	const struct snag_replay_plan how = {
		.argv = r->argv,
		.turns = &plan->turns,
		.access = {plan->access[0], plan->access[1]},
		.seed = r->seed,
		.is_quiet = true,
		.stops = true,
		.seconds = seconds,
		.interrupt = &cli_stop,
	};
	return snag_replay_run(&how, ret, err);
}

static struct snag_steering steering(const struct cli_replays *r, const struct plan *plan,
				     double seconds)
{
	return (struct snag_steering){.argv = r->argv,
				      .turns = &plan->turns,
				      .seed = r->seed,
				      .is_quiet = true,
				      .stops = true,
				      .seconds = seconds,
				      .interrupt = &cli_stop};
}

static int atomicity_follow(const struct cli_replays *r, const struct plan *plan, double seconds,
			    struct snag_replay_result *ret, struct snag_error *err)
{
	const struct snag_atomicity_plan how = {
		.how = steering(r, plan, seconds),
		.place = {plan->place[0], plan->place[1], plan->place[2]}};
	return snag_replay_atomicity(&how, ret, err);
}

static int freed_follow(const struct cli_replays *r, const struct plan *plan, double seconds,
			struct snag_replay_result *ret, struct snag_error *err)
{
	const struct snag_freed_plan how = {
		.how = steering(r, plan, seconds), .access = plan->place[0], .end = plan->place[1]};
	return snag_replay_freed(&how, ret, err);
}

static enum snag_replay plan_follow(struct cli_replays *r, const struct plan *plan, double seconds,
				    char **ret_words)
{
	double left = r->budget - r->spent;
	struct snag_replay_result result = {0};
	struct snag_error err = {0};
	if (snag_dead_ends_meet(&r->dead_ends, &plan->turns)) {
		*ret_words = snag_strdup("another replay could not follow the same turns");
		return SNAG_REPLAY_DIVERGED;
	}
	int rc = (plan->naccesses > 2 ? atomicity_follow
		  : plan->is_behind
			  ? freed_follow
			  : race_follow)(r, plan, seconds < left ? seconds : left, &result, &err);
	if (rc == 0 && result.diverged && !cli_stop)
		snag_dead_ends_add(&r->dead_ends, &plan->turns, result.turn);
	bool was_cut = rc == 0 && result.was_late && seconds >= left;
	if (was_cut || (cli_stop && !(rc == 0 && result.is_confirmed)))
		return SNAG_REPLAY_NOT_TRIED;
	*ret_words = snag_strdup(rc == 0 ? result.words : err.msg);
	return rc == 0 && result.is_confirmed ? SNAG_REPLAY_CONFIRMED : SNAG_REPLAY_DIVERGED;
}

enum snag_replay cli_replay(struct cli_replays *r, const struct snag_race *race, double seconds,
			    char **ret_words)
{
	struct plan *plan = snag_calloc(1, sizeof(*plan));
	enum snag_replay outcome = SNAG_REPLAY_NOT_TRIED;
	double begin = snag_seconds_now();
	plan_make(r, race, plan);
	outcome = plan_follow(r, plan, seconds, ret_words);
	snag_turns_done(&plan->turns);
	free(plan);
	r->spent += snag_seconds_now() - begin;
	return outcome;
}

static const struct cli_replayed *done_find(const struct cli_replays *r,
					    const struct snag_race *race)
{
	for (size_t i = 0; i < r->ndone; i++)
		if (r->done[i].race == race)
			return &r->done[i];
	return NULL;
}

/* Returns the outcome, of this time or of the time before; NULL: there is no time. */
static const struct cli_replayed *replay_once(struct cli_replays *r, const struct snag_race *race)
{
	const struct cli_replayed *before = done_find(r, race);
	if (before || !cli_replays_have_time(r))
		return before;
	struct cli_replayed now = {.race = race};
	now.outcome = cli_replay(r, race, 1 + 10 * r->seconds, &now.words);
	r->done = snag_grow(r->done, &r->done_cap, r->ndone + 1, sizeof(*r->done));
	r->done[r->ndone] = now;
	return &r->done[r->ndone++];
}

/* Marks a race whose witness changed what reads see, and which the program did not follow. The
 * races belong to the analysis, which the caller may change. */
static void unconfirm(const struct cli_replays *r, struct snag_incidents *all,
		      struct snag_incident *in)
{
	((struct snag_race *)in->race)->verdict = SNAG_UNCONFIRMED;
	all->by_verdict[SNAG_PREDICTED]--;
	in->is_apart = !r->reports_unconfirmed;
	all->apart += in->is_apart;
	all->shown -= in->is_apart;
	all->by_verdict[SNAG_UNCONFIRMED] += !in->is_apart;
}

/* An earlier incident of the same cause will be reported, whatever a replay of this one shows.
 * Those with the strongest verdict come first. */
static bool is_settled(const struct snag_incidents *all, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		const struct snag_incident *in = &all->at[k];
		if (strcmp(in->id, all->at[i].id) == 0 && !in->is_suppressed &&
		    (in->race->verdict == SNAG_OBSERVED || in->replay == SNAG_REPLAY_CONFIRMED))
			return true;
	}
	return false;
}

void cli_replays_run(struct cli_replays *r, struct snag_incidents *all)
{
	struct snag_replay_count *count = &r->tally.predicted;
	*count = (struct snag_replay_count){0};
	for (size_t i = 0; i < all->n; i++) {
		struct snag_incident *in = &all->at[i];
		if (in->is_suppressed || in->race->verdict != SNAG_PREDICTED ||
		    !in->race->nwitness || is_settled(all, i))
			continue;
		const struct cli_replayed *done = replay_once(r, in->race);
		bool is_tried = done && (done->outcome != SNAG_REPLAY_NOT_TRIED);
		count->tried += is_tried;
		count->left += !is_tried && !cli_replays_have_time(r);
		if (is_tried)
			in->replay = done->outcome;
		if (is_tried && done->words)
			in->replay_words = snag_strdup(done->words);
		if (is_tried && done->outcome == SNAG_REPLAY_DIVERGED && in->race->changes_reads)
			unconfirm(r, all, in);
	}
	tally_end(r);
}

static bool has_observed(const struct snag_analysis *a)
{
	bool would_report = false; /* it reports every observed race */
	for (size_t i = 0; i < a->n; i++) {
		const struct snag_findings *f = &a->findings[i];
		would_report |= strcmp(a->detector[i]->name, "hb") == 0;
		for (size_t k = 0; k < f->nraces; k++)
			if (f->race[k].verdict == SNAG_OBSERVED)
				return true;
	}
	return !would_report;
}

void cli_replays_doubt(struct snag_analysis *a)
{
	bool is_doubtful = has_observed(a);
	for (size_t i = 0; is_doubtful && i < a->n; i++)
		for (size_t k = 0; k < a->findings[i].nraces; k++)
			a->findings[i].race[k].changes_reads = true;
}

/* Both orders of one race, each for at most so long. */
static void effect_find(struct cli_replays *r, struct snag_incident *in, double patience)
{
	double left = r->budget - r->spent;
	struct cli_effect effect;
	struct snag_error err = {0};
	struct plan *plan = snag_calloc(1, sizeof(*plan));
	plan_make(r, in->proof, plan);
	struct snag_replay_plan how = {.argv = r->argv,
				       .turns = &plan->turns,
				       .access = {plan->access[0], plan->access[1]},
				       .seed = r->seed,
				       .interrupt = &cli_stop,
				       .seconds = patience < left ? patience : left};
	int rc = cli_effect_find(&how, &effect, &err);
	bool was_cut = rc == 0 && effect.severity == CLI_SEVERITY_HANG && left < patience;
	if (rc == 0 && effect.severity != CLI_SEVERITY_UNKNOWN && !was_cut && !cli_stop) {
		in->severity = cli_severity_text[effect.severity];
		in->effect = snag_strdup(effect.words);
	}
	snag_turns_done(&plan->turns);
	free(plan);
}

void cli_replays_effects(struct cli_replays *r, struct snag_incidents *all, bool is_asked)
{
	/* If one order takes longer than this and the other does not, snag says that it does not
	 * end. */
	double patience = 3 + 30 * r->seconds;
	/* If the user did not ask for it, snag begins no race whose two runs would not fit into
	 * the time that replays get in any case. */
	double limit = is_asked ? r->budget : CLI_REPLAYS_LEAST_SECONDS - 2 * r->seconds;
	for (size_t i = 0; i < all->n && cli_replays_have_time(r) && r->spent < limit; i++) {
		struct snag_incident *in = &all->at[i];
		if (in->is_suppressed || in->is_apart || in->severity || !in->proof ||
		    snag_race_goal(in->proof) != 2)
			continue;
		double begin = snag_seconds_now();
		effect_find(r, in, patience);
		r->spent += snag_seconds_now() - begin;
	}
}

void cli_replays_freed(struct snag_incidents *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct snag_incident *in = &all->at[i];
		if (!snag_incident_is_of_freed(in))
			continue;
		in->severity = "freed memory";
		in->effect = snag_strdup(
			"freed memory: one order of the accesses uses it after its end");
	}
}

void cli_replays_done(struct cli_replays *r)
{
	for (size_t i = 0; i < r->ndone; i++)
		free(r->done[i].words);
	free(r->done);
	snag_dead_ends_done(&r->dead_ends);
}
