/* SPDX-License-Identifier: Apache-2.0
 *
 * schedule.c - the steps of witnesses, looked up
 */
#include "report/incident/schedule.h"

#include "base/memory.h"
#include "report/incident/incident_deadlock.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 300 }; /* steps of a schedule, however many there are */

struct build {
	const struct snag_analysed *from;
	size_t most;	 /* steps of one schedule */
	uint8_t *wanted; /* by place in `from` */
};

static uint32_t number_of(const struct snag_analysed *from, size_t place)
{
	return from->number ? from->number[place] : (uint32_t)place;
}

/* The first place whose event has at least this number. */
static size_t place_of(const struct snag_analysed *from, uint64_t number)
{
	size_t low = 0, high = from->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (number_of(from, middle) < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_step(const struct snag_event *ev) /* [steps] */
{
	return ev->op != SNAG_OP_BRANCH && ev->op != SNAG_OP_BEGIN && ev->op != SNAG_OP_END &&
	       ev->op != SNAG_OP_DEPENDS;
}

/* Behind the last event of the prefix of a race. */
static uint64_t prefix_end(const struct snag_stretches *s, const struct snag_race *race)
{
	uint64_t end = 0;
	for (size_t i = 0; i < race->nprefix; i++) {
		const struct snag_prefix *p = &race->prefix[i];
		if (p->thread >= s->nthreads || !s->begin[p->thread])
			continue;
		const struct snag_stretch *at = &s->at[s->begin[p->thread] - 1];
		while (at->next && s->at[at->next].position < p->n)
			at = &s->at[at->next];
		uint64_t last = at->first + (uint64_t)(p->n - at->position);
		if (last > end)
			end = last;
	}
	return end;
}

/* Adds steps from the last one back.  Returns false if the schedule is full. */
static bool step_add(struct build *b, struct snag_shown_schedule *s, size_t *room, size_t place)
{
	if (!is_step(&b->from->ev[place]))
		return true;
	s->is_cut = s->n == b->most;
	if (s->is_cut)
		return false;
	s->step = snag_grow(s->step, room, s->n + 1, sizeof(*s->step));
	s->step[s->n++] = (uint32_t)place;
	return true;
}

static void number_add(struct build *b, struct snag_shown_schedule *s, size_t *room,
		       uint64_t number)
{
	size_t place = place_of(b->from, number);
	if (place < b->from->n && number_of(b->from, place) == number)
		step_add(b, s, room, place);
}

/* The events of the prefix, from the last one back. */
static void prefix_add(struct build *b, struct snag_shown_schedule *s, size_t *room,
		       const struct snag_race *race)
{
	const struct snag_stretches *stretches = b->from->stretches;
	size_t i = place_of(b->from, prefix_end(stretches, race));
	uint32_t *count = snag_race_prefix_counts(race, stretches->nthreads);
	while (i-- > 0 && !s->is_cut) {
		snag_tid thread = b->from->ev[i].thread;
		if (thread < stretches->nthreads &&
		    snag_stretches_position(stretches, number_of(b->from, i)) < count[thread])
			step_add(b, s, room, i);
	}
	free(count);
}

static void steps_turn(struct snag_shown_schedule *s)
{
	for (size_t i = 0; i < s->n / 2; i++) {
		uint32_t other = s->step[i];
		s->step[i] = s->step[s->n - 1 - i];
		s->step[s->n - 1 - i] = other;
	}
}

static bool is_known(uint32_t event)
{
	return event != SNAG_NO_EVENT;
}

/* A schedule: the prefix, the witness, and `goal` events behind it.  `last` is the last event
 * that the observed order shows. */
static void schedule_make(struct build *b, struct snag_shown_schedule *s,
			  const struct snag_race *race, const uint32_t *goal, size_t ngoal,
			  uint32_t last)
{
	size_t room = 0, lowest, end = place_of(b->from, (uint64_t)last + 1);
	*s = (struct snag_shown_schedule){0};
	if (!is_known(last) || !end)
		return;
	bool has_witness = race->nwitness > 0 || race->nprefix > 0;
	for (size_t i = ngoal; has_witness && i-- > 0;)
		number_add(b, s, &room, goal[i]);
	for (size_t i = race->nwitness; i-- > 0;)
		number_add(b, s, &room, race->witness[i]);
	if (race->nprefix && b->from->stretches)
		prefix_add(b, s, &room, race);
	steps_turn(s);
	lowest = s->n ? end : 0;
	for (size_t i = 0; i < s->n; i++) {
		b->wanted[s->step[i]] = 1;
		lowest = s->step[i] < lowest ? s->step[i] : lowest;
	}
	/* [around] */
	size_t shown = 0;
	for (s->to = s->from = end; s->from > lowest && shown < b->most; s->from--) {
		bool is_shown = is_step(&b->from->ev[s->from - 1]);
		shown += is_shown;
		b->wanted[s->from - 1] |= is_shown;
	}
	s->is_observed_cut = s->from > lowest;
}

static void race_make(struct build *b, struct snag_shown_schedule *s, const struct snag_race *race)
{
	schedule_make(b, s, race, NULL, 0, race->second.event);
}

static void deadlock_make(struct build *b, struct snag_shown_schedule *s,
			  const struct snag_deadlock *d)
{
	uint32_t *goal = snag_calloc(d->n, sizeof(*goal)), last = 0;
	for (size_t i = 0; i < d->n; i++) {
		goal[i] = d->wait[i].at.event;
		last = goal[i] > last ? goal[i] : last; /* SNAG_NO_EVENT is the greatest */
	}
	schedule_make(b, s, &d->proof, goal, d->n, last);
	free(goal);
}

/* Copies what is wanted, and makes the places of `from` places of the table. */
static void table_make(struct snag_schedules *to, const struct build *b)
{
	const struct snag_analysed *from = b->from;
	uint32_t *place = snag_realloc(NULL, from->n + 1, sizeof(*place));
	for (size_t i = 0; i < from->n; i++) {
		place[i] = (uint32_t)to->n;
		to->n += b->wanted[i];
	}
	place[from->n] = (uint32_t)to->n;
	to->ev = snag_realloc(NULL, to->n, sizeof(*to->ev));
	to->number = snag_realloc(NULL, to->n, sizeof(*to->number));
	for (size_t i = 0; i < from->n; i++) {
		if (!b->wanted[i])
			continue;
		struct snag_event *ev = &to->ev[place[i]];
		*ev = from->ev[i];
		if (from->variable && snag_op_info[ev->op].space == SNAG_SPACE_VARIABLE)
			ev->target = from->variable[ev->target];
		to->number[place[i]] = number_of(from, i);
	}
	for (size_t i = 0; i < to->nraces + to->ndeadlocks; i++) {
		struct snag_shown_schedule *s =
			i < to->nraces ? &to->race[i] : &to->deadlock[i - to->nraces];
		for (size_t k = 0; k < s->n; k++)
			s->step[k] = place[s->step[k]];
		s->from = place[s->from];
		s->to = place[s->to];
	}
	free(place);
}

void snag_schedules_build(struct snag_schedules *ret, const struct snag_analysed *from,
			  const struct snag_incidents *all, size_t room)
{
	size_t n = all->n + all->ndeadlocks;
	struct build b = {.from = from, .most = n ? room / n : room};
	if (b.most < LEAST)
		b.most = LEAST;
	*ret = (struct snag_schedules){.nraces = all->n, .ndeadlocks = all->ndeadlocks};
	b.wanted = snag_calloc(from->n + 1, 1);
	ret->race = snag_calloc(all->n, sizeof(*ret->race));
	ret->deadlock = snag_calloc(all->ndeadlocks, sizeof(*ret->deadlock));
	for (size_t i = 0; i < all->n; i++)
		race_make(&b, &ret->race[i], all->at[i].proof ? all->at[i].proof : all->at[i].race);
	for (size_t i = 0; i < all->ndeadlocks; i++)
		deadlock_make(&b, &ret->deadlock[i], all->deadlock[i].deadlock);
	table_make(ret, &b);
	free(b.wanted);
}

void snag_schedules_done(struct snag_schedules *s)
{
	for (size_t i = 0; i < s->nraces; i++)
		free(s->race[i].step);
	for (size_t i = 0; i < s->ndeadlocks; i++)
		free(s->deadlock[i].step);
	free(s->race);
	free(s->deadlock);
	free(s->ev);
	free(s->number);
	*s = (struct snag_schedules){0};
}
