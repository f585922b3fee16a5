/* SPDX-License-Identifier: Apache-2.0
 *
 * candidates_before.c - looks up the events that must precede accesses, for many accesses at once
 */
#include "detect/candidates/candidates_before.h"

#include "base/memory.h"

enum {
	TOGETHER = 64,
	MAX_ENTRIES = 1 << 21, /* of columns */
};

static void find_together(const struct snag_index *ix, const struct snag_rows *rows,
			  struct snag_before_query *query, uint32_t n)
{
	const uint32_t *number[TOGETHER];
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(
			&ix->threads.event[ix->threads.first[query[i].thread] + query[i].position]);
	for (uint32_t i = 0; i < n; i++)
		if (query[i].position) {
			uint32_t e = snag_index_event(ix, query[i].thread, query[i].position - 1);
			__builtin_prefetch(&rows->edges[e]);
			if (rows->dependent)
				__builtin_prefetch(&rows->dependent[e]);
		}
	for (uint32_t i = 0; i < n; i++) {
		query[i].before = snag_point_before_at(ix, rows, query[i].thread, query[i].position,
						       query[i].is_write);
		number[i] = snag_rows_number(rows, &query[i].before);
		__builtin_prefetch(number[i]);
	}
	for (uint32_t i = 0; i < n; i++) {
		query[i].row = number[i] ? rows->counts + (size_t)*number[i] * rows->width : NULL;
		__builtin_prefetch(query[i].row);
	}
}

void snag_before_find(const struct snag_index *ix, const struct snag_rows *rows,
		      struct snag_before_query *query, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += TOGETHER)
		find_together(ix, rows, query + i, n - i < TOGETHER ? n - i : TOGETHER);
}

void snag_columns_done(struct snag_columns *c)
{
	free(c->event);
	free(c->column);
}

static void column_entries(struct snag_columns *c, const struct snag_rows *rows,
			   const struct snag_before_query *query, uint32_t i)
{
	bool is_free = query->before.all == 0;
	for (uint32_t t = 0; t < rows->nthreads; t++)
		c->column[(size_t)t * c->n + i] = query->row ? query->row[t]
						  : is_free  ? 0
							     : SNAG_NOT_KEPT;
}

/* The lane's accesses from the first-th on, at most TOGETHER; returns how many. */
static uint32_t lane_part(struct snag_columns *c, const struct snag_index *ix,
			  const struct snag_rows *rows, const struct snag_lanes *lanes,
			  const struct snag_lane *lane, uint32_t first)
{
	struct snag_before_query query[TOGETHER];
	uint32_t n = snag_lane_length(lane) - first;
	if (n > TOGETHER)
		n = TOGETHER;
	for (uint32_t i = 0; i < n; i++)
		query[i] =
			(struct snag_before_query){.thread = lane->thread,
						   .position = snag_lane_at(lanes, lane, first + i),
						   .is_write = lanes == &ix->writes};
	find_together(ix, rows, query, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = lane->begin - c->begin + first + i;
		c->event[at] = snag_index_event(ix, lane->thread, query[i].position);
		column_entries(c, rows, &query[i], at);
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
