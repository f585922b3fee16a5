/* SPDX-License-Identifier: Apache-2.0
 *
 * runs.c - events that follow from those before them
 */
#include "trace/runs.h"

enum { RING = 2 * SNAG_RUN_MAX };

void snag_tail_add(struct snag_tail *tail, const struct snag_event *ev, size_t n)
{
	for (size_t i = n > RING ? n - RING : 0; i < n; i++)
		tail->ev[(tail->n + i) % RING] = ev[i];
	tail->n += n;
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
	for (uint32_t i = 0; i < s->period; i++) {
		uint32_t at = (s->at + i) % s->period;
		s->next[at].target += s->stride[at] * (n / s->period + (i < n % s->period));
	}
	s->at = (s->at + n) % s->period;
}

void snag_tail_run(struct snag_tail *tail, struct snag_steps *s, uint32_t n)
{
	uint32_t last = n < RING ? n : RING;
	snag_steps_skip(s, n - last);
	for (uint64_t at = tail->n + (n - last), end = at + last; at < end; at++)
		tail->ev[at % RING] = snag_steps_next(s);
	tail->n += n;
}
