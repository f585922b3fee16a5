/* SPDX-License-Identifier: Apache-2.0
 *
 * tour.c - walk through a series-parallel graph; see tour.h
 *
 * The children of a node of the tree stand for its parts in a row, where a task among them
 * is branch A, and everything to its right under the same parent is branch B.  So all
 * branches B under one parent end together.
 *
 *   down   children left to right; behind the last one, a join for each task among them
 *   up     the tasks among them left to right, then the others right to left, with a join
 *          where a task is passed
 *
 * `mode` is what to do at the node `at`: look at it as the next child of its parent, in one of
 * the ways above, or leave it because all below it is done.
 */
#include "order/tour.h"

#include "base/memory.h"

enum mode {
	VISIT,	/* a child, from the left: down all of them, up only the tasks */
	JOINS,	/* down: a child, from the left, to be joined if it is a task */
	RETURN, /* up: a child, from the right */
	LEAVE,
};

void snag_tour_init(struct snag_tour *tour, const struct snag_cgraph *g,
		    enum snag_tour_direction direction)
{
	*tour = (struct snag_tour){.graph = g, .direction = direction};
	tour->at = g->tree[0].first;
	tour->mode = VISIT;
	if (!tour->at)
		tour->mode = LEAVE;
}

/* Moves from the last child of a row to what comes after its parent's children in that row. */
static void row_end(struct snag_tour *tour, const struct snag_ctree *child)
{
	const struct snag_ctree *parent = &tour->graph->tree[child->parent];
	if (tour->mode == VISIT && tour->direction == SNAG_TOUR_DOWN) {
		tour->mode = JOINS;
		tour->at = parent->first;
	} else if (tour->mode == VISIT) {
		tour->mode = RETURN;
		tour->at = parent->last;
	} else {
		tour->mode = LEAVE;
		tour->at = child->parent;
	}
}

static void row_next(struct snag_tour *tour, const struct snag_ctree *child)
{
	uint32_t next = tour->mode == RETURN ? child->prev : child->next;
	if (next)
		tour->at = next;
	else
		row_end(tour, child);
}

/* Goes to the first child, or leaves at once if there is none. */
static void enter(struct snag_tour *tour, const struct snag_ctree *node)
{
	tour->mode = node->first ? VISIT : LEAVE;
	if (node->first)
		tour->at = node->first;
}

/* Leaves a node when everything below it is done.  Returns true if a branch A ended. */
static bool leave(struct snag_tour *tour, const struct snag_ctree *node)
{
	bool is_task = node->kind == SNAG_CTREE_TASK;
	tour->mode = is_task || tour->direction == SNAG_TOUR_DOWN ? VISIT : RETURN;
	row_next(tour, node);
	return is_task;
}

bool snag_tour_next(struct snag_tour *tour, enum snag_tour_kind *ret_kind, uint32_t *ret_step)
{
	const struct snag_ctree *tree = tour->graph->tree;
	while (tour->mode != LEAVE || tour->at) {
		const struct snag_ctree *node = &tree[tour->at];
		bool is_task = node->kind == SNAG_CTREE_TASK;
		if (tour->mode == LEAVE) {
			*ret_kind = SNAG_TOUR_TURN;
			if (leave(tour, node))
				return true;
		} else if (tour->mode == VISIT && is_task) {
			*ret_kind = SNAG_TOUR_FORK;
			enter(tour, node);
			return true;
		} else if (tour->mode != VISIT && is_task) {
			*ret_kind = SNAG_TOUR_JOIN;
			row_next(tour, node);
			return true;
		} else if (tour->mode == JOINS ||
			   (tour->mode == VISIT && tour->direction == SNAG_TOUR_UP)) {
			row_next(tour, node); /* its turn comes in the other row */
		} else if (node->kind == SNAG_CTREE_STEP) {
			*ret_kind = SNAG_TOUR_STEP;
			*ret_step = node->id;
			row_next(tour, node);
			return true;
		} else {
			enter(tour, node);
		}
	}
	return false;
}

struct snag_sporder *snag_sporder_new(const struct snag_cgraph *g)
{
	struct snag_sporder *order = snag_alloc((g->nnodes + 1) * sizeof(*order));
	for (int up = 0; up < 2; up++) {
		struct snag_tour tour;
		enum snag_tour_kind kind;
		uint32_t step, n = 0;
		snag_tour_init(&tour, g, up ? SNAG_TOUR_UP : SNAG_TOUR_DOWN);
		while (snag_tour_next(&tour, &kind, &step)) {
			if (kind != SNAG_TOUR_STEP)
				continue;
			if (up)
				order[step].hebrew = (uint32_t)g->nnodes - 1 - n++;
			else
				order[step].english = n++;
		}
	}
	return order;
}

bool snag_sporder_is_exact(const struct snag_cgraph *g, const struct snag_sporder *order)
{
	if (!g->is_sp || !g->has_promises)
		return g->is_sp;
	for (uint32_t n = 0; n < g->nnodes; n++)
		for (uint32_t e = g->node[n].preds; e < snag_cgraph_preds_end(g, n); e++)
			if (g->pred[e].kind == SNAG_EDGE_PROMISE &&
			    !snag_sporder_precedes(order[g->pred[e].from], order[n]))
				return false;
	return true;
}
