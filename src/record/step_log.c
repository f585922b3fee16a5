/* SPDX-License-Identifier: Apache-2.0
 *
 * step_log.c - the steps of all events of a run, in about a byte per event
 */
#include "record/step_log.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

enum { NUMBER_BYTES = 10, GAPS = SNAG_STEP_LOG_PERIOD };

void snag_step_log_done(struct snag_step_log *log)
{
	snag_huge_free(log->at, log->cap, 1);
	free(log->step);
	snag_creators_done(&log->creators);
	snag_answers_done(&log->answers);
	memset(log, 0, sizeof(*log));
}

static void number_put(struct snag_step_log *log, uint64_t value)
{
	if (log->nbytes + NUMBER_BYTES > log->cap)
		log->at = snag_huge_grow(log->at, &log->cap, log->nbytes + NUMBER_BYTES, 1);
	for (; value >= 0x80; value >>= 7)
		log->at[log->nbytes++] = (uint8_t)(value | 0x80);
	log->at[log->nbytes++] = (uint8_t)value;
}

static uint64_t number_get(struct snag_step_cursor *c)
{
	uint64_t value = 0;
	for (int shift = 0;; shift += 7) {
		assert(c->at < c->log->nbytes);
		uint8_t byte = c->log->at[c->at++];
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
}

static inline void gap_add(struct snag_gaps *g, uint64_t gap)
{
	g->gap[g->n++ % GAPS] = gap;
}

static inline uint64_t gap_before(const struct snag_gaps *g, uint32_t period)
{
	return g->gap[(g->n - period) % GAPS];
}

/* The next n gaps repeat with a period; returns their sum. */
static uint64_t gaps_repeat(struct snag_gaps *g, uint32_t period, uint64_t n)
{
	uint64_t round = 0, sum = 0, rest = n < GAPS ? n : GAPS + (n - GAPS) % period;
	for (uint32_t i = 1; i <= period; i++)
		round += gap_before(g, i);
	sum = (n - rest) / period * round; /* whole rounds change nothing */
	for (; rest > 0; rest--) {
		uint64_t gap = gap_before(g, period);
		sum += gap;
		gap_add(g, gap);
	}
	return sum;
}

static void repeats_put(struct snag_step_log *log)
{
	enum { ONE = 2 * 1 + 1 };
	if (!log->repeats)
		return;
	number_put(log, ONE);
	number_put(log, log->repeats);
	log->repeats = 0;
}

void snag_step_log_add(struct snag_step_log *log, snag_tid thread, uint64_t step)
{
	log->step = snag_grow(log->step, &log->step_cap, (size_t)thread + 1, sizeof(*log->step));
	uint64_t gap = step - log->step[thread];
	log->step[thread] = step;
	if (log->gaps.n && gap == gap_before(&log->gaps, 1)) {
		log->repeats++;
	} else {
		repeats_put(log);
		number_put(log, 2 * gap);
	}
	gap_add(&log->gaps, gap);
}

void snag_step_log_run(struct snag_step_log *log, snag_tid thread, uint32_t period, uint64_t n)
{
	assert(period <= GAPS && period <= log->gaps.n);
	repeats_put(log);
	number_put(log, 2 * (uint64_t)period + 1);
	number_put(log, n);
	log->step[thread] += gaps_repeat(&log->gaps, period, n);
}

void snag_step_cursor_done(struct snag_step_cursor *c)
{
	free(c->step);
	memset(c, 0, sizeof(*c));
}

uint64_t snag_step_cursor_next(struct snag_step_cursor *c, snag_tid thread, uint64_t n)
{
	c->step = snag_grow(c->step, &c->step_cap, (size_t)thread + 1, sizeof(*c->step));
	uint64_t *step = &c->step[thread];
	while (n > 0) {
		if (c->left == 0) {
			if (c->at == c->log->nbytes)
				repeats_put(c->log);
			uint64_t head = number_get(c);
			if (head % 2 == 0) {
				*step += head / 2;
				gap_add(&c->gaps, head / 2);
				n--;
				continue;
			}
			c->period = (uint32_t)(head / 2);
			c->left = number_get(c);
		}
		uint64_t some = n < c->left ? n : c->left;
		*step += gaps_repeat(&c->gaps, c->period, some);
		c->left -= some;
		n -= some;
	}
	return *step;
}
