/* SPDX-License-Identifier: Apache-2.0
 *
 * policy.c - which thread runs next, and for how long
 */
#include "runtime/sched/policy.h"

#include "runtime/interpose/answers.h"
#include "runtime/fail.h"
#include "runtime/memory.h"
#include "runtime/channel/mute.h"
#include "runtime/sched/names.h"
#include "runtime/sched/race_values.h"
#include "runtime/interpose/object.h"
#include "runtime/options.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/walk.h"
#include "runtime/sys.h"
#include "runtime/interpose/thread.h"

#include <string.h>

enum policy { RANDOM, ROUND_ROBIN, PCT, WALK };
enum { WALK_EVENTS = 1 };		 /* how many events a turn of a walk has */
enum { GROWTH = 16, LONGEST = 1 << 21 }; /* turns: a part of the run so far, and a bound */
enum { SCHEDULE_MAX = 1 << 28, PCT_MAX_DEPTH = 64 };
enum { RACE = 2 }; /* the last turns of a schedule: one for each of the two accesses */

struct turn {
	uint32_t name; /* the thread's name: names.h */
	int64_t events;
};

static enum policy policy;
static enum rt_walk walk; /* with WALK: which kind */
static uint64_t state;	  /* the state of the random generator */
static struct turn *turn; /* the schedule to follow */
static size_t nturns, next_turn;
static bool is_following;	       /* the turn that runs is turn[next_turn - 1] */
static bool is_awaited;		       /* the turn belongs to a thread that turn[next_turn] joins */
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

/* A line "+thread creator index". */
static bool name_parse(const char **at, const char *end)
{
	int64_t number[3];
	++*at;
	for (int i = 0; i < 3; i++)
		if (!schedule_number(at, end, &number[i]) || number[i] > UINT32_MAX)
			return false;
	rt_walk_parent((uint32_t)number[0], (uint32_t)number[1]);
	return rt_names_declare((uint32_t)number[0], (uint32_t)number[1], (uint32_t)number[2]);
}

/* A line "=thread events". */
static bool weight_parse(const char **at, const char *end)
{
	int64_t name, events;
	++*at;
	if (!schedule_number(at, end, &name) || !schedule_number(at, end, &events) ||
	    name > RT_NAME_MAX)
		return false;
	rt_walk_declare((uint32_t)name, events);
	return true;
}

/* A line "thread events". */
static bool turn_parse(const char **at, const char *end)
{
	int64_t name, events;
	if (!schedule_number(at, end, &name) || !schedule_number(at, end, &events) ||
	    name > UINT32_MAX)
		return false;
	turn[nturns++] = (struct turn){(uint32_t)name, events};
	return true;
}

/* A line "@thread time". */
static bool answer_parse(const char **at, const char *end)
{
	int64_t name, value;
	++*at;
	if (!schedule_number(at, end, &name) || !schedule_number(at, end, &value) ||
	    name > RT_NAME_MAX)
		return false;
	rt_answers_add((uint32_t)name, value);
	return true;
}

static void schedule_parse(const char *text, size_t n)
{
	const char *end = text + n;
	uint32_t nnames = 0;
	bool is_right = true;
	for (size_t i = 0; i < n; i++)
		nnames += text[i] == '+';
	rt_names_expect(nnames);
	turn = rt_alloc((n / 3 + 1) * sizeof(*turn)); /* a turn takes at least "0 1", the last */
	while (text < end && is_right)
		is_right = *text == '+'	  ? name_parse(&text, end)
			   : *text == '@' ? answer_parse(&text, end)
			   : *text == '=' ? weight_parse(&text, end)
					  : turn_parse(&text, end);
	if (!is_right)
		rt_fail("schedule: expected lines 'thread events', '+thread creator index' or "
			"'@thread time'");
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

/* PCT: an event at which the priority changes. */
static uint64_t change_place(void)
{
	enum { MAGNITUDES = 20 };
	if (rt_options.pct_events)
		return rt_policy_random((uint64_t)rt_options.pct_events);
	uint64_t least = 1ull << rt_policy_random(MAGNITUDES);
	return least + rt_policy_random(least);
}

static void policy_choose(void)
{
	static const char *const name[] = {"random", "rr", "pct"}, *const walk_name[] = {
									   "pos", "surw", "stay"};
	for (int i = 0; i < WALK; i++)
		if (strcmp(rt_options.policy, name[i]) == 0) {
			policy = (enum policy)i;
			return;
		}
	for (int i = 0; i < RT_WALKS; i++)
		if (strcmp(rt_options.policy, walk_name[i]) == 0) {
			policy = WALK;
			walk = (enum rt_walk)i;
			return;
		}
	rt_fail("policy: expected random, rr, pct, pos, surw or stay");
}

void rt_policy_begin(void)
{
	state = (uint64_t)rt_options.seed;
	total_events = 0;
	policy_choose();
	if (rt_options.quantum < 1 || rt_options.switch_in < 1 || rt_options.pct_events < 0 ||
	    rt_options.pct_depth < 0 || rt_options.pct_depth > PCT_MAX_DEPTH)
		rt_fail("quantum, switch_in, pct_depth or pct_events out of range");
	for (int64_t i = 0; i < rt_options.pct_depth; i++)
		change[i] = change_place();
	if (rt_options.schedule[0])
		schedule_read();
	if (rt_options.mute && nturns >= RACE)
		rt_mute_begin();
}

void rt_policy_forked(void)
{
	nturns = next_turn = 0;
	is_following = is_awaited = false;
	rt_options.schedule[0] = 0;
	rt_options.mute = rt_options.hold = 0;
}

void rt_policy_new(struct rt_thread *t)
{
	t->sched.priority = UINT64_MAX / 2 + 1 + next_random() / 2;
}

bool rt_policy_is_scheduled(void)
{
	return next_turn < nturns;
}

static bool joins(const struct rt_thread *t)
{
	return t->state == RT_BLOCKED && t->wait.object && t->wait.object->kind == RT_THREAD;
}

struct rt_thread *rt_policy_wanted(void)
{
	struct rt_thread *t = rt_names_find(turn[next_turn].name);
	for (uint32_t i = 0; i < rt_sched.nthreads && t && joins(t); i++)
		t = rt_thread_at(t->wait.object->need);
	return t;
}

static enum rt_stuck stuck(const struct rt_thread *t)
{
	if (!t || t->state == RT_DONE)
		return RT_STUCK_MISSING;
	const struct rt_object *o = t->wait.object;
	return o && (o->kind == RT_MUTEX || o->kind == RT_RWLOCK) ? RT_STUCK_LOCK : RT_STUCK_WAITS;
}

/* Skips a turn without events if its thread cannot run: it changes nothing.  Parallel runs have
 * such turns, where a thread ends after the last event of all others. */
static struct rt_thread *scheduled(void)
{
	struct rt_thread *t = rt_policy_wanted();
	while (!(t && t->state == RT_READY) && turn[next_turn].events == 0) {
		if (++next_turn == nturns)
			return NULL;
		t = rt_policy_wanted();
	}
	if (t && t->state == RT_READY)
		return t;
	enum rt_stuck why = stuck(t);
	rt_put(RT_NOTE, why, next_turn, why == RT_STUCK_LOCK ? t->wait.at : 0, RT_NOTE_DIVERGED);
	next_turn = nturns; /* the policy chooses from here on */
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
		if (ready[i]->sched.priority > best->sched.priority)
			best = ready[i];
	return best;
}

bool rt_policy_follows(void)
{
	return (is_following || is_awaited) && rt_hot.fuel > 0;
}

unsigned rt_policy_race_turn(void)
{
	size_t left = nturns - next_turn;
	return is_following && nturns >= RACE && left < RACE ? (unsigned)(RACE - left) : 0;
}

struct rt_thread *rt_policy_last(void)
{
	return nturns ? rt_names_find(turn[nturns - 1].name) : NULL;
}

/* The run has followed the schedule to its end: all threads stand still, for a debugger. */
static void hold(void)
{
	if (!rt_options.hold || !nturns)
		return;
	rt_put(RT_NOTE, 0, 0, 0, RT_NOTE_HELD);
	for (;;)
		rt_sys(SYS_pause, 0, 0, 0, 0, 0, 0);
}

/* The schedule is over.  Returns which thread counts as the last that ran: the same one, whichever
 * of the two accesses came first. */
static const struct rt_thread *race_over(const struct rt_thread *last)
{
	static bool is_over;
	if (is_over || !rt_options.effect || nturns < RACE)
		return last;
	is_over = true;
	rt_race_values_put();
	const struct rt_thread *a = rt_names_find(turn[nturns - 1].name);
	const struct rt_thread *b = rt_names_find(turn[nturns - 2].name);
	return !a || !b ? last : a->tid < b->tid ? a : b;
}

struct rt_thread *rt_policy_choose(struct rt_thread *const *ready, uint32_t n,
				   const struct rt_thread *last)
{
	struct rt_thread *t = next_turn < nturns ? scheduled() : NULL;
	if (t)
		return t;
	last = race_over(last);
	hold();
	switch (policy) {
	case ROUND_ROBIN:
		return round_robin(ready, n, last ? last->tid : 0);
	case PCT:
		return highest(ready, n);
	case WALK:
		return rt_walk_choose(walk, ready, n, last);
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
	is_following = next_turn < nturns && turn[next_turn].name == t->name;
	is_awaited = next_turn < nturns && !is_following;
	if (is_following && nturns - next_turn <= RACE)
		rt_mute_end();
	if (is_following)
		return turn[next_turn++].events;
	switch (policy) {
	case ROUND_ROBIN:
		return rt_options.quantum;
	case PCT:
		return until_change();
	case WALK:
		return WALK_EVENTS;
	default:
		return random_length();
	}
}

/* A switch costs microseconds, and a program that takes locks all the time has millions of places
 * for one.  So switches become rarer as a run gets longer: N such places have on average about
 * (MANY / switch_in) ln(N / MANY) switches from the first MANY on. */
bool rt_policy_at_sync(const struct rt_thread *t)
{
	enum { MANY = 1 << 16 };
	static uint64_t places;
	if (next_turn != nturns || policy == ROUND_ROBIN || policy == WALK)
		return false;
	if (policy == PCT)
		return rt_sched.nready &&
		       highest(rt_sched.ready, rt_sched.nready)->sched.priority > t->sched.priority;
	uint64_t rarer = 1 + places++ / MANY;
	return rt_policy_random((uint64_t)rt_options.switch_in * rarer) == 0;
}

bool rt_policy_child_first(const struct rt_thread *t, const struct rt_thread *child)
{
	if (next_turn != nturns || policy == ROUND_ROBIN || policy == WALK)
		return false;
	return policy == PCT ? child->sched.priority > t->sched.priority : rt_policy_random(2) == 0;
}

void rt_policy_yielded(struct rt_thread *t)
{
	t->sched.priority = lowest--;
}

/* If a thread stops before its turn is over, because it sleeps, is in a system call, or joins a
 * thread, it later continues with the rest of the turn.  A thread that it joins ends first. */
static void follow_rest(const struct rt_thread *t, uint64_t events)
{
	bool waits = t->state == RT_DONE || (t->state == RT_BLOCKED && t->wait.object && !joins(t));
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
