/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - accesses of a loop that the recorder can derive from earlier ones
 */
#include "runtime/channel/run.h"

#include "runtime/options.h"
#include "runtime/channel/record.h"

enum { WORD = 8 };
enum { VAIN = 128, REST_MAX = 4096 }; /* accesses */

struct rt_run rt_run;

void rt_run_init(struct rt_run *run, struct rt_open_run *open)
{
	*run = (struct rt_run){
		.open = open, .n = RT_RUN_SEEN, .first = RT_RUN_SEEN, .rest_after = VAIN};
}

void rt_run_end(void)
{
	const uint32_t events = rt_run.open->events;
	rt_run.is_open = false;
	rt_run_forget(&rt_run);
	if (events)
		rt_put(RT_AGAIN, rt_run.period, 0, 0, events);
	rt_run.open->events = 0;
}

static void run_begin(struct rt_run *run, uint64_t written)
{
	const uint64_t period = run->distance;
	for (uint32_t i = 0; i < period; i++) {
		const struct rt_step *now = &run->seen[(run->n - period + i) % RT_RUN_SEEN];
		const struct rt_step *before = &run->seen[(run->n - 2 * period + i) % RT_RUN_SEEN];
		struct rt_run_step *s = &run->step[i];
		*s = (struct rt_run_step){.next = *now,
					  .stride = now->what - before->what,
					  .fuel_step = now->fuel - before->fuel};
		s->next.what += s->stride;
		s->next.fuel += s->fuel_step;
	}
	run->period = (uint32_t)period;
	run->at = 0;
	run->open->period = run->period;
	run->open->at = written;
	run->is_open = true;
	run->vain = 0;
	run->rest_after = VAIN;
}

static void rest_begin(struct rt_run *run)
{
	run->rest = run->rest_after;
	run->rest_after = run->rest < REST_MAX ? 2 * run->rest : REST_MAX;
	run->vain = 0;
	rt_run_forget(run);
}

/* [begin] The same test for one access. */
static bool is_as_far_again(const struct rt_run *run, uint64_t at)
{
	const struct rt_step *a = &run->seen[at % RT_RUN_SEEN];
	const struct rt_step *b = &run->seen[(at - run->distance) % RT_RUN_SEEN];
	const struct rt_step *c = &run->seen[(at - 2 * run->distance) % RT_RUN_SEEN];
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
	return (pc ^ half << 2) % RT_RUN_PLACES;
}

void rt_run_look(struct rt_run *run, uint64_t what, uintptr_t pc, uint64_t fuel, uint32_t caller,
		 uint64_t written)
{
	uint64_t at = run->n++, *place = &run->last[place_of(what, pc)];
	uint64_t distance = at - *place;
	*place = at;
	run->seen[at % RT_RUN_SEEN] = (struct rt_step){what, pc, fuel, caller};
	if (++run->vain == VAIN) {
		rest_begin(run);
		return;
	}
	if (distance > RT_RUN_MAX || at < run->first + 2 * distance) {
		run->matched = 0;
		return;
	}
	if (distance != run->distance)
		run->matched = 0;
	run->distance = distance;
	run->matched = is_as_far_again(run, at) ? run->matched + 1 : 0;
	if (run->matched >= distance && rt_options.runs)
		run_begin(run, written);
}
