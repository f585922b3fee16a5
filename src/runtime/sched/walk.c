/* SPDX-License-Identifier: Apache-2.0
 *
 * walk.c - policies that choose a thread before every event
 *
 * State.  thread->aim   the address that the thread accesses next; 0: it synchronises
 *         left[name]        surw: interesting events that the thread has left
 *         parent[name]      who creates it
 */
#include "runtime/sched/walk.h"

#include "runtime/options.h"
#include "runtime/sched/names.h"
#include "runtime/sched/policy.h"

enum { NAMES = 1024, WORD = 8 };

static uint64_t left[NAMES];
static uint32_t parent[NAMES];
static bool is_declared[NAMES], has_begun[NAMES];
static uint32_t nnames;

bool rt_walk_declare(uint32_t name, int64_t events)
{
	if (name >= NAMES)
		return false;
	left[name] = (uint64_t)events;
	is_declared[name] = true;
	nnames = name >= nnames ? name + 1 : nnames;
	return true;
}

void rt_walk_parent(uint32_t name, uint32_t creator)
{
	if (name < NAMES && creator < NAMES)
		parent[name] = creator;
}

static uint64_t fresh(void)
{
	return rt_policy_random(UINT64_MAX);
}

/* pos */

static bool conflict(uintptr_t a, uintptr_t b)
{
	return a > RT_AIM_UNKNOWN && a / WORD == b / WORD;
}

static struct rt_thread *pos_choose(struct rt_thread *const *ready, uint32_t n)
{
	struct rt_thread *best = ready[0];
	for (uint32_t i = 1; i < n; i++)
		if (ready[i]->sched.priority > best->sched.priority)
			best = ready[i];
	best->sched.priority = fresh();
	for (uint32_t i = 0; i < n; i++)
		if (ready[i] != best && conflict(ready[i]->sched.aim, best->sched.aim))
			ready[i]->sched.priority = fresh();
	return best;
}

/* surw */

static bool is_interesting(const struct rt_thread *t)
{
	if (t->sched.aim == RT_AIM_UNKNOWN)
		return false;
	return rt_options.focus ? t->sched.aim / WORD == (uintptr_t)rt_options.focus / WORD
				: t->sched.aim == 0;
}

/* Returns whether the thread, or one that creates it directly or indirectly, is `name`, and none in
 * between has begun. */
static bool is_to_come_from(uint32_t descendant, uint32_t name)
{
	uint32_t at = descendant;
	for (uint32_t i = 0; i < nnames && at != name; i++) {
		if (has_begun[at] || at == 0)
			return false;
		at = parent[at];
	}
	return at == name;
}

static uint64_t weight(const struct rt_thread *t)
{
	uint64_t sum = 1;
	if (t->name >= NAMES || !is_declared[t->name])
		return sum;
	sum += left[t->name];
	for (uint32_t i = 1; i < nnames; i++)
		if (i != t->name && is_declared[i] && !has_begun[i] && is_to_come_from(i, t->name))
			sum += left[i];
	return sum;
}

static struct rt_thread *surw_choose(struct rt_thread *const *ready, uint32_t n,
				     const struct rt_thread *last)
{
	uint64_t sum = 0;
	uint32_t dull = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (ready[i]->name < NAMES)
			has_begun[ready[i]->name] = true;
		if (is_interesting(ready[i]))
			continue;
		if (ready[i] == last)
			return ready[i];
		dull++;
	}
	uint64_t at = dull ? rt_policy_random(dull) : 0;
	for (uint32_t i = 0; dull && i < n; i++)
		if (!is_interesting(ready[i]) && at-- == 0)
			return ready[i];
	for (uint32_t i = 0; i < n; i++)
		sum += weight(ready[i]);
	at = rt_policy_random(sum);
	for (uint32_t i = 0;; i++) {
		uint64_t w = weight(ready[i]);
		if (at < w || i + 1 == n) {
			if (ready[i]->name < NAMES && left[ready[i]->name])
				left[ready[i]->name]--;
			return ready[i];
		}
		at -= w;
	}
}

/* stay */

static struct rt_thread *stay_choose(struct rt_thread *const *ready, uint32_t n,
				     const struct rt_thread *last)
{
	struct rt_thread *lowest = ready[0];
	for (uint32_t i = 0; i < n; i++) {
		if (ready[i] == last)
			return ready[i];
		if (ready[i]->tid < lowest->tid)
			lowest = ready[i];
	}
	return lowest;
}

struct rt_thread *rt_walk_choose(enum rt_walk walk, struct rt_thread *const *ready, uint32_t n,
				 const struct rt_thread *last)
{
	switch (walk) {
	case RT_WALK_POS:
		return pos_choose(ready, n);
	case RT_WALK_SURW:
		return surw_choose(ready, n, last);
	default:
		return stay_choose(ready, n, last);
	}
}
