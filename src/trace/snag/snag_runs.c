/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_runs.c - the RUNS column of a .snag block
 */
#include "trace/snag/snag_runs.h"

#include "base/memory.h"
#include "trace/format.h"

void snag_runs_put(struct snag_bytes *table, const struct snag_repeat *run, size_t n)
{
	uint32_t at = 0;
	snag_bytes_put_varint(table, (uint32_t)n);
	for (size_t i = 0; i < n; i++) {
		snag_bytes_put_varint(table, run[i].at - at);
		snag_bytes_put_varint(table, run[i].period);
		snag_bytes_put_varint(table, run[i].n);
		at = run[i].at;
	}
}

bool snag_runs_begin(struct snag_runs *r, struct snag_span table, const struct snag_counts *counts,
		     uint32_t total, uint32_t *ret_stored)
{
	uint32_t n = 0, at = 0, left = total;
	r->n = r->next = r->stored = r->left = r->tail.n = 0;
	r->counts = *counts;
	if (table.at < table.end && (!snag_span_varint(&table, &n) || n > total))
		return false;
	r->run = snag_grow(r->run, &r->cap, n, sizeof(*r->run));
	for (; r->n < n; r->n++) {
		uint32_t gap;
		struct snag_repeat *run = &r->run[r->n];
		if (!snag_span_varint(&table, &gap) || !snag_span_varint(&table, &run->period) ||
		    !snag_span_varint(&table, &run->n) || run->n == 0 || run->n > left ||
		    gap > total - at)
			return false;
		at = run->at = at + gap;
		left -= run->n;
	}
	*ret_stored = left;
	return at <= left && table.at == table.end;
}

void snag_runs_done(struct snag_runs *r)
{
	free(r->run);
}

/* Whether all targets of a run that begins have names: those of a step lie between its first
 * and its last. */
static bool are_named(const struct snag_runs *r, uint32_t n)
{
	const struct snag_steps *s = &r->steps;
	for (uint32_t i = 0; i < s->period && i < n; i++) {
		enum snag_space space = snag_op_info[s->next[i].op].space;
		int64_t limit = space == SNAG_SPACE_NONE ? 1 : r->counts.n[space];
		int64_t before = (uint32_t)(s->next[i].target - s->stride[i]);
		int64_t stride = (int32_t)s->stride[i],
			rounds = (n - i + s->period - 1) / s->period;
		int64_t last = before + stride * rounds;
		if (last < 0 || last >= limit)
			return false;
	}
	return true;
}

/* Begins the run that comes now.  1: it has begun; 0: none comes; -1: it is not valid. */
static int run_begin(struct snag_runs *r)
{
	if (r->next == r->n || r->run[r->next].at != r->stored)
		return 0;
	const struct snag_repeat *run = &r->run[r->next++];
	if (!snag_steps_begin(&r->steps, &r->tail, run->period) || !are_named(r, run->n))
		return -1;
	r->left = run->n;
	return 1;
}

int snag_runs_take(struct snag_runs *r, struct snag_repeat *ret_run)
{
	int rc = r->left ? 0 : run_begin(r);
	if (rc <= 0 || !snag_tail_is_plain(&r->tail, r->steps.period))
		return rc < 0 ? rc : 0;
	*ret_run = (struct snag_repeat){.period = r->steps.period, .n = r->left};
	snag_tail_run(&r->tail, &r->steps, r->left);
	r->left = 0;
	return 1;
}

int64_t snag_runs_events(struct snag_runs *r, struct snag_event *ev, size_t n)
{
	int rc = r->left ? 1 : run_begin(r);
	if (rc <= 0)
		return rc;
	n = n < r->left ? n : r->left;
	for (size_t i = 0; i < n; i++)
		ev[i] = snag_steps_next(&r->steps);
	snag_tail_add(&r->tail, ev, n);
	r->left -= (uint32_t)n;
	return (int64_t)n;
}

size_t snag_runs_before(const struct snag_runs *r, size_t n)
{
	uint32_t before = r->next < r->n ? r->run[r->next].at - r->stored : UINT32_MAX;
	return n < before ? n : before;
}

void snag_runs_stored(struct snag_runs *r, const struct snag_event *ev, size_t n)
{
	r->stored += (uint32_t)n;
	if (r->next < r->n)
		snag_tail_add(&r->tail, ev, n);
}
