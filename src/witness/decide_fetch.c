/* SPDX-License-Identifier: Apache-2.0
 *
 * decide_fetch.c - what a decision is about to look at, asked of memory in good time
 */
#include "witness/decide_fetch.h"

#include "base/memory.h"

void snag_fetch_races(const struct snag_state *s, uint32_t e1, uint32_t e2)
{
	const struct snag_index *ix = s->ix;
	const uint32_t racer[2] = {e1, e2};
	const uint32_t *slot[2]; /* what the thread did before */
	for (int i = 0; i < 2; i++) {
		uint32_t before = ix->position[racer[i]] - (ix->position[racer[i]] > 0);
		slot[i] = ix->threads.event + ix->threads.first[snag_index_thread(ix, racer[i])] +
			  before;
		__builtin_prefetch(slot[i]);
	}
	for (int i = 0; i < 2; i++)
		__builtin_prefetch(&s->rows->edges[*slot[i]]);
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
}
