/* SPDX-License-Identifier: Apache-2.0
 *
 * runs.c - events that follow from earlier ones
 */
#include "trace/runs.h"

enum { RING = 2 * SNAG_RUN_MAX };

void snag_tail_add(struct snag_tail *tail, const struct snag_event *ev, size_t n)
{
	for (size_t i = n > RING ? n - RING : 0; i < n; i++)
		tail->ev[(tail->n + i) % RING] = ev[i];
	tail->n += n;
}

bool snag_tail_is_plain(const struct snag_tail *tail, uint32_t period)
{
	if (period > SNAG_RUN_MAX || tail->n < 2 * period)
		return false;
	const snag_tid thread = tail->ev[(tail->n - 1) % RING].thread;
	for (uint64_t i = tail->n - 2 * period; i < tail->n; i++) {
		const struct snag_event *ev = &tail->ev[i % RING];
		if (ev->thread != thread || !snag_op_is_access(ev->op))
			return false;
	}
	return true;
}

bool snag_steps_begin(struct snag_steps *s, const struct snag_tail *tail, uint32_t period)
{
	if (period == 0 || period > SNAG_RUN_MAX || tail->n < 2 * period)
		return false;
	s->period = period;
	s->at = 0;
	for (uint32_t i = 0; i < period; i++) {
		const struct snag_event *now = &tail->ev[(tail->n - period + i) % RING];
		const struct snag_event *before = &tail->ev[(tail->n - 2 * period + i) % RING];
		s->stride[i] = now->target - before->target;
		s->next[i] = *now;
		s->next[i].target += s->stride[i];
	}
	return true;
}

void snag_steps_skip(struct snag_steps *s, uint32_t n)
{
	const uint32_t rounds = n / s->period, rest = n % s->period;
	for (uint32_t i = 0, at = s->at; i < s->period; i++) {
		s->next[at].target += s->stride[at] * (rounds + (i < rest));
		at = at + 1 == s->period ? 0 : at + 1;
	}
	s->at += s->at + rest < s->period ? rest : rest - s->period;
}

void snag_tail_run(struct snag_tail *tail, struct snag_steps *s, uint32_t n)
{
	const uint32_t last = n < RING ? n : RING, period = s->period;
	if (n > last)
		snag_steps_skip(s, n - last);
	for (uint32_t i = 0, step = s->at; i < period && i < last; i++) { /* step by step */
		struct snag_event ev = s->next[step];
		for (uint32_t k = i; k < last; k += period, ev.target += s->stride[step])
			tail->ev[(tail->n + (n - last) + k) % RING] = ev;
		step = step + 1 == period ? 0 : step + 1;
	}
	snag_steps_skip(s, last);
	tail->n += n;
}
