/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_fill.c - the weakest order that every witness keeps: which crossings are edges, and its rows
 *
 * Idea.   Runs the joins of rows_build.c, for one group of columns after another: once to see which
 *         crossings are new, and once for the rows that are kept.
 */
#include "witness/decide/rows_build.h"

#include "base/memory.h"

#include <string.h>

/* The joins that have to do with one group of columns. */
struct range {
	size_t first, end;
};

/* A step is about two entries of a row, in mode M2 one and the same: this is for step->keeps. */
static inline uint32_t keeps_column(const struct snag_rows *rows, const struct snag_row_step *step)
{
	return step->thread + rows->width - rows->nthreads;
}

/* What was found not to be new.  (Joins with count = 0 that are no reads are those of rows.) */
static bool is_left_out(const struct snag_row_step *step)
{
	return step->is_read && step->count == 0;
}

static void range_add(struct range *r, size_t i)
{
	r->first = i < r->first ? i : r->first;
	r->end = i + 1;
}

/* The crossings for each group of columns: no others ask for these. */
static void ranges_find(const struct snag_rows_builder *b, struct range *range)
{
	const struct snag_rows *rows = b->rows;
	for (uint32_t t = 0; t < rows->width; t += SNAG_COLUMNS)
		range[t / SNAG_COLUMNS] = (struct range){rows->nsteps, 0};
	for (size_t i = 0; i < rows->nsteps; i++) {
		const struct snag_row_step *step = &rows->step[i];
		if (step->count == 0)
			continue;
		range_add(&range[step->thread / SNAG_COLUMNS], i);
		range_add(&range[keeps_column(rows, step) / SNAG_COLUMNS], i);
	}
}

static inline void row_set(union snag_row_part *row, uint32_t column, uint32_t count)
{
	if (column < SNAG_COLUMNS && row->count[column] < (int32_t)count)
		row->count[column] = (int32_t)count;
}

/* Runs the i-th join for the columns from `first` on. */
static inline union snag_row_part *join_run(const struct snag_rows_builder *b, size_t i,
					    uint32_t first)
{
	const struct snag_row_step *step = &b->rows->step[i];
	union snag_row_part *row = snag_row_join_run(&b->joins, &b->joins.join[i]);
	row_set(row, step->thread - first, step->count);
	row_set(row, keeps_column(b->rows, step) - first, step->keeps);
	return row;
}

/* Leaves out the crossings for columns `first` and following that are not new; how many. */
static size_t crossings_filter(struct snag_rows_builder *b, uint32_t first, struct range range)
{
	size_t n = 0;
	snag_row_joins_clear(&b->joins);
	for (size_t i = range.first; i < range.end; i++) {
		struct snag_row_step *step = &b->rows->step[i];
		const struct snag_row_join *join = &b->joins.join[i];
		uint32_t column = keeps_column(b->rows, step) - first;
		if (column < SNAG_COLUMNS && step->is_read && step->count > 0 &&
		    b->joins.slot[join->before].count[column] >= (int32_t)step->count) {
			step->count = step->keeps = 0;
			n++;
		}
		join_run(b, i, first);
	}
	return n;
}

static void crossings_close_up(struct snag_rows_builder *b)
{
	struct snag_row_step *step = b->rows->step;
	struct snag_row_join *join = b->joins.join;
	size_t n = 0;
	for (size_t i = 0; i < b->rows->nsteps; i++) {
		if (is_left_out(&step[i]) && join[i].into == join[i].before)
			continue;
		step[n] = step[i];
		join[n++] = join[i];
	}
	b->rows->nsteps = b->joins.n = n;
}

void snag_rows_filter(struct snag_rows_builder *b)
{
	uint32_t width = b->rows->width;
	struct range *range = snag_calloc(width / SNAG_COLUMNS + 1, sizeof(*range));
	size_t out = 0;
	ranges_find(b, range);
	for (uint32_t t = 0; t < width; t += SNAG_COLUMNS) {
		out += crossings_filter(b, t, range[t / SNAG_COLUMNS]);
		if (out > b->rows->nsteps / 4) {
			crossings_close_up(b);
			ranges_find(b, range);
			out = 0;
		}
	}
	crossings_close_up(b);
	free(range);
}

/* The edges by thread, and how many there are up to each event. */
void snag_rows_sort_edges(struct snag_rows_builder *b)
{
	struct snag_rows *rows = b->rows;
	uint32_t *first = rows->first, *edges = snag_calloc(rows->nthreads, sizeof(*edges));
	for (size_t i = 0; i < rows->nsteps; i++)
		first[rows->step[i].to + 1] += rows->step[i].count > 0;
	for (uint32_t t = 0; t < rows->nthreads; t++)
		first[t + 1] += first[t];
	rows->edge = snag_realloc(NULL, first[rows->nthreads], sizeof(*rows->edge));
	size_t i = 0;
	for (uint32_t e = 0; e < b->ix->nevents; e++) {
		snag_tid self = snag_index_thread(b->ix, e);
		for (; i < rows->nsteps && rows->step[i].event == e; i++) {
			const struct snag_row_step *step = &rows->step[i];
			if (step->count == 0)
				continue;
			rows->edge[first[step->to] + edges[step->to]++] =
				(struct snag_row_edge){.at = step->at,
						       .is_read = step->is_read,
						       .is_full = step->is_full,
						       .thread = step->thread,
						       .count = step->count};
		}
		rows->edges[e] = edges[self];
	}
	free(edges);
}

/* Which joins make rows that are kept; how many. */
static size_t rows_choose(struct snag_rows_builder *b, uint32_t *ret_join)
{
	struct snag_rows *rows = b->rows;
	uint32_t *edges = snag_calloc(rows->nthreads, sizeof(*edges));
	size_t n = 0;
	for (size_t i = 0; i < rows->nsteps; i++) {
		const struct snag_row_step *step = &rows->step[i];
		snag_tid t = step->to;
		if (step->count == 0 || ++edges[t] % rows->stride)
			continue;
		rows->row[rows->first[t] / rows->stride + edges[t] / rows->stride - 1] =
			(uint32_t)n;
		/* If the edge was joined apart, the row of the thread is next. */
		bool is_apart = i + 1 < rows->nsteps && step[1].event == step[0].event &&
				step[1].count == 0;
		ret_join[n++] = (uint32_t)i + is_apart;
	}
	free(edges);
	return n;
}

/* Columns `first` and following of the rows that are kept. */
static void rows_keep(struct snag_rows_builder *b, const uint32_t *kept, uint32_t first)
{
	struct snag_rows *rows = b->rows;
	uint32_t n = rows->width - first < SNAG_COLUMNS ? rows->width - first : SNAG_COLUMNS;
	uint32_t *into = rows->counts + first;
	snag_row_joins_clear(&b->joins);
	for (size_t i = 0, k = 0; k < rows->nrows; i++) {
		union snag_row_part *row = join_run(b, i, first);
		if (kept[k] == i) {
			memcpy(into + k * rows->width, row->count, n * sizeof(*into));
			k++;
		}
	}
}

void snag_rows_fill(struct snag_rows_builder *b)
{
	struct snag_rows *rows = b->rows;
	size_t most = rows->first[rows->nthreads] / rows->stride;
	uint32_t *kept = snag_realloc(NULL, most, sizeof(*kept));
	rows->row = snag_realloc(NULL, most + 1, sizeof(*rows->row));
	rows->nrows = rows_choose(b, kept);
	rows->counts = snag_huge_grow(NULL, &rows->counts_cap, rows->nrows * rows->width,
				      sizeof(*rows->counts));
	for (uint32_t t = 0; t < rows->width; t += SNAG_COLUMNS)
		rows_keep(b, kept, t);
	free(kept);
}

/* Joins that make no edge were needed only to find rows. */
void snag_rows_close_up(struct snag_rows *rows, uint32_t nevents)
{
	size_t n = 0, block = 0;
	rows->step_at = snag_realloc(NULL, nevents / SNAG_STEP_BLOCK + 1, sizeof(*rows->step_at));
	for (size_t i = 0; i < rows->nsteps; i++)
		if (rows->step[i].count > 0)
			rows->step[n++] = rows->step[i];
	rows->nsteps = n;
	for (size_t i = 0; block <= nevents / SNAG_STEP_BLOCK; block++) {
		while (i < n && rows->step[i].event < block * SNAG_STEP_BLOCK)
			i++;
		rows->step_at[block] = (uint32_t)i;
	}
}
