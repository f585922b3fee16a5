/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_runs.c - turns the runs of the runtime into events, or into runs of a trace
 *
 * Idea.   RT_AGAIN says which accesses follow from the recorded ones (runtime/channel/run.h).  If
 *         each of them is one event, and the variables advance as evenly as the addresses, they are
 *         a run of the trace too (trace/runs.h).  Then no events are made, and only their cells
 *         are examined. Otherwise, for example in untouched memory, events are made round by
 *         round, and the accesses are examined again later.
 *         If an array was first accessed in pairs, its variables advance evenly only every
 *         second round.  So a run of the trace may span several rounds.
 */
#include "record/convert/convert_state.h"

/* Returns the step that comes i steps later; i is at most the period.  A division here would cost
 * more than all else in this file. */
static inline uint32_t step_at(const struct convert_again *again, uint32_t i)
{
	uint32_t at = again->at + i;
	return at < again->period ? at : at - again->period;
}

static void steps_skip(struct convert_again *again, uint32_t n)
{
	const uint32_t rounds = n / again->period, rest = n % again->period;
	for (uint32_t i = 0; i < again->period; i++) {
		struct convert_step *s = &again->step[step_at(again, i)];
		uint32_t times = rounds + (i < rest);
		s->next.what += s->stride * times;
		s->next.arg += s->fuel_step * times;
	}
	again->at = step_at(again, rest);
	again->left -= n;
}

/* Returns how many of the next accesses make one event each whose targets follow from those
 * before, k at a time, where k is some rounds; target[] has the last k of them. */
static uint32_t run_length(struct snag_convert *c, uint32_t rounds, uint32_t variable[],
			   uint32_t stride[])
{
	const struct convert_again *again = &c->again;
	const uint64_t ring = 2 * RT_RUN_MAX, k = again->period * rounds, n = c->seen.alone;
	uint64_t length = again->left, all = length / k, rest = length % k;
	if (n < 2 * k)
		return 0;
	for (uint32_t i = 0, at = again->at, round = 0; i < k && i < length; i++) {
		const struct convert_step *s = &again->step[at];
		uint32_t times = (uint32_t)(all + (i < rest));
		uint64_t addr = rt_record_address(&s->next) + s->stride * round;
		at = at + 1 == again->period ? 0 : at + 1;
		round += at == again->at;
		variable[i] = c->seen.target[(n - k + i) % ring];
		stride[i] = variable[i] - c->seen.target[(n - 2 * k + i) % ring];
		uint64_t known =
			snag_cells_known(c->cells, addr & RT_ADDRESS_MASK, s->stride * rounds,
					 rt_record_size(&s->next), c->thread,
					 variable[i] + stride[i], stride[i], times);
		if (known < times) {
			length = known * k + i;
			all = known;
			rest = i;
		}
	}
	return (uint32_t)length;
}

/* Puts the next accesses as a run, `rounds` at a time; returns false if they are none. */
static bool run_put(struct snag_convert *c, uint32_t rounds)
{
	uint32_t variable[RT_RUN_MAX], stride[RT_RUN_MAX], k = c->again.period * rounds;
	uint32_t n = run_length(c, rounds, variable, stride);
	if (n < MIN_ROUNDS * k)
		return false;
	if (c->options.keep_steps)
		snag_step_log_run(&c->steps, c->thread, k, n);
	c->run[c->nruns++] = (struct snag_repeat){.at = (uint32_t)c->n, .period = k, .n = n};
	c->in_runs += n;
	for (uint32_t i = n < 2 * k ? 0 : n - 2 * k; i < n; i++)
		c->seen.target[(c->seen.alone + i) % (2 * RT_RUN_MAX)] =
			variable[i % k] + stride[i % k] * (i / k + 1);
	c->seen.alone += n;
	steps_skip(&c->again, n);
	return true;
}

/* The same for the smallest number of rounds that makes a run.  The run continues the two recorded
 * rounds, and those that were converted since. */
static bool some_run_put(struct snag_convert *c)
{
	const struct convert_again *again = &c->again;
	if (c->options.keep_steps && !again->is_even)
		return false; /* the log of steps could not follow */
	uint32_t since =
		2 + (again->left == again->all ? 0 : (again->all - again->left) / again->period);
	for (uint32_t rounds = 1; rounds * again->period <= RT_RUN_MAX && 2 * rounds <= since;
	     rounds *= 2)
		if (run_put(c, rounds))
			return true;
	return false;
}

/* Converts a round of accesses, or the rest of a round. */
static void round_put(struct snag_convert *c)
{
	struct convert_again *again = &c->again;
	for (uint32_t i = 0; i < again->period && again->left > 0; i++) {
		struct convert_step *s = &again->step[again->at];
		c->fuel = s->next.arg;
		word_access(c, s->op, rt_record_address(&s->next), rt_record_size(&s->next), 0,
			    &s->next);
		s->next.what += s->stride;
		s->next.arg += s->fuel_step;
		again->at = again->at + 1 == again->period ? 0 : again->at + 1;
		again->left--;
	}
}

/* The event of a step in each of n rounds. */
static void events_put(struct snag_convert *c, const struct convert_step *s, struct snag_event *ev,
		       const uint32_t *variable, uint32_t n)
{
	const struct snag_event first = {.thread = c->thread,
					 .loc = loc_of(c, &s->next),
					 .op = (uint8_t)s->op,
					 .size = (uint8_t)rt_record_size(&s->next)};
	const uint32_t period = c->again.period;
	for (uint32_t i = 0; i < n; i++, ev += period) {
		*ev = first;
		ev->target = variable[i];
	}
}

/* Converts up to `most` rounds whose accesses all have variables already.  It goes step by step,
 * which needs few look-ups.  Returns the number of rounds. */
static uint32_t rounds_known_put(struct snag_convert *c, uint32_t most)
{
	const struct convert_again *again = &c->again;
	const uint32_t period = again->period, ring = 2 * RT_RUN_MAX;
	struct snag_event *ev = c->ev + c->n;
	uint32_t variable[WAIT_MAX], n = again->left / period;
	uint32_t room = (uint32_t)(SNAG_BATCH_EVENTS - c->n) / period;
	n = n < most ? n : most;
	n = n < room ? n : room;
	for (uint32_t i = 0; i < period && n > 0; i++) {
		const struct convert_step *s = &again->step[step_at(again, i)];
		uint64_t addr = rt_record_address(&s->next);
		unsigned size = rt_record_size(&s->next);
		if (size == 0 || size & (size - 1) || (addr | s->stride) & (size - 1))
			return 0; /* one may lie in two cells */
		n = snag_cells_variables(c->cells, addr, s->stride, size, c->thread, n, variable);
		events_put(c, s, ev + i, variable, n);
	}
	for (uint32_t k = 0; c->options.keep_steps && k < n * period; k++) {
		const struct convert_step *s = &again->step[step_at(again, k % period)];
		c->fuel = s->next.arg + s->fuel_step * (k / period);
		snag_convert_step_keep(c);
	}
	const uint32_t all = n * period;
	for (uint32_t i = all < ring ? 0 : all - ring; i < all; i++)
		c->seen.target[(c->seen.alone + i) % ring] = ev[i].target;
	c->seen.alone += all;
	c->n += all;
	steps_skip(&c->again, all);
	return n;
}

/* Whether accesses become a run depends only on the records, never on when a batch was taken. */
void snag_convert_again_go_on(struct snag_convert *c)
{
	struct convert_again *again = &c->again;
	while (again->left > 0 && has_room(c, RT_RUN_MAX * SNAG_CELL)) {
		if (c->has_runs && again->rounds == 0) {
			if (some_run_put(c))
				continue;
			again->wait = again->wait < WAIT_MAX ? 2 * again->wait + 1 : WAIT_MAX;
			again->rounds = again->wait;
		}
		uint32_t rounds = c->has_runs ? again->rounds : WAIT_MAX;
		uint32_t n = rounds_known_put(c, rounds);
		for (; n < rounds && again->left > 0 && has_room(c, RT_RUN_MAX * SNAG_CELL); n++)
			round_put(c);
		again->rounds -= n < again->rounds ? n : again->rounds;
	}
}

void snag_convert_again(struct snag_convert *c, const struct rt_record *r)
{
	const uint64_t period = rt_record_size(r), n = c->seen.n, ring = 2 * RT_RUN_MAX;
	c->seen.n = 0;
	if (period == 0 || period > RT_RUN_MAX || n < 2 * period)
		return;
	c->again.left = c->again.all = r->arg;
	c->again.period = (uint32_t)period;
	c->again.at = c->again.rounds = c->again.wait = 0;
	c->again.is_even = true;
	for (uint64_t i = 0; i < period; i++) {
		const struct rt_record *now = &c->seen.access[(n - period + i) % ring];
		const struct rt_record *before = &c->seen.access[(n - 2 * period + i) % ring];
		struct convert_step *s = &c->again.step[i];
		*s = (struct convert_step){.next = *now,
					   .stride = rt_record_address(now) -
						     rt_record_address(before),
					   .fuel_step = now->arg - before->arg,
					   .op = access_op(now)};
		c->again.is_even &= s->fuel_step == c->again.step[0].fuel_step;
		s->next.what += s->stride;
		s->next.arg += s->fuel_step;
	}
	snag_convert_again_go_on(c);
}
