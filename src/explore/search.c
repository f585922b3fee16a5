/* SPDX-License-Identifier: Apache-2.0
 *
 * search.c - which schedule of a program to run next
 */
#include "explore/search.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const snag_search_policy_name[SNAG_SEARCH_POLICIES] = {
	[SNAG_SEARCH_ALL] = "all",   [SNAG_SEARCH_RANDOM] = "random",
	[SNAG_SEARCH_PCT] = "pct",   [SNAG_SEARCH_POS] = "pos",
	[SNAG_SEARCH_SURW] = "surw", [SNAG_SEARCH_GUIDED] = "guided",
	[SNAG_SEARCH_RARE] = "rare",
};

const char snag_search_options[] = "touches=1:forget=1:runs=0:loops=0:hurry=1";

/* The choice number `which` of a schedule, below n. */
static uint64_t choose(const struct snag_schedule_search *s, uint64_t number, uint64_t which,
		       uint64_t n)
{
	return snag_number(snag_number(s->seed, number), which) % n;
}

static void random_plan(const struct snag_schedule_search *s, struct snag_plan *p, uint64_t seed)
{
	static const unsigned quantum[] = {4, 30, 300, 3000}, switch_in[] = {2, 4, 16};
	snprintf(p->options, sizeof(p->options),
		 "policy=random:seed=%" PRIu64 ":quantum=%u:switch_in=%u", seed,
		 quantum[choose(s, p->number, 1, 4)], switch_in[choose(s, p->number, 2, 3)]);
}

static void pct_plan(const struct snag_schedule_search *s, struct snag_plan *p, uint64_t seed)
{
	snprintf(p->options, sizeof(p->options),
		 "policy=pct:seed=%" PRIu64 ":pct_depth=%" PRIu64 ":pct_events=%" PRIu64, seed,
		 1 + choose(s, p->number, 1, 4), s->events ? s->events : 1000);
}

static void pos_plan(struct snag_plan *p, uint64_t seed)
{
	snprintf(p->options, sizeof(p->options), "policy=pos:seed=%" PRIu64, seed);
}

static void surw_plan(const struct snag_schedule_search *s, struct snag_plan *p, uint64_t seed)
{
	if (!s->nfocuses) {
		pos_plan(p, seed);
		return;
	}
	const struct snag_focus *f = &s->focus[choose(s, p->number, 1, s->nfocuses)];
	snprintf(p->options, sizeof(p->options), "policy=surw:seed=%" PRIu64 ":focus=%" PRIu64,
		 seed, f->word);
	p->weights = snag_strdup(f->weights);
	snag_creators_copy(&p->turns.creators, &s->creators);
	p->has_schedule = true;
}

static bool guided_plan(struct snag_schedule_search *s, struct snag_plan *p, uint64_t seed)
{
	if (!snag_seen_orders_next(&s->orders, choose(s, p->number, 1, UINT64_MAX), &p->turns))
		return false;
	p->has_schedule = true;
	if (choose(s, p->number, 3, 3) == 0) /* [stay] */
		snprintf(p->options, sizeof(p->options), "policy=stay:seed=%" PRIu64, seed);
	else
		pos_plan(p, seed);
	return true;
}

/* To a state that few runs have passed, and on as pos does. */
static bool rare_plan(struct snag_schedule_search *s, struct snag_plan *p, uint64_t seed)
{
	if (!snag_states_next(&s->states, choose(s, p->number, 1, UINT64_MAX), &p->turns))
		return false;
	p->has_schedule = true;
	pos_plan(p, seed);
	return true;
}

/* [long] */
static enum snag_search_policy policy_of(const struct snag_schedule_search *s, uint64_t number)
{
	/* What the runs have shown is the best guide: half of the schedules. */
	static const enum snag_search_policy turn[] = {
		SNAG_SEARCH_POS,  SNAG_SEARCH_GUIDED, SNAG_SEARCH_PCT,	  SNAG_SEARCH_GUIDED,
		SNAG_SEARCH_SURW, SNAG_SEARCH_GUIDED, SNAG_SEARCH_RANDOM, SNAG_SEARCH_GUIDED,
		SNAG_SEARCH_POS,  SNAG_SEARCH_RARE,   SNAG_SEARCH_PCT,	  SNAG_SEARCH_RARE,
		SNAG_SEARCH_SURW, SNAG_SEARCH_RARE,   SNAG_SEARCH_RANDOM, SNAG_SEARCH_RARE};
	uint64_t round = s->nshards ? number / s->nshards : number;
	if (s->policy != SNAG_SEARCH_ALL)
		return s->policy;
	if (s->events > SNAG_LONG_RUN)
		return round % 2 ? SNAG_SEARCH_PCT : SNAG_SEARCH_RANDOM;
	return turn[round % (sizeof(turn) / sizeof(turn[0]))];
}

static void schedule_plan(struct snag_schedule_search *s, struct snag_plan *p)
{
	uint64_t seed = 1 + choose(s, p->number, 0, INT32_MAX);
	enum snag_search_policy policy = policy_of(s, p->number);
	if ((policy == SNAG_SEARCH_GUIDED && guided_plan(s, p, seed)) ||
	    (policy == SNAG_SEARCH_RARE && rare_plan(s, p, seed))) {
		p->policy = snag_search_policy_name[policy];
		return;
	}
	if (policy == SNAG_SEARCH_GUIDED || policy == SNAG_SEARCH_RARE)
		policy = SNAG_SEARCH_POS;
	p->policy = snag_search_policy_name[policy];
	switch (policy) {
	case SNAG_SEARCH_PCT:
		pct_plan(s, p, seed);
		break;
	case SNAG_SEARCH_POS:
		pos_plan(p, seed);
		break;
	case SNAG_SEARCH_SURW:
		surw_plan(s, p, seed);
		break;
	default:
		random_plan(s, p, seed);
		break;
	}
}

bool snag_search_next(struct snag_schedule_search *s, struct snag_plan *ret_plan)
{
	*ret_plan = (struct snag_plan){.number = s->next};
	if (s->is_exhaustive) {
		if (!snag_classes_next(&s->classes, &ret_plan->turns))
			return false;
		ret_plan->policy = "stay";
		ret_plan->has_schedule = ret_plan->turns.n > 0;
		snprintf(ret_plan->options, sizeof(ret_plan->options), "policy=stay:seed=1");
		s->next++;
		return true;
	}
	if (s->next == 0) {
		ret_plan->policy = "random";
		snprintf(ret_plan->options, sizeof(ret_plan->options),
			 "policy=random:seed=%" PRIu64, s->seed);
		s->next = s->nshards && s->shard ? s->shard
			  : s->nshards		 ? s->nshards
						 : 1; /* [shard] */
		return true;
	}
	schedule_plan(s, ret_plan);
	s->next += s->nshards ? s->nshards : 1;
	return true;
}

void snag_plan_done(struct snag_plan *plan)
{
	snag_turns_done(&plan->turns);
	free(plan->weights);
	plan->weights = NULL;
}

struct word_use {
	uint64_t key; /* word + 1; keyed.h */
	uint32_t thread;
	bool is_shared, is_written;
};

static bool is_synchronisation(const struct snag_touch *t)
{
	return t->kind != SNAG_TOUCH_MEMORY && t->kind != SNAG_TOUCH_TOKEN;
}

/* Lines "=thread events": how many moves of each thread touch the word. */
static char *weights_make(const struct snag_moves *m, uint64_t word)
{
	uint64_t *n = snag_calloc(m->nthreads + 1, sizeof(*n));
	for (size_t i = 0; i < m->n; i++) {
		bool is_interesting = false;
		for (uint32_t k = 0; k < m->at[i].n; k++) {
			const struct snag_touch *t = &m->touch[m->at[i].first + k];
			is_interesting |= word ? t->kind == SNAG_TOUCH_MEMORY && t->key == word
					       : is_synchronisation(t);
		}
		n[m->at[i].thread] += is_interesting;
	}
	size_t room = 48 * (size_t)m->nthreads + 1, at = 0;
	char *text = snag_alloc(room);
	text[0] = 0;
	for (uint32_t t = 0; t < m->nthreads; t++)
		at += (size_t)snprintf(text + at, room - at, "=%" PRIu32 " %" PRIu64 "\n", t, n[t]);
	free(n);
	return text;
}

static void focus_add(struct snag_schedule_search *s, const struct snag_moves *m, uint64_t word)
{
	if (s->nfocuses < SNAG_FOCUSES)
		s->focus[s->nfocuses++] = (struct snag_focus){word, weights_make(m, word)};
}

static void profile_take(struct snag_schedule_search *s, const struct snag_moves *m)
{
	struct snag_keyed words = {.elem = sizeof(struct word_use)};
	s->has_profile = true;
	s->events = m->events;
	snag_creators_copy(&s->creators, &m->turns.creators);
	focus_add(s, m, 0);
	for (size_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; k < m->at[i].n; k++) {
			const struct snag_touch *t = &m->touch[m->at[i].first + k];
			if (t->kind != SNAG_TOUCH_MEMORY)
				continue;
			struct word_use *u = snag_keyed_get(&words, t->key + 1);
			bool was = u->is_shared && u->is_written;
			if (!u->thread)
				u->thread = m->at[i].thread + 1;
			u->is_shared |= u->thread != m->at[i].thread + 1;
			u->is_written |= t->is_write;
			if (!was && u->is_shared && u->is_written)
				focus_add(s, m, t->key);
		}
	snag_keyed_done(&words);
}

bool snag_search_add(struct snag_schedule_search *s, const struct snag_plan *plan,
		     const struct snag_moves *moves)
{
	struct snag_relation r;
	if (s->is_exhaustive)
		return snag_classes_add(&s->classes, moves);
	if (plan->number == 0 && !s->has_profile)
		profile_take(s, moves);
	if (s->policy == SNAG_SEARCH_ALL || s->policy == SNAG_SEARCH_RARE)
		snag_states_add(&s->states, moves);
	if (!snag_relation_make(&r, moves)) {
		s->cut++;
		return true; /* whether it is new is not known */
	}
	bool is_new = snag_tally_add(&s->classes.classes, r.class) == 0;
	uint64_t n = snag_seen_orders_add(&s->orders, &r, is_new,
					  choose(s, plan->number, 2, UINT64_MAX));
	snag_relation_done(&r);
	return n > 0;
}

void snag_search_done(struct snag_schedule_search *s)
{
	snag_classes_done(&s->classes);
	snag_seen_orders_done(&s->orders);
	snag_states_done(&s->states);
	for (size_t i = 0; i < s->nfocuses; i++)
		free(s->focus[i].weights);
	snag_creators_done(&s->creators);
}
