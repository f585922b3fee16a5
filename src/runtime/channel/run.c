/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - what a loop does again
 */
#include "runtime/channel/run.h"

#include "runtime/options.h"
#include "runtime/channel/record.h"

enum { SEEN = 2 * RT_RUN_MAX, PLACES = 64, WORD = 8 };
enum { VAIN = 128, REST_MAX = 4096 }; /* accesses */

struct rt_run rt_run;
static struct rt_step seen[SEEN];
static uint64_t last[PLACES];
static uint64_t n = SEEN, first = SEEN; /* accesses, and the first behind the last run */
static uint64_t period, matched;	/* how many were one period behind their like */
static uint32_t vain, rest = VAIN;	/* accesses since the last run or rest; the next one */

void rt_run_put(unsigned run_period, uint32_t events)
{
	first = n;
	matched = 0;
	rt_put(RT_AGAIN, run_period, 0, 0, events);
}

void rt_run_end(void)
{
	uint32_t events = rt.channel->run_events;
	rt_run.is_open = false;
	first = n;
	matched = 0;
	if (events)
		rt_run_put(rt_run.period, events);
	rt.channel->run_events = 0;
}

void rt_run_forget(void)
{
	rt_run.is_open = false;
	first = n;
	matched = 0;
}

static void run_begin(void)
{
	for (uint32_t i = 0; i < period; i++) {
		const struct rt_step *now = &seen[(n - period + i) % SEEN];
		const struct rt_step *before = &seen[(n - 2 * period + i) % SEEN];
		struct rt_run_step *s = &rt_run.step[i];
		*s = (struct rt_run_step){.next = *now,
					  .stride = now->what - before->what,
					  .fuel_step = now->fuel - before->fuel};
		s->next.what += s->stride;
		s->next.fuel += s->fuel_step;
	}
	rt_run.period = (uint32_t)period;
	rt_run.at = 0;
	rt.channel->run_period = rt_run.period;
	rt.channel->run_at = rt.written;
	rt_run.is_open = true;
	vain = 0;
	rest = VAIN;
}

static void rest_begin(void)
{
	rt_run.rest = rest;
	rest = rest < REST_MAX ? 2 * rest : REST_MAX;
	vain = 0;
	first = n;
	matched = 0;
}

/* [begin] Of one access. */
static bool is_as_far_again(uint64_t at)
{
	const struct rt_step *a = &seen[at % SEEN], *b = &seen[(at - period) % SEEN];
	const struct rt_step *c = &seen[(at - 2 * period) % SEEN];
	return a->pc == b->pc && a->caller == b->caller && b->pc == c->pc &&
	       b->caller == c->caller && a->what - b->what == b->what - c->what &&
	       a->fuel - b->fuel == b->fuel - c->fuel &&
	       !((a->what ^ b->what) & ~RT_ADDRESS_MASK) &&
	       !((b->what ^ c->what) & ~RT_ADDRESS_MASK);
}

/* The halves of one access of 16 bytes are different places. */
static uint64_t place_of(uint64_t what, uintptr_t pc)
{
	uint64_t half = what >> RT_SIZE_SHIFT == WORD ? what & WORD : 0;
	return (pc ^ half << 2) % PLACES;
}

void rt_run_note(uint64_t what, uintptr_t pc, uint64_t fuel, uint32_t caller)
{
	if (rt_run.rest) {
		rt_run.rest--;
		return;
	}
	uint64_t at = n++, *place = &last[place_of(what, pc)], distance = at - *place;
	*place = at;
	seen[at % SEEN] = (struct rt_step){what, pc, fuel, caller};
	if (++vain == VAIN) {
		rest_begin();
		return;
	}
	if (distance > RT_RUN_MAX || at < first + 2 * distance) {
		matched = 0;
		return;
	}
	if (distance != period)
		matched = 0;
	period = distance;
	matched = is_as_far_again(at) ? matched + 1 : 0;
	if (matched >= period && rt_options.runs)
		run_begin();
}
