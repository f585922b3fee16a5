/* SPDX-License-Identifier: Apache-2.0
 *
 * run_deadlock.c - the deadlocks of a run: those that happened, and replays of those predicted
 */
#include "cli/run/run_deadlock.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/interrupt.h"
#include "record/replay/replay_deadlock.h"
#include "record/replay/replay_file.h"
#include "report/incident/incident_deadlock.h"
#include "trace/callstack.h"

#include <stdlib.h>
#include <string.h>

static struct snag_findings *findings_of(struct snag_analysis *a)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->findings[i].finds_deadlocks)
			return &a->findings[i];
	return NULL;
}

/* The last acquire of a lock by the thread that waits is where it took what the wait before asks
 * for. */
static void held_see(struct snag_deadlock *d, const struct snag_event *ev, uint64_t number)
{
	bool is_acquire = ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED;
	for (size_t i = 0; i < d->n && is_acquire && !(ev->flags & SNAG_NESTED); i++) {
		const struct snag_site *asked = &d->wait[(i + d->n - 1) % d->n].at;
		if (asked->op != SNAG_OP_JOIN && asked->target == ev->target &&
		    d->wait[i].at.thread == ev->thread)
			d->wait[i].held = (struct snag_site){.event = (uint32_t)number,
							     .thread = ev->thread,
							     .target = ev->target,
							     .loc = ev->loc,
							     .op = ev->op};
	}
}

static int held_find(struct snag_deadlock *d, const struct snag_source *src, struct snag_error *err)
{
	struct snag_source *again;
	struct snag_batch batch;
	int rc = snag_source_again(src, &again, err);
	if (rc <= 0)
		return rc;
	while ((rc = snag_source_next(again, &batch, err)) > 0)
		for (size_t i = 0; i < batch.n; i++)
			held_see(d, &batch.ev[i], batch.first + i);
	snag_source_close(again);
	return rc;
}

/* Adds names: a slice has only the names of its events. The places where threads wait, and what
 * they wait for, may have come later, and have the same numbers in both. */
static void names_complete(struct snag_names *to, const struct snag_names *from)
{
	static const enum snag_space space[] = {SNAG_SPACE_THREAD, SNAG_SPACE_LOCK,
						SNAG_SPACE_LOCATION};
	for (size_t i = 0; to && i < sizeof(space) / sizeof(space[0]); i++)
		for (uint32_t id = to->space[space[i]].n; id < from->space[space[i]].n; id++) {
			const char *name = snag_name(from, space[i], id);
			snag_strtab_append(&to->space[space[i]], name, strlen(name));
		}
}

int cli_deadlock_observed(struct snag_analysis *a, const struct snag_source *src,
			  const struct snag_live_end *end, struct snag_error *err)
{
	struct snag_findings *f = findings_of(a);
	const struct snag_convert_notes *notes = &end->notes;
	const struct snag_site nothing = {.event = SNAG_NO_EVENT, .thread = SNAG_NO_ID};
	if (notes->ncircle >= 2 || end->nmisuses)
		names_complete(a->names, src->names);
	if (!f || notes->ncircle < 2)
		return 0;
	struct snag_deadlock d = {.n = notes->ncircle};
	d.wait = snag_calloc(d.n, sizeof(*d.wait));
	for (size_t i = 0; i < d.n; i++) {
		const struct snag_convert_link *w = &notes->circle[i];
		d.wait[i].held = nothing;
		d.wait[i].at = (struct snag_site){.event = SNAG_NO_EVENT,
						  .thread = w->thread,
						  .target = w->target,
						  .loc = w->loc,
						  .op = (uint8_t)w->op};
	}
	d.proof = (struct snag_race){.first = d.wait[0].at,
				     .second = d.wait[1].at,
				     .known = nothing,
				     .count = 1,
				     .verdict = SNAG_OBSERVED};
	int rc = held_find(&d, src, err);
	if (rc < 0) {
		snag_deadlock_done(&d);
		return rc;
	}
	f->deadlock =
		snag_grow(f->deadlock, &f->deadlock_cap, f->ndeadlocks + 1, sizeof(*f->deadlock));
	memmove(f->deadlock + 1, f->deadlock, f->ndeadlocks++ * sizeof(*f->deadlock));
	f->deadlock[0] = d;
	return 0;
}

struct plan {
	struct snag_turns turns;
	char **place;
};

/* The witness, with the requests behind it. */
static void plan_make(const struct cli_replays *r, const struct snag_deadlock *d, struct plan *ret)
{
	struct snag_race race = d->proof;
	size_t n;
	race.witness = snag_realloc(NULL, race.nwitness + d->n, sizeof(*race.witness));
	if (race.nwitness)
		memcpy(race.witness, d->proof.witness, race.nwitness * sizeof(*race.witness));
	ret->place = snag_calloc(d->n, sizeof(*ret->place));
	for (size_t i = 0; i < d->n; i++) {
		snag_loc loc = d->wait[i].at.loc;
		size_t room = snag_location_text(r->report->names, loc, NULL, 0) + 1;
		race.witness[race.nwitness++] = d->wait[i].at.event;
		ret->place[i] = snag_alloc(room);
		snag_location_text(r->report->names, loc, ret->place[i], room);
	}
	struct snag_step *step = cli_steps_of_witness(r->steps, r->report->stretches, &race, &n);
	snag_turns_of_steps(&ret->turns, step, n, SNAG_GOAL_REQUESTS, d->n, r->steps->cursor.log);
	free(step);
	free(race.witness);
}

static void plan_done(struct plan *p, size_t n)
{
	snag_turns_done(&p->turns);
	for (size_t i = 0; i < n; i++)
		free(p->place[i]);
	free(p->place);
}

void cli_deadlock_members(void *ctx, const struct snag_deadlock *d, struct snag_json *j)
{
	const struct cli_replays *r = ctx;
	struct plan p = {0};
	if (!r->steps)
		return;
	plan_make(r, d, &p);
	snag_replay_file_write_deadlock(&p.turns, (const char *const *)p.place, d->n, j);
	plan_done(&p, d->n);
}

static enum snag_replay replay(struct cli_replays *r, const struct snag_deadlock *d,
			       char **ret_words)
{
	struct plan p = {0};
	struct snag_replay_result result = {0};
	struct snag_error err = {0};
	double begin = snag_seconds_now(), left = r->budget - r->spent;
	double seconds = 1 + 10 * r->seconds;
	plan_make(r, d, &p);
	const struct snag_deadlock_plan how = {.how = {.argv = r->argv,
						       .turns = &p.turns,
						       .seed = r->seed,
						       .is_quiet = true,
						       .seconds = seconds < left ? seconds : left,
						       .interrupt = &cli_stop},
					       .place = (const char *const *)p.place,
					       .n = d->n};
	int rc = snag_replay_deadlock(&how, &result, &err);
	plan_done(&p, d->n);
	r->spent += snag_seconds_now() - begin;
	bool was_cut = rc == 0 && result.was_late && seconds >= left;
	if (was_cut || (cli_stop && !(rc == 0 && result.is_confirmed)))
		return SNAG_REPLAY_NOT_TRIED;
	*ret_words = strdup(rc == 0 ? result.words : err.msg);
	return rc == 0 && result.is_confirmed ? SNAG_REPLAY_CONFIRMED : SNAG_REPLAY_DIVERGED;
}

void cli_deadlock_replays(struct cli_replays *r, struct snag_incidents *all)
{
	for (size_t i = 0; i < all->ndeadlocks; i++) {
		struct snag_deadlock_incident *in = &all->deadlock[i];
		if (in->is_suppressed || !in->witness)
			continue;
		if (cli_replays_have_time(r))
			in->replay = replay(r, in->deadlock, &in->replay_words);
		bool is_tried = in->replay != SNAG_REPLAY_NOT_TRIED;
		r->tally.predicted.tried += is_tried;
		r->tally.predicted.left += !is_tried;
	}
}
