/* SPDX-License-Identifier: Apache-2.0
 *
 * candidates_before.c - what must precede many accesses, asked for together
 */
#include "detect/candidates/candidates_before.h"

#include "base/memory.h"

enum {
	TOGETHER = 64,
	MAX_ENTRIES = 1 << 21, /* of columns */
};

static void ask_together(const struct snag_index *ix, const struct snag_rows *rows,
			 struct snag_asked *asked, uint32_t n)
{
	const uint32_t *number[TOGETHER];
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(
			&ix->threads.event[ix->threads.first[asked[i].thread] + asked[i].position]);
	for (uint32_t i = 0; i < n; i++)
		if (asked[i].position) {
			uint32_t e = snag_index_event(ix, asked[i].thread, asked[i].position - 1);
			__builtin_prefetch(&rows->edges[e]);
			if (rows->dependent)
				__builtin_prefetch(&rows->dependent[e]);
		}
	for (uint32_t i = 0; i < n; i++) {
		asked[i].before = snag_point_before_at(ix, rows, asked[i].thread, asked[i].position,
						       asked[i].is_write);
		number[i] = snag_rows_number(rows, &asked[i].before);
		__builtin_prefetch(number[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		asked[i].row =
			number[i] ? rows->counts + (size_t)*number[i] * rows->nthreads : NULL;
		__builtin_prefetch(asked[i].row);
	}
}

void snag_before_ask(const struct snag_index *ix, const struct snag_rows *rows,
		     struct snag_asked *asked, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += TOGETHER)
		ask_together(ix, rows, asked + i, n - i < TOGETHER ? n - i : TOGETHER);
}

void snag_columns_done(struct snag_columns *c)
{
	free(c->event);
	free(c->column);
}

static void column_entries(struct snag_columns *c, const struct snag_rows *rows,
			   const struct snag_asked *asked, uint32_t i)
{
	bool is_free = asked->before.all == 0;
	for (uint32_t t = 0; t < rows->nthreads; t++)
		c->column[(size_t)t * c->n + i] = asked->row ? asked->row[t]
						  : is_free  ? 0
							     : SNAG_NOT_KEPT;
}

/* The lane's accesses from the first-th on, at most TOGETHER; returns how many. */
static uint32_t lane_part(struct snag_columns *c, const struct snag_index *ix,
			  const struct snag_rows *rows, const struct snag_lanes *lanes,
			  const struct snag_lane *lane, uint32_t first)
{
	struct snag_asked asked[TOGETHER];
	uint32_t n = snag_lane_length(lane) - first;
	if (n > TOGETHER)
		n = TOGETHER;
	for (uint32_t i = 0; i < n; i++)
		asked[i] = (struct snag_asked){.thread = lane->thread,
					       .position = snag_lane_at(lanes, lane, first + i),
					       .is_write = lanes == &ix->writes};
	ask_together(ix, rows, asked, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = lane->begin - c->begin + first + i;
		c->event[at] = snag_index_event(ix, lane->thread, asked[i].position);
		column_entries(c, rows, &asked[i], at);
	}
	return n;
}

void snag_columns_fill(struct snag_columns *c, const struct snag_index *ix,
		       const struct snag_rows *rows, const struct snag_lanes *lanes, uint32_t x)
{
	const struct snag_lane *lane = lanes->lane + lanes->first[x];
	const struct snag_lane *end = lanes->lane + lanes->first[x + 1];
	c->begin = lane->begin;
	c->n = end->begin - lane->begin;
	if (rows->stride != 1 || c->n > MAX_ENTRIES / rows->nthreads)
		c->n = 0;
	if (!c->n)
		return;
	c->event = snag_grow(c->event, &c->event_cap, c->n, sizeof(*c->event));
	c->column = snag_grow(c->column, &c->column_cap, (size_t)c->n * rows->nthreads,
			      sizeof(*c->column));
	for (; lane < end; lane++)
		for (uint32_t i = 0; i < snag_lane_length(lane);)
			i += lane_part(c, ix, rows, lanes, lane, i);
}
