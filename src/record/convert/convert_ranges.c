/* SPDX-License-Identifier: Apache-2.0
 *
 * convert_ranges.c - accesses to ranges of memory: memset, memcpy, read and the like
 *
 * Idea.   A range is processed cell by cell (cells.h).  Where successive cells are alike (whole
 *         variables whose ids advance evenly), two of them become events and the others a run
 *         (trace/runs.h), or events at once if runs are not wanted.  Untouched memory gets its
 *         variables in bulk, so that it is alike the next time.
 * Rules.  [element]  Memory that a range is the first to access has a variable for each element
 *                    if their size is known, else for each cell.
 *         Other cells, and parts of cells at both ends, are accessed one by one.
 */
#include "record/convert/convert_state.h"

enum { MOST_CELLS = 1 << 16 }; /* of a range, at once */

/* The part of a range in one cell: as a whole, or by element where it is the first there. */
static void cell_access(struct snag_convert *c, enum snag_op op, uint64_t at, uint64_t end,
			const struct rt_record *r)
{
	const unsigned size = rt_record_size(r);
	const uint64_t element = size && snag_cells_is_fresh(c->cells, at) ? size : SNAG_CELL;
	for (uint64_t next; at < end; at = next) {
		next = at - at % element + element;
		next = next < end ? next : end;
		word_access(c, op, at, (unsigned)(next - at), 0, r);
	}
}

/* Accesses of `size` bytes to the cells of a stretch. */
static void stretch_put(struct snag_convert *c, const struct snag_cells_stretch *s, unsigned size)
{
	const struct convert_range *range = &c->range;
	const bool is_run = c->has_runs && s->n >= 2 + MIN_ROUNDS;
	const uint32_t stored = is_run ? 2 : s->n;
	for (uint32_t i = 0; i < stored; i++)
		for (uint32_t k = 0; k < s->k; k++)
			event_put(c, range->op, s->variable[k] + s->stride[k] * i, &range->record,
				  size, 0);
	if (is_run) {
		const uint32_t n = (s->n - stored) * s->k;
		if (c->options.keep_steps)
			snag_step_log_run(&c->steps, c->thread, s->k, n);
		c->run[c->nruns++] =
			(struct snag_repeat){.at = (uint32_t)c->n, .period = s->k, .n = n};
		c->in_runs += n;
	}
	c->seen.alone = 0; /* a run of the runtime follows from accesses behind the range */
}

/* Accesses whole cells from the beginning of the range on, as far as they are alike; returns how
 * many, at most `most`. */
static uint32_t cells_access(struct snag_convert *c, uint32_t most)
{
	const struct convert_range *range = &c->range;
	const unsigned element = rt_record_size(&range->record);
	struct snag_cells_stretch s;
	snag_cells_even(c->cells, range->at, most, c->thread, &s);
	if (s.n > 0) {
		stretch_put(c, &s, SNAG_CELL);
		return s.n;
	}
	if (element != 0 && element != SNAG_CELL && element != SNAG_CELL / 2)
		return 0;
	const unsigned size = element ? element : SNAG_CELL;
	const uint32_t n = snag_cells_fill(c->cells, range->at, most, size, c->thread, s.variable);
	if (n > 0) {
		s.n = n * (SNAG_CELL / size);
		s.k = s.stride[0] = 1;
		stretch_put(c, &s, size);
	}
	return n;
}

/* How many cells may be accessed at once: the rest of the range, or what the batch has room for. */
static uint32_t most_cells(const struct snag_convert *c)
{
	const uint64_t left = (c->range.end - c->range.at) / SNAG_CELL;
	const uint64_t room = c->has_runs ? MOST_CELLS : (SNAG_BATCH_EVENTS - c->n) / 2;
	return (uint32_t)(left < room ? left : room);
}

void snag_convert_range_go_on(struct snag_convert *c)
{
	struct convert_range *range = &c->range;
	while (range->at < range->end && has_room(c, ROOM)) {
		uint64_t next = range->at - range->at % SNAG_CELL + SNAG_CELL;
		next = next < range->end ? next : range->end;
		uint32_t whole = range->at % SNAG_CELL ? 0 : most_cells(c);
		uint32_t n = whole ? cells_access(c, whole) : 0;
		if (n > 0)
			next = range->at + (uint64_t)n * SNAG_CELL;
		else
			cell_access(c, range->op, range->at, next, &range->record);
		range->at = next;
	}
}

void snag_convert_range(struct snag_convert *c, enum snag_op op, const struct rt_record *r)
{
	c->range =
		(struct convert_range){rt_record_address(r), rt_record_address(r) + r->arg, op, *r};
	snag_convert_range_go_on(c);
}
