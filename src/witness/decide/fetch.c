/* SPDX-License-Identifier: Apache-2.0
 *
 * fetch.c - prefetches what a decision is about to look at
 */
#include "witness/decide/fetch.h"

#include "base/memory.h"

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

/* What must precede the releases, as they may join the cut. */
static void fetch_releases(const struct snag_state *s)
{
	const struct snag_index *ix = s->ix;
	const struct snag_rows *rows = s->rows;
	for (int link = 0; link < 4; link++)
		for (uint32_t i = 0; i < s->nopen; i++) {
			const struct snag_acquire *a =
				&ix->sections.acquire[ix->node[s->open[i]].at];
			if (a->release >= s->limit[a->thread])
				continue;
			const uint32_t *slot =
				ix->threads.event + ix->threads.first[a->thread] + a->release;
			const uint32_t *number =
				link < 2 ? NULL : number_of(rows, a->thread, rows->edges[*slot]);
			if (link == 0)
				__builtin_prefetch(slot);
			else if (link == 1)
				__builtin_prefetch(&rows->edges[*slot]);
			else if (number)
				__builtin_prefetch(link == 2
							   ? number
							   : rows->counts + (size_t)*number *
										    rows->nthreads);
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
			s->open = snag_grow(s->open, &s->open_cap, s->nopen + 1, sizeof(*s->open));
			s->open[s->nopen++] = node;
			__builtin_prefetch(&ix->sections.acquire[ix->node[node].at]);
			__builtin_prefetch(&ix->sections.acquire[ix->node[node].at] + 1);
		}
	fetch_releases(s);
}
