/* SPDX-License-Identifier: Apache-2.0
 *
 * joins.c - what tasks have waited for beyond structure: promises
 */
#include "order/joins.h"

#include "base/memory.h"

#include <string.h>

enum { KNOWN = 1 << 14 };

void snag_joins_init(struct snag_joins *j, struct snag_dpst *tree)
{
	*j = (struct snag_joins){.tree = tree, .visited_min = UINT32_MAX, .njoins = 1};
	j->join = snag_huge_grow(NULL, &j->join_cap, 1, sizeof(*j->join));
}

void snag_joins_done(struct snag_joins *j)
{
	snag_huge_free(j->join, j->join_cap, sizeof(*j->join));
	snag_huge_free(j->promise, j->promise_cap, sizeof(*j->promise));
	free(j->known);
	free(j->queue);
}

void snag_joins_reserve(struct snag_joins *j, size_t npromises)
{
	j->promise = snag_huge_grow(j->promise, &j->promise_cap, npromises, sizeof(*j->promise));
}

void snag_joins_restart(struct snag_joins *j, uint32_t step)
{
	j->retired += j->njoins - 1;
	j->njoins = 1;
	for (size_t i = 0; i < j->promise_cap; i++)
		if (j->promise[i].step)
			j->promise[i] = (struct snag_promise_set){.step = step};
	if (j->known)
		memset(j->known, 0, KNOWN * sizeof(*j->known));
}

static uint32_t join_new(struct snag_joins *j, uint32_t kind, uint32_t id, uint32_t next,
			 uint32_t latest)
{
	j->join = snag_huge_grow(j->join, &j->join_cap, j->njoins + 1, sizeof(*j->join));
	if (j->join[next].latest > latest)
		latest = j->join[next].latest;
	j->join[j->njoins] = (struct snag_join){
		.what = kind << SNAG_JOIN_SHIFT | id, .next = next, .latest = latest};
	return (uint32_t)j->njoins++;
}

void snag_joins_set(struct snag_joins *j, uint32_t promise, uint32_t step, uint32_t list)
{
	j->promise[promise] = (struct snag_promise_set){step, list};
}

/* If the list begins with a promise of the same task as `step`, returns the step that set it;
 * otherwise 0. */
static uint32_t front_set(const struct snag_joins *j, uint32_t list, uint32_t step)
{
	const struct snag_dpst *t = j->tree;
	uint32_t what = j->join[list].what, front;
	if (!list || what >> SNAG_JOIN_SHIFT != SNAG_JOIN_PROMISE)
		return 0;
	front = j->promise[what & SNAG_JOIN_ID].step;
	return snag_dpst_task(t, t->step[front]) == snag_dpst_task(t, t->step[step]) ? front : 0;
}

uint32_t snag_joins_get(struct snag_joins *j, uint32_t list, uint32_t promise) /* [newest] */
{
	uint32_t step = j->promise[promise].step, front = front_set(j, list, step);
	if (front > step)
		return list;
	return join_new(j, SNAG_JOIN_PROMISE, promise, front ? j->join[list].next : list, step);
}

uint32_t snag_joins_merge(struct snag_joins *j, uint32_t list, uint32_t other)
{
	if (list == 0 || other == 0)
		return list ? list : other;
	return join_new(j, SNAG_JOIN_LIST, other, list, j->join[other].latest);
}

uint32_t snag_joins_sync(struct snag_joins *j, uint32_t list, uint32_t block)
{
	return join_new(j, SNAG_JOIN_BLOCK, block, list, (uint32_t)j->tree->nsteps);
}

/* Returns whether a sync of the block, at the time when the next step was `time`, waited for
 * step a. */
static bool block_has(const struct snag_dpst *t, uint32_t block, uint32_t time, uint32_t a)
{
	uint32_t n = t->step[a], child, other;
	if (n == block || snag_dpst_meet(t, n, block, &child, &other) != block || !child)
		return false;
	return t->node[child].kind == SNAG_DPST_SPAWN && t->node[child].time < time &&
	       snag_dpst_is_within(t, n, child);
}

struct search {
	size_t next, end; /* of the queue */
	uint32_t a;
};

static bool is_left(struct snag_joins *j, const struct search *s, uint32_t list)
{
	const struct snag_join *join = &j->join[list];
	return list && join->latest >= s->a && join->seen != j->search;
}

static void search_later(struct snag_joins *j, struct search *s, uint32_t list)
{
	if (!is_left(j, s, list))
		return;
	j->queue = snag_grow(j->queue, &j->queue_cap, s->end + 1, sizeof(*j->queue));
	j->queue[s->end++] = list;
}

static void search_next(struct snag_joins *j, struct search *s, uint32_t list)
{
	if (s->next == 0)
		search_later(j, s, list);
	else if (is_left(j, s, list))
		j->queue[--s->next] = list;
}

/* Whether the task that sets a promise created that of step a, directly or not. */
static bool is_below(const struct snag_dpst *t, uint32_t a, uint32_t set)
{
	uint32_t n = t->step[a], top = t->step[set], child, other;
	return n == top || snag_dpst_meet(t, n, top, &child, &other) == top;
}

/* Compares the promises on one list, and queues the lists behind them. */
static bool list_search(struct snag_joins *j, struct search *s, uint32_t list)
{
	for (uint32_t i = list; i; i = j->join[i].next) {
		struct snag_join *join = &j->join[i];
		uint32_t id = join->what & SNAG_JOIN_ID;
		if (join->latest < s->a || join->seen == j->search)
			break;
		join->seen = j->search;
		switch (join->what >> SNAG_JOIN_SHIFT) {
		case SNAG_JOIN_PROMISE: {
			struct snag_promise_set set = j->promise[id];
			if (set.step >= s->a && snag_dpst_precedes(j->tree, s->a, set.step))
				return true;
			if (set.step >= s->a && is_left(j, s, set.list) &&
			    is_below(j->tree, s->a, set.step)) { /* [below] */
				search_later(j, s, join->next);
				search_next(j, s, set.list);
				return false;
			}
			search_later(j, s, set.list);
			break;
		}
		case SNAG_JOIN_LIST:
			search_later(j, s, id);
			break;
		case SNAG_JOIN_BLOCK:
			if (block_has(j->tree, id, join->latest, s->a))
				return true;
			break;
		}
	}
	return false;
}

static bool search(struct snag_joins *j, uint32_t list, uint32_t a)
{
	struct search s = {.a = a};
	bool found = false;
	uint32_t visited = 0;
	if (++j->search == 0) { /* after 4 billion searches the stamps repeat */
		for (size_t i = 0; i < j->njoins; i++)
			j->join[i].seen = 0;
		j->search = 1;
	}
	search_later(j, &s, list);
	for (; s.next < s.end && !found; visited++)
		found = list_search(j, &s, j->queue[s.next++]);
	j->searched++;
	j->visited += visited;
	if (visited < j->visited_min)
		j->visited_min = visited;
	if (visited > j->visited_max)
		j->visited_max = visited;
	return found;
}

bool snag_joins_has(struct snag_joins *j, uint32_t list, uint32_t a)
{
	if (!list || j->join[list].latest < a)
		return false;
	if (!j->known)
		j->known = snag_calloc(KNOWN, sizeof(*j->known));
	uint32_t node = j->tree->step[a];
	struct snag_joins_known *k =
		&j->known[(list * UINT32_C(0x9e3779b1) ^ node * UINT32_C(0x85ebca6b)) >> 18];
	j->asked++;
	if (k->list != list || k->node != node)
		*k = (struct snag_joins_known){list, node, 0, UINT32_MAX};
	if (a <= k->yes || a >= k->no)
		return a <= k->yes;
	bool found = search(j, list, a);
	if (found)
		k->yes = a;
	else
		k->no = a;
	return found;
}
