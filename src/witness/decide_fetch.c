/* SPDX-License-Identifier: Apache-2.0
 *
 * decide_fetch.c - what a decision is about to look at, asked of memory in good time
 */
#include "witness/decide_fetch.h"

#include "base/memory.h"

enum { RIVALS = 4 };

/* Where the number of the row is of what precedes the racing access, or NULL: it is not kept, or in
 * mode DEP another one. */
static const uint32_t *number_of(const struct snag_rows *rows, snag_tid t, uint32_t edges)
{
	if (!rows->stride || rows->dependent || edges < rows->stride)
		return NULL;
	return &rows->row[rows->first[t] / rows->stride + edges / rows->stride - 1];
}

void snag_fetch_races(const struct snag_state *s, uint32_t e1, uint32_t e2)
{
	const struct snag_index *ix = s->ix;
	const struct snag_rows *rows = s->rows;
	const uint32_t racer[2] = {e1, e2};
	const uint32_t *slot[2];   /* what the thread did before */
	const uint32_t *number[2]; /* of its row */
	const uint32_t *step = &rows->step_at[(e1 < e2 ? e1 : e2) / SNAG_STEP_BLOCK];
	__builtin_prefetch(step);
	for (int i = 0; i < 2; i++) {
		uint32_t before = ix->position[racer[i]] - (ix->position[racer[i]] > 0);
		slot[i] = ix->threads.event + ix->threads.first[snag_index_thread(ix, racer[i])] +
			  before;
		__builtin_prefetch(slot[i]);
	}
	for (int i = 0; i < 2; i++) {
		__builtin_prefetch(&rows->edges[*slot[i]]);
		if (rows->dependent)
			__builtin_prefetch(&rows->dependent[*slot[i]]);
	}
	__builtin_prefetch(&rows->step[*step]);
	for (int i = 0; i < 2; i++) {
		snag_tid t = snag_index_thread(ix, racer[i]);
		number[i] = number_of(rows, t, rows->edges[*slot[i]]);
		if (number[i])
			__builtin_prefetch(number[i]);
	}
	for (int i = 0; i < 2; i++)
		if (number[i])
			__builtin_prefetch(rows->counts + (size_t)*number[i] * rows->nthreads);
}

/* The first acquires of the lock that were observed after that of the node. */
static void fetch_rivals(const struct snag_state *s, uint32_t node)
{
	const struct snag_index *ix = s->ix;
	uint32_t key = snag_section_key(&ix->trace->ev[ix->node[node].acquire]);
	const uint32_t *first = ix->sections.first + key;
	uint32_t i = ix->sections.lane[first[0]].begin + ix->node[node].rank + 1;
	uint32_t end = ix->sections.lane[first[1]].begin;
	for (int n = 0; n < RIVALS && i < end && ix->sections.event[i] <= s->end; n++, i++) {
		__builtin_prefetch(&ix->trace->ev[ix->sections.event[i]]);
		__builtin_prefetch(&ix->position[ix->sections.event[i]]);
	}
}

void snag_fetch_open(struct snag_state *s, const uint32_t *cut)
{
	const struct snag_index *ix = s->ix;
	for (snag_tid t = 0; t < s->nthreads; t++)
		__builtin_prefetch(&ix->threads.event[ix->threads.first[t] + cut[t]]);
	for (snag_tid t = 0; t < s->nthreads; t++)
		if (cut[t] < snag_threads_length(&ix->threads, t))
			__builtin_prefetch(&ix->held[snag_index_event(ix, t, cut[t])]);
	for (snag_tid t = 0; t < s->nthreads; t++) {
		s->scratch[t] = snag_index_held(ix, t, cut[t]);
		__builtin_prefetch(&ix->node[s->scratch[t]]);
	}
	s->nopen = 0;
	for (snag_tid t = 0; t < s->nthreads; t++)
		for (uint32_t node = s->scratch[t]; node; node = ix->node[node].below) {
			uint32_t acquire = ix->node[node].acquire;
			s->open = snag_grow(s->open, &s->open_cap, s->nopen + 1, sizeof(*s->open));
			s->open[s->nopen++] = node;
			__builtin_prefetch(&ix->trace->ev[acquire]);
			__builtin_prefetch(&ix->link[acquire]);
		}
	for (uint32_t i = 0; i < s->nopen; i++) {
		const struct snag_held *held = &ix->node[s->open[i]];
		uint32_t key = snag_section_key(&ix->trace->ev[held->acquire]);
		uint32_t release = ix->link[held->acquire];
		uint32_t begin = ix->sections.lane[ix->sections.first[key]].begin;
		__builtin_prefetch(&ix->sections.event[begin + held->rank]);
		if (release != SNAG_NO_EVENT) {
			__builtin_prefetch(&ix->position[release]);
			__builtin_prefetch(&s->rows->edges[release]);
		}
	}
	for (uint32_t i = 0; i < s->nopen; i++)
		fetch_rivals(s, s->open[i]);
}
