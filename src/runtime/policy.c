/* SPDX-License-Identifier: Apache-2.0
 *
 * policy.c - who runs next, and for how long
 */
#include "runtime/policy.h"

#include "runtime/fail.h"
#include "runtime/memory.h"
#include "runtime/mute.h"
#include "runtime/options.h"
#include "runtime/record.h"
#include "runtime/sys.h"

#include <string.h>

enum policy { RANDOM, ROUND_ROBIN, PCT };
enum { GROWTH = 16, LONGEST = 1 << 21 }; /* turns: a part of the run so far, and a bound */
enum { SCHEDULE_MAX = 1 << 28, PCT_MAX_DEPTH = 64 };
enum { RACE = 2 }; /* the last turns of a schedule: one for each of the two accesses */

struct turn {
	uint32_t tid;
	int64_t events;
};

static enum policy policy;
static uint64_t state;	  /* of the generator */
static struct turn *turn; /* the schedule to follow */
static size_t nturns, next_turn;
static bool is_following;	       /* the turn that runs is turn[next_turn - 1] */
static uint64_t change[PCT_MAX_DEPTH]; /* PCT: at these events the priority drops */
static uint64_t total_events, lowest = UINT64_MAX / 2;

/* splitmix64 */
static uint64_t next_random(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15u);
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint64_t rt_policy_random(uint64_t n)
{
	return next_random() % n;
}

static bool schedule_number(const char **at, const char *end, int64_t *ret_number)
{
	int64_t number = 0;
	const char *s = *at;
	for (; s < end && *s >= '0' && *s <= '9' && number < INT64_MAX / 10 - 10; s++)
		number = 10 * number + (*s - '0');
	if (s == *at)
		return false;
	while (s < end && (*s == ' ' || *s == '\n'))
		s++;
	*at = s;
	*ret_number = number;
	return true;
}

static void schedule_parse(const char *text, size_t n)
{
	const char *end = text + n;
	turn = rt_alloc((n / 4 + 1) * sizeof(*turn)); /* a turn takes at least "0 1\n" */
	while (text < end) {
		int64_t tid, events;
		if (!schedule_number(&text, end, &tid) || !schedule_number(&text, end, &events) ||
		    tid > UINT32_MAX || nturns == n / 4 + 1)
			rt_fail("schedule: expected lines 'thread events'");
		turn[nturns++] = (struct turn){(uint32_t)tid, events};
	}
}

static void schedule_read(void)
{
	char *text = rt_sys_map(SCHEDULE_MAX);
	long n = text ? rt_sys_read_file(rt_options.schedule, text, SCHEDULE_MAX) : -1;
	if (n < 0)
		rt_fail("schedule: the file cannot be read");
	schedule_parse(text, (size_t)n);
	rt_sys_unmap(text, SCHEDULE_MAX);
}

void rt_policy_begin(void)
{
	state = (uint64_t)rt_options.seed;
	if (strcmp(rt_options.policy, "random") == 0)
		policy = RANDOM;
	else if (strcmp(rt_options.policy, "rr") == 0)
		policy = ROUND_ROBIN;
	else if (strcmp(rt_options.policy, "pct") == 0)
		policy = PCT;
	else
		rt_fail("policy: expected random, rr or pct");
	if (rt_options.quantum < 1 || rt_options.switch_in < 1 || rt_options.pct_events < 1 ||
	    rt_options.pct_depth < 0 || rt_options.pct_depth > PCT_MAX_DEPTH)
		rt_fail("quantum, switch_in, pct_depth or pct_events out of range");
	for (int64_t i = 0; i < rt_options.pct_depth; i++)
		change[i] = rt_policy_random((uint64_t)rt_options.pct_events);
	if (rt_options.schedule[0])
		schedule_read();
	if (rt_options.mute && nturns >= RACE)
		rt_mute_begin();
}

void rt_policy_new(struct rt_thread *t)
{
	t->priority = UINT64_MAX / 2 + 1 + next_random() / 2;
}

static struct rt_thread *scheduled(struct rt_thread *const *ready, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (ready[i]->tid == turn[next_turn].tid)
			return ready[i];
	rt_put(RT_NOTE, 0, next_turn, 0, RT_NOTE_DIVERGED);
	next_turn = nturns; /* from here on as the policy says */
	rt_options.hold &= rt.is_mute;
	return NULL;
}

static struct rt_thread *round_robin(struct rt_thread *const *ready, uint32_t n, uint32_t last)
{
	struct rt_thread *best = NULL;
	for (uint32_t i = 0; i < n; i++)
		if (!best || ready[i]->tid - last - 1 < best->tid - last - 1)
			best = ready[i];
	return best;
}

static struct rt_thread *highest(struct rt_thread *const *ready, uint32_t n)
{
	struct rt_thread *best = ready[0];
	for (uint32_t i = 1; i < n; i++)
		if (ready[i]->priority > best->priority)
			best = ready[i];
	return best;
}

uint32_t rt_policy_wanted(void)
{
	return next_turn < nturns ? turn[next_turn].tid : RT_ANYBODY;
}

bool rt_policy_follows(void)
{
	return is_following && rt_hot.fuel > 0;
}

/* The schedule has been followed to its end: everything stands still, to be looked at. */
static void hold(void)
{
	if (!rt_options.hold || !nturns)
		return;
	rt_put(RT_NOTE, 0, 0, 0, RT_NOTE_HELD);
	for (;;)
		rt_sys(SYS_pause, 0, 0, 0, 0, 0, 0);
}

struct rt_thread *rt_policy_choose(struct rt_thread *const *ready, uint32_t n,
				   const struct rt_thread *last)
{
	struct rt_thread *t = next_turn < nturns ? scheduled(ready, n) : NULL;
	if (t)
		return t;
	hold();
	switch (policy) {
	case ROUND_ROBIN:
		return round_robin(ready, n, last ? last->tid : 0);
	case PCT:
		return highest(ready, n);
	default:
		return ready[rt_policy_random(n)];
	}
}

static int64_t until_change(void)
{
	uint64_t least = (uint64_t)rt_options.quantum;
	for (int64_t i = 0; i < rt_options.pct_depth; i++)
		if (change[i] > total_events && change[i] - total_events < least)
			least = change[i] - total_events;
	return (int64_t)least;
}

static int64_t random_length(void)
{
	uint64_t mean = (uint64_t)rt_options.quantum + total_events / GROWTH;
	return 1 + (int64_t)rt_policy_random(2 * (mean < LONGEST ? mean : LONGEST));
}

int64_t rt_policy_fuel(const struct rt_thread *t)
{
	is_following = next_turn < nturns && turn[next_turn].tid == t->tid;
	if (is_following && nturns - next_turn <= RACE)
		rt_mute_end();
	if (is_following)
		return turn[next_turn++].events;
	switch (policy) {
	case ROUND_ROBIN:
		return rt_options.quantum;
	case PCT:
		return until_change();
	default:
		return random_length();
	}
}

/* A switch costs microseconds, and a program that takes locks all the time has millions of places for
 * one.  So switches become rarer as a run gets longer: N such places have on average about
 * (MANY / switch_in) ln(N / MANY) switches from the first MANY on. */
bool rt_policy_at_sync(void)
{
	enum { MANY = 1 << 16 };
	static uint64_t places;
	if (policy != RANDOM || next_turn != nturns)
		return false;
	uint64_t rarer = 1 + places++ / MANY;
	return rt_policy_random((uint64_t)rt_options.switch_in * rarer) == 0;
}

void rt_policy_yielded(struct rt_thread *t)
{
	t->priority = lowest--;
}

/* A thread that stops before its turn is over, but waits for no other one (it sleeps, or is
 * in a system call), goes on with the rest of it. */
static void follow_rest(const struct rt_thread *t, uint64_t events)
{
	bool waits = t->state == RT_DONE || (t->state == RT_BLOCKED && t->waits_for);
	if (is_following && !waits && (uint64_t)turn[next_turn - 1].events > events)
		turn[--next_turn].events -= (int64_t)events;
	is_following = false;
}

void rt_policy_used(struct rt_thread *t, uint64_t events)
{
	follow_rest(t, events);
	for (int64_t i = 0; policy == PCT && i < rt_options.pct_depth; i++)
		if (change[i] > total_events && change[i] <= total_events + events)
			rt_policy_yielded(t);
	total_events += events;
}
