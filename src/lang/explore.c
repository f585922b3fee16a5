/* SPDX-License-Identifier: Apache-2.0
 *
 * explore.c - run a program of the small task language in every order that can matter
 *
 * Idea.   Dynamic partial-order reduction.  Schedules that differ only in the order of steps
 *         that do not conflict are equivalent: same outcome, same computation graph, same races.
 *         Run a schedule.  Where two of its steps conflict and could have come the other way
 *         round, add a schedule that begins like this one and then reverses them; and so on
 *         until nothing is left to reverse.  A task whose step has been tried at some point
 *         `sleeps` from then on, until a step conflicts with it: before that, nothing new could
 *         follow.
 * State.  node[i]  the choice before step i of the present schedule:
 *         tries    tasks to be tried there, in this order (a source set)
 *         sleep    tasks whose step was tried there or before, with its footprint
 *         looping  tasks that wait there for a change of what they read
 * Rules.  [reverse]  an earlier step e and the last step conflict, and nothing is between: let v
 *                    be the steps after e that do not need it.  One of the tasks that can begin
 *                    v must be tried before e.
 *         [sleep]    the next node inherits the sleepers that do not conflict with the step
 *         [mark]     a plain access races with an isolated one: mark their variable (see
 *                    explore_steps.h), and begin the exploration again
 * Guarantee.  Exhaustive unless a limit is reached: every outcome, graph and race of any
 *             schedule is seen.  A program without races and isolated blocks has one schedule.
 * Cost.   Each schedule runs from its beginning: only the present state is kept.
 * Reference.  Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction (POPL
 *             2014), algorithm 1, source sets.
 */
#include "lang/explore.h"

#include "base/clock.h"
#include "base/memory.h"
#include "lang/explore_digest.h"
#include "lang/explore_result.h"
#include "lang/explore_steps.h"

#include <string.h>

struct sleeper {
	snag_tid task;
	struct order_footprint footprint;
	struct order_access *owned; /* the accesses, if they are this node's */
};

struct node {
	snag_tid *tries;
	size_t ntries, tries_cap;
	size_t at; /* the one of the present schedule */
	struct sleeper *sleep;
	size_t nsleep, sleep_cap;
	snag_tid *looping;
	size_t nlooping, looping_cap;
};

enum ending { ENDED, REDUNDANT, CUT, IMPOSSIBLE, AGAIN, STOPPED };

enum {
	STEPS_BETWEEN_LOOKS = 64, /* at the clock */
	LONGEST_TURN = 100,	  /* steps of one task before others get a turn */
};

struct search {
	const struct snag_explore_options *options;
	uint64_t instructions; /* of one schedule */
	struct explore_steps steps;
	struct node *node;
	size_t nnodes, node_cap; /* of the present schedule */
	size_t prefix;		 /* how much of it is given */
	bool is_new;		 /* the present step has not happened before */
	bool begin_again;	 /* [mark] */
	uint32_t *first;	 /* for [reverse]: the first step of each task in v, + 1 */
	size_t first_cap;
	snag_tid *in_v;
	size_t in_v_cap;
	struct explore_record record;
	double begin; /* as of snag_seconds_now() */
};

static bool list_has(const snag_tid *list, size_t n, snag_tid task)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == task)
			return true;
	return false;
}

static void list_add(snag_tid **list, size_t *n, size_t *cap, snag_tid task)
{
	*list = snag_grow(*list, cap, *n + 1, sizeof(**list));
	(*list)[(*n)++] = task;
}

static bool is_asleep(const struct node *d, snag_tid task)
{
	for (size_t i = 0; i < d->nsleep; i++)
		if (d->sleep[i].task == task)
			return true;
	return false;
}

static void sleep_add(struct node *d, struct sleeper sleeper)
{
	d->sleep = snag_grow(d->sleep, &d->sleep_cap, d->nsleep + 1, sizeof(*d->sleep));
	d->sleep[d->nsleep++] = sleeper;
}

static void node_clear(struct node *d)
{
	for (size_t i = 0; i < d->nsleep; i++)
		free(d->sleep[i].owned);
	d->ntries = d->nsleep = d->nlooping = d->at = 0;
}

/* [sleep] Adds a node after the last step. */
static struct node *node_push(struct search *s)
{
	s->node = snag_grow(s->node, &s->node_cap, s->nnodes + 1, sizeof(*s->node));
	struct node *d = &s->node[s->nnodes++];
	node_clear(d);
	if (s->nnodes > 1) {
		const struct node *above = d - 1;
		struct order_footprint step =
			order_footprint(&s->steps.order, (uint32_t)s->nnodes - 2);
		for (size_t i = 0; i < above->nsleep; i++)
			if (!order_conflict(&above->sleep[i].footprint, &step))
				sleep_add(d, (struct sleeper){above->sleep[i].task,
							      above->sleep[i].footprint, NULL});
	}
	return d;
}

/* [reverse] Adds a task to be tried before step e, so that the last step can come before it. */
static void reverse(struct search *s, uint32_t e)
{
	const struct order *o = &s->steps.order;
	struct node *d = &s->node[e];
	uint32_t last = (uint32_t)o->nevents - 1;
	size_t nv = 0, ntasks = s->steps.world.ntasks;
	snag_tid pick = WORLD_NONE;
	bool has = false;
	s->first = snag_grow(s->first, &s->first_cap, ntasks, sizeof(*s->first));
	s->in_v = snag_grow(s->in_v, &s->in_v_cap, ntasks, sizeof(*s->in_v));
	for (uint32_t f = e + 1; f <= last && !has; f++) {
		snag_tid t = o->event[f].task;
		if (s->first[t] || (f != last && order_needs(o, e, f)))
			continue;
		bool can_begin = !list_has(d->looping, d->nlooping, t);
		for (size_t i = 0; i < nv && can_begin; i++)
			can_begin = !order_needs(o, s->first[s->in_v[i]] - 1, f);
		s->first[t] = f + 1;
		s->in_v[nv++] = t;
		if (!can_begin)
			continue;
		has = list_has(d->tries, d->ntries, t);
		if (pick == WORLD_NONE || f == last)
			pick = t;
	}
	for (size_t i = 0; i < nv; i++)
		s->first[s->in_v[i]] = 0;
	if (!has && pick != WORLD_NONE)
		list_add(&d->tries, &d->ntries, &d->tries_cap, pick);
}

static void take(struct search *s, snag_tid task)
{
	struct order *o = &s->steps.order;
	steps_take(&s->steps, task);
	if (!s->is_new)
		return;
	s->record.result->events++;
	order_reversals(o);
	for (size_t i = 0; i < o->ncandidates; i++)
		reverse(s, o->candidate[i]);
}

/* Returns the task that has taken so many steps that all others below it come first, or
 * WORLD_NONE: an endless loop must not hide the others. */
static snag_tid turn_is_over(const struct order *o)
{
	size_t n = o->nevents, k = 1;
	while (k < LONGEST_TURN && k < n && o->event[n - 1 - k].task == o->event[n - 1].task)
		k++;
	return k == LONGEST_TURN ? o->event[n - 1].task : WORLD_NONE;
}

/* Continues the schedule by one step of the youngest task that can act, as a depth-first run
 * would.  Returns false if the schedule has ended; *ret says how. */
static bool go_on(struct search *s, enum ending *ret)
{
	struct explore_steps *p = &s->steps;
	struct node *d = node_push(s);
	snag_tid tired = turn_is_over(&p->order);
	bool has_asleep = false;
	size_t skip = 0;
	while (tired != WORLD_NONE && skip < p->nlive && p->live[p->nlive - 1 - skip] > tired)
		skip++;
	skip += tired != WORLD_NONE;
	for (size_t k = 0; k < p->nlive; k++) {
		snag_tid t = p->live[(2 * p->nlive - 1 - skip - k) % p->nlive];
		if (!steps_can(p, t)) {
			if (steps_is_looping(p, t))
				list_add(&d->looping, &d->nlooping, &d->looping_cap, t);
		} else if (is_asleep(d, t)) {
			has_asleep = true;
		} else if (d->ntries == 0) {
			list_add(&d->tries, &d->ntries, &d->tries_cap, t);
		}
	}
	if (d->ntries == 0) {
		*ret = has_asleep ? REDUNDANT : ENDED;
		s->nnodes--;
		return false;
	}
	take(s, d->tries[0]);
	return true;
}

/* Returns whether a signal or the time limit ends the exploration. */
static enum snag_explore_gap over(const struct search *s)
{
	const struct snag_explore_options *o = s->options;
	if (o->stop && *o->stop)
		return SNAG_EXPLORE_STOPPED;
	if (o->seconds > 0 && snag_seconds_now() - s->begin >= o->seconds)
		return SNAG_EXPLORE_SECONDS;
	return SNAG_EXPLORE_COMPLETE;
}

/* Runs the schedule that the first `prefix` nodes begin. */
static enum ending run(struct search *s)
{
	struct explore_steps *p = &s->steps;
	enum ending ending = ENDED;
	s->is_new = s->prefix == 0;
	steps_begin(p, s->instructions);
	for (size_t i = 0; i < s->prefix; i++) {
		snag_tid t = s->node[i].tries[s->node[i].at];
		s->is_new = i + 1 == s->prefix;
		if (s->is_new && !steps_can(p, t))
			return IMPOSSIBLE;
		take(s, t);
	}
	do {
		if (p->world.is_cut)
			return CUT;
		if (s->begin_again)
			return AGAIN;
		if (p->order.nevents % STEPS_BETWEEN_LOOKS == 0 && over(s))
			return STOPPED;
	} while (go_on(s, &ending));
	return ending;
}

/* Finds the next schedule: the deepest node that has a task to be tried.  Returns false if there
 * is none. */
static bool next(struct search *s, bool was_possible)
{
	for (size_t i = s->nnodes; i-- > 0; s->nnodes--) {
		struct node *d = &s->node[i];
		if (was_possible) {
			struct sleeper tried = {
				.task = d->tries[d->at],
				.footprint = order_footprint(&s->steps.order, (uint32_t)i)};
			size_t nbytes = tried.footprint.n * sizeof(*tried.owned);
			tried.owned = snag_alloc(nbytes);
			if (nbytes)
				memcpy(tried.owned, tried.footprint.access, nbytes);
			tried.footprint.access = tried.owned;
			sleep_add(d, tried);
		}
		was_possible = true;
		while (++d->at < d->ntries)
			if (!is_asleep(d, d->tries[d->at])) {
				s->prefix = i + 1;
				return true;
			}
		node_clear(d);
	}
	return false;
}

static void on_race(void *ctx, const struct order_race *race)
{
	struct search *s = ctx;
	if (!s->is_new)
		return;
	if (race->first.is_isolated != race->second.is_isolated &&
	    steps_mark(&s->steps, race->slot)) {
		s->begin_again = true;
		return;
	}
	record_race(&s->record, &s->steps, race);
}

static void on_fail(void *ctx, snag_tid task)
{
	struct search *s = ctx;
	if (s->is_new && s->steps.world.task[task].next.kind != SNAG_ACT_LIMIT)
		record_error(&s->record, &s->steps, task);
}

/* Whether to stop before the next schedule, and why. */
static enum snag_explore_gap limit(const struct search *s)
{
	const struct snag_explored *x = s->record.result;
	uint64_t most = s->options->schedules;
	if (most && x->schedules + x->redundant + x->cut >= most)
		return SNAG_EXPLORE_SCHEDULES;
	return over(s);
}

static void again(struct search *s)
{
	for (size_t i = 0; i < s->nnodes; i++)
		node_clear(&s->node[i]);
	s->nnodes = s->prefix = 0;
	s->begin_again = false;
	record_clear(&s->record);
}

static void count(struct search *s, enum ending ending)
{
	struct snag_explored *x = s->record.result;
	x->redundant += ending == REDUNDANT;
	x->cut += ending == CUT;
	if (ending == ENDED) {
		x->schedules++;
		record_end(&s->record, &s->steps);
	}
}

static void search(struct search *s)
{
	struct snag_explored *x = s->record.result;
	for (bool more = true; more;) {
		x->gap = limit(s);
		if (x->gap != SNAG_EXPLORE_COMPLETE)
			return;
		enum ending ending = run(s);
		if (ending == STOPPED)
			continue; /* the next look finds out why */
		if (ending == AGAIN) {
			again(s);
			continue;
		}
		count(s, ending);
		if (s->options->progress)
			s->options->progress(s->options->progress_ctx, x->events, -1);
		more = next(s, ending != IMPOSSIBLE);
	}
	if (x->cut)
		x->gap = SNAG_EXPLORE_STEPS_CUT;
}

void snag_explore(const struct snag_program *program, const struct snag_explore_options *options,
		  struct snag_explored *ret_explored)
{
	struct search s = {.options = options,
			   .instructions = options->steps ? options->steps : SNAG_EXPLORE_STEPS};
	*ret_explored = (struct snag_explored){0};
	s.begin = snag_seconds_now();
	record_init(&s.record, ret_explored);
	steps_init(&s.steps, program);
	s.steps.on_fail = on_fail;
	s.steps.order.on_race = on_race;
	s.steps.ctx = s.steps.order.ctx = &s;
	search(&s);
	record_conclude(&s.record);
	while (record_can_confirm(&s.record) && !over(&s))
		record_confirm(&s.record, &s.steps.world, s.instructions);
	ret_explored->seconds = snag_seconds_now() - s.begin;

	steps_done(&s.steps);
	record_done(&s.record);
	for (size_t i = 0; i < s.node_cap; i++) {
		node_clear(&s.node[i]);
		free(s.node[i].tries);
		free(s.node[i].sleep);
		free(s.node[i].looping);
	}
	free(s.node);
	free(s.first);
	free(s.in_v);
}
