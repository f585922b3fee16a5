/* SPDX-License-Identifier: Apache-2.0
 *
 * contended.c - which variables a detector has to look at
 */
#include "detect/slice/contended_access.h"

struct snag_contended *snag_contended_new(unsigned wants)
{
	struct snag_contended *c = snag_calloc(1, sizeof(*c));
	c->wants = wants;
	c->acting = SNAG_NO_ID;
	snag_clocks_init(&c->hb);
	snag_kept_order_init(&c->kept);
	snag_kept_order_init(&c->likely);
	snag_arrays_take(&c->readers, READERS_LEAST,
			 sizeof(struct contended_reader)); /* none begins at 0 */
	return c;
}

void snag_contended_free(struct snag_contended *c)
{
	if (!c)
		return;
	snag_huge_free(c->x, c->x_cap, sizeof(*c->x));
	snag_arrays_done(&c->readers, sizeof(struct contended_reader));
	snag_clocks_done(&c->hb);
	snag_kept_order_done(&c->kept);
	snag_kept_order_done(&c->likely);
	free(c->pending);
	free(c->nlikely);
	for (size_t i = 0; i < c->held_cap; i++)
		free(c->held[i].at);
	free(c->held);
	snag_huge_free(c->guard, c->guard_cap, sizeof(*c->guard));
	free(c);
}

struct snag_contended_counts snag_contended_counts(const struct snag_contended *c)
{
	struct snag_contended_counts counts = c->counts;
	counts.events += counts.in_runs;
	return counts;
}

uint32_t snag_contended_variables(const struct snag_contended *c)
{
	uint32_t n = 0;
	for (size_t v = 0; v < c->nvariables; v++)
		n += contended_wanted(c, &c->x[v]) != 0;
	return n;
}

unsigned snag_contended_wanted(const struct snag_contended *c, uint32_t variable)
{
	return variable < c->nvariables ? contended_wanted(c, &c->x[variable]) : 0;
}

bool snag_contended_is_in_slice(const struct snag_contended *c, uint32_t variable)
{
	return variable < c->nvariables && contended_is_in_slice(c, &c->x[variable]);
}

bool snag_contended_is_counter(const struct snag_contended *c, uint32_t variable)
{
	return variable < c->nvariables && contended_is_counter(c, &c->x[variable]) &&
	       !contended_wanted(c, &c->x[variable]);
}

static void event_take(struct snag_contended *c, const struct snag_event *ev, uint32_t event)
{
	switch (ev->op) {
	case SNAG_OP_READ:
	case SNAG_OP_WRITE:
		c->counts.accesses++;
		contended_access(c, ev->target, ev->thread, ev->op == SNAG_OP_WRITE, event,
				 ev->loc);
		break;
	case SNAG_OP_BRANCH:
	case SNAG_OP_BEGIN:
	case SNAG_OP_END:
	case SNAG_OP_DEPENDS:
		break;
	default:
		contended_sync(c, ev, event);
	}
}

enum { SLOW_ROUNDS = 64 };

/* How many accesses of a step of a loop, from the first, are quick; at most n. */
static uint32_t step_quick(struct snag_contended *c, const struct snag_event *ev, uint32_t stride,
			   uint32_t n)
{
	const struct contended_variable *const all = c->x;
	const snag_tid t = ev->thread;
	uint32_t variable = ev->target, i = 0;
	if (!snag_op_is_access(ev->op))
		return 0;
	n = stride == 0 && n > 1 ? 1 : n;
	if (ev->op == SNAG_OP_WRITE)
		for (; i < n && write_is_quick(c, &all[variable], t); i++)
			variable += stride;
	else
		for (; i < n && read_is_quick(c, &all[variable], t); i++)
			variable += stride;
	return i == n && stride == 0 ? UINT32_MAX : i;
}

/* Makes n accesses of a step, which are quick; `event` is the number of the first, the others
 * follow `period` events apart. */
static void step_take(struct snag_contended *c, const struct snag_event *ev, uint32_t stride,
		      uint32_t n, uint32_t event, uint32_t period)
{
	struct contended_variable *const all = c->x;
	const snag_tid t = ev->thread;
	uint32_t variable = ev->target;
	if (stride == 0 && n > 1) {
		event += (n - 1) * period;
		n = 1;
	}
	for (uint32_t i = 0; i < n; i++)
		variable_mark(c, variable + stride * i, ev->op == SNAG_OP_WRITE);
	if (ev->op == SNAG_OP_WRITE)
		for (uint32_t i = 0; i < n; i++, variable += stride, event += period)
			write_quickly(&all[variable], t, event);
	else
		for (uint32_t i = 0; i < n; i++, variable += stride, event += period)
			read_quickly(c, &all[variable], t, event);
}

/* Processes the rounds of a loop, from the first, in which all accesses are quick; returns their
 * number.  A thread learns nothing from quick accesses, so they are processed step by step:
 * first the writes, so that reads of what the loop wrote before are not forgotten. */
static uint32_t rounds_quick(struct snag_contended *c, const struct snag_steps *s, uint32_t rounds,
			     uint32_t event)
{
	for (uint32_t i = 0; i < s->period && rounds > 0; i++) {
		uint32_t quick = step_quick(c, &s->next[i], s->stride[i], rounds);
		rounds = quick < rounds ? quick : rounds;
	}
	for (int op = SNAG_OP_WRITE, k = 0; rounds > 0 && k < 2; op = SNAG_OP_READ, k++)
		for (uint32_t i = 0; i < s->period; i++)
			if (s->next[i].op == op)
				step_take(c, &s->next[i], s->stride[i], rounds, event + i,
					  s->period);
	c->counts.accesses += (uint64_t)rounds * s->period;
	return rounds;
}

/* The events of a run, of which s->at is 0. */
static void run_take(struct snag_contended *c, struct snag_steps s, uint32_t n, uint32_t event)
{
	if (c->acting != s.next[0].thread)
		acting_change(c, s.next[0].thread);
	while (n > 0) {
		uint32_t quick = n / s.period;
		if (c->npending == 0 && quick > 0) {
			quick = rounds_quick(c, &s, quick, event) * s.period;
			snag_steps_skip(&s, quick);
			event += quick;
			n -= quick;
		}
		uint32_t slow = n < SLOW_ROUNDS * s.period ? n : SLOW_ROUNDS * s.period;
		n -= slow;
		for (; slow > 0; slow--) {
			struct snag_event ev = snag_steps_next(&s);
			event_take(c, &ev, event++);
		}
	}
}

/* [split] The new variable begins with the past of the one it was split off. */
static void splits_take(struct snag_contended *c, uint64_t number)
{
	for (; c->split < c->split_end && c->split->event <= number; c->split++) {
		struct contended_variable *x = &c->x[c->split->variable];
		*x = c->x[c->split->from];
		c->guard[c->split->variable] = c->guard[c->split->from];
		contended_readers_copy(c, x);
	}
}

static inline void walk_event(void *ctx, const struct snag_event *ev, uint64_t number)
{
	struct snag_contended *c = ctx;
	if (__builtin_expect(c->split < c->split_end, 0))
		splits_take(c, number);
	if (c->end - ev > AHEAD)
		__builtin_prefetch(&c->x[ev[AHEAD].target], 1);
	event_take(c, ev, (uint32_t)number);
}

static void walk_run(void *ctx, const struct snag_steps *steps, uint32_t n, uint64_t number)
{
	splits_take(ctx, number);
	run_take(ctx, *steps, n, (uint32_t)number);
	((struct snag_contended *)ctx)->counts.in_runs += n;
}

void snag_contended_batch(struct snag_contended *c, const struct snag_batch *batch)
{
	contended_reserve(c, batch);
	c->end = batch->ev + batch->n;
	c->split = batch->split;
	c->split_end = batch->split + batch->nsplits;
	snag_walk_batch(&c->walk, batch, walk_event, walk_run, c);
	splits_take(c, UINT64_MAX);
	c->counts.events += batch->n;
}
