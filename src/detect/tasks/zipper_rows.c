/* SPDX-License-Identifier: Apache-2.0
 *
 * zipper_rows.c - the walks of zipper.c as rows, as in table 2 of the paper
 *
 * A row stands for a step of the graph, or for the place where two branches begin, change or
 * meet; it shows the state after it.  T1.2 is the second step of task 1, and the number of an
 * isolated block is its place among the blocks as they ran, in both walks.
 */
#include "detect/tasks/zipper.h"

#include "base/memory.h"

struct snag_zipper_rows {
	const struct snag_table *to;
	struct snag_table_row row;
	uint32_t *number; /* of each step in its task, from 1 */
};

struct snag_zipper_rows *snag_zipper_rows_new(const struct snag_zipper *z)
{
	static const char *const column[] = {"walk",   "step",	 "line", "Z",
					     "lambda", "slider", "S",	 "parallel to"};
	const struct snag_cgraph *g = &z->graph->g;
	if (!z->graph->env->rows)
		return NULL;
	struct snag_zipper_rows *r = snag_calloc(1, sizeof(*r));
	r->to = z->graph->env->rows;
	r->number = snag_alloc((g->nnodes + 1) * sizeof(*r->number));
	uint32_t *made = NULL; /* by task */
	size_t cap = 0;
	for (uint32_t n = 0; n < g->nnodes; n++) {
		made = snag_grow(made, &cap, (size_t)g->node[n].task + 1, sizeof(*made));
		r->number[n] = ++made[g->node[n].task];
	}
	free(made);
	snag_table_head(r->to, column, sizeof(column) / sizeof(column[0]));
	return r;
}

void snag_zipper_rows_free(struct snag_zipper_rows *r)
{
	if (!r)
		return;
	snag_table_row_done(&r->row);
	free(r->number);
	free(r);
}

static void step_add(const struct snag_zipper *z, uint32_t n)
{
	snag_table_row_add(&z->rows->row, "T%u.%u", z->graph->g.node[n].task, z->rows->number[n]);
}

static void set_put(const struct snag_zipper *z, const struct snag_zipper_set *set)
{
	const char *before = "{";
	for (uint32_t n = set->head; n; n = z->next[n - 1]) {
		snag_table_row_add(&z->rows->row, "%s", before);
		step_add(z, n - 1);
		before = ",";
	}
	snag_table_row_add(&z->rows->row, "%s", set->head ? "}" : "{}");
}

/* The number of a block as they ran. */
static uint32_t block_as_run(const struct snag_zipper *z, uint32_t block)
{
	return z->is_up ? z->graph->g.nisolated + 1 - block : block;
}

static void zipper_put(const struct snag_zipper *z)
{
	const char *before = "";
	for (uint32_t i = 1; i <= z->graph->g.nisolated; i++) {
		const struct snag_zipper_set *set = &z->zipper[block_as_run(z, i)];
		if (!set->head)
			continue;
		snag_table_row_add(&z->rows->row, "%s%u:", before, i);
		set_put(z, set);
		before = " ";
	}
}

static void bags_put(const struct snag_zipper *z)
{
	for (size_t b = 0; b < z->nbags; b++) {
		snag_table_row_add(&z->rows->row, "%s", b ? " " : "");
		set_put(z, &z->bag[b].pending);
	}
}

static void state_put(const struct snag_zipper *z)
{
	struct snag_table_row *row = &z->rows->row;
	snag_table_row_next(row);
	zipper_put(z);
	snag_table_row_next(row);
	bags_put(z);
	snag_table_row_next(row);
	if (z->branch.slider)
		snag_table_row_add(row, "%u", block_as_run(z, z->branch.slider));
	snag_table_row_next(row);
	set_put(z, &z->branch.pending);
}

static void walk_put(const struct snag_zipper *z)
{
	snag_table_row_next(&z->rows->row);
	snag_table_row_add(&z->rows->row, "%s", z->is_up ? "up" : "down");
	snag_table_row_next(&z->rows->row);
}

void snag_zipper_row_step(const struct snag_zipper *z, uint32_t step)
{
	if (!z->rows)
		return;
	struct snag_table_row *row = &z->rows->row;
	uint32_t block = z->graph->g.node[step].isolated, line = 0;
	walk_put(z);
	step_add(z, step);
	if (block)
		snag_table_row_add(row, " isolated %u", block);
	if (z->begin[step] < z->begin[step + 1])
		line = z->rows->to->line(z->rows->to->ctx,
					 z->graph->g.access[z->index[z->begin[step]]].loc);
	snag_table_row_next(row);
	if (line)
		snag_table_row_add(row, "%u", line);
	state_put(z);
	snag_table_row_next(row);
	for (size_t i = 0; i < z->nleft; i++) {
		snag_table_row_add(row, "%s", i ? "," : "");
		step_add(z, z->left[i]);
	}
	snag_table_row_put(row, z->rows->to);
}

void snag_zipper_row_at(const struct snag_zipper *z, const char *what)
{
	if (!z->rows)
		return;
	walk_put(z);
	snag_table_row_add(&z->rows->row, "%s", what);
	snag_table_row_next(&z->rows->row);
	state_put(z);
	snag_table_row_next(&z->rows->row);
	snag_table_row_put(&z->rows->row, z->rows->to);
}
