/* SPDX-License-Identifier: Apache-2.0
 *
 * zipper.c - races of the computation graph by walking down and up its branches
 *
 * Idea.   Two steps are parallel if they lie in the two branches of a fork, and isolation orders
 *         them in neither direction.  Walk down the graph, first branch A of a fork, then B, and
 *         remember the steps of A by the next isolated block below them (zipper, Z).  Those
 *         whose block ran no later than the last one above a step n of B come before n.  Walk up
 *         in the same way to find those that come after n.  The pairs that remain in both walks
 *         are parallel.
 *
 * State.  Of a walk; block numbers count in the direction of the walk, so that both are one:
 *         zipper[i]   the steps for which block i is the next (Z-down and Z-up)
 *         branch      pending  the steps for which no block has come yet (S)
 *                     slider   the last block passed on the way from the beginning (slider)
 *                     first    the smallest block in the branch
 *         bag         of every fork whose branch B is being walked, what A left: its pending
 *                     steps (Z-lambda) and its blocks (B_lambda, B_i); the blocks of A are next
 *                     to each other in the order of the walk
 *         found       pairs (n, n') that conflict and remained in the walk down (C)
 *
 * Rules.  [step]   pending += n.  In an isolated block i: slider = i, zipper[i] += pending,
 *                  pending = {}, unless no block follows i.  Then [check]
 *         [fork]   A begins: pending = {}
 *         [turn]   the bag gets what A left; B begins: pending = {}, slider as before A
 *         [join]   the bag loses A; the steps that were pending at the fork go to the smallest
 *                  block of A and B, if there is one; otherwise they, and those still pending in
 *                  A and B, are pending; slider = the greater one of A and B
 *         [check]  n' in the bag, pending or in zipper[i] with i > slider: down, (n, n') is
 *                  found; up, (n, n') is a race if it was found
 *         [other]  graphs that are not series-parallel, or where promises add to the order: by
 *                  transitive closure, see graph.h
 *
 *         The published algorithm misses races and reports false ones where forks are nested. It
 *         walks each branch down and up before it has seen what follows its join.  It does not
 *         hand what nested branches leave to the enclosing branch.  On the way up it checks an
 *         isolated step before it sets the slider.
 *
 * Guarantee.  The racy variables of the run are found exactly, with one parallel access for each
 *             variable of a step that races.  Race-free on every schedule if no two conflicting
 *             accesses are ordered only by isolation, or both isolated.
 * Cost.   steps x (steps + isolated blocks) in the worst case, times the accesses of a step.
 * Reference.  Storey, Powell, Ogles, Hooker, Aldous and Mercer, Optimized sound and complete
 *             data race detection in structured parallel programs, 2020.
 */
#include "detect/tasks/zipper.h"

#include "base/memory.h"

static void set_add(struct snag_zipper *z, struct snag_zipper_set *to, struct snag_zipper_set *from)
{
	if (!from->head)
		return;
	if (to->head)
		z->next[to->tail - 1] = from->head;
	else
		to->head = from->head;
	to->tail = from->tail;
	*from = (struct snag_zipper_set){0};
}

static bool conflict(const struct snag_zipper *z, uint32_t n, uint32_t other)
{
	for (uint32_t i = z->begin[other]; i < z->begin[other + 1]; i++) {
		const struct snag_caccess *a = &z->graph->g.access[z->index[i]];
		const struct snag_zipper_marks *m = &z->marks[a->variable];
		if (m->write == n + 1 || (a->is_write && m->read == n + 1))
			return true;
	}
	return false;
}

/* Reports the races of the two steps, one for each variable of n. */
static void races_report(struct snag_zipper *z, uint32_t n, uint32_t other)
{
	const struct snag_caccess *access = z->graph->g.access;
	for (uint32_t i = z->begin[n]; i < z->begin[n + 1]; i++)
		for (uint32_t k = z->begin[other]; k < z->begin[other + 1]; k++) {
			const struct snag_caccess *a = &access[z->index[i]];
			const struct snag_caccess *b = &access[z->index[k]];
			struct snag_zipper_marks *m = &z->marks[a->variable];
			if (a->variable != b->variable || !snag_graph_conflict(a, b) ||
			    m->race == n + 1)
				continue;
			m->race = n + 1;
			snag_graph_race(z->graph, a, b);
		}
}

static void left_add(struct snag_zipper *z, uint32_t other)
{
	if (!z->rows)
		return;
	z->left = snag_grow(z->left, &z->left_cap, z->nleft + 1, sizeof(*z->left));
	z->left[z->nleft++] = other;
}

static void pair_check(struct snag_zipper *z, uint32_t n, uint32_t other)
{
	if (z->is_up) {
		if (z->stamp[other] == n + 1) {
			left_add(z, other);
			races_report(z, n, other);
		}
		return;
	}
	if (!conflict(z, n, other))
		return;
	left_add(z, other);
	z->found = snag_grow(z->found, &z->found_cap, z->nfound + 1, sizeof(*z->found));
	z->found[z->nfound++] = other;
}

static void set_check(struct snag_zipper *z, uint32_t n, const struct snag_zipper_set *set)
{
	for (uint32_t other = set->head; other; other = z->next[other - 1])
		pair_check(z, n, other - 1);
}

static void bags_check(struct snag_zipper *z, uint32_t n)
{
	for (size_t b = 0; b < z->nbags; b++) {
		const struct snag_zipper_bag *bag = &z->bag[b];
		set_check(z, n, &bag->pending);
		for (uint32_t i = bag->begin; i < bag->end; i++)
			if (z->passed[i] > z->branch.slider)
				set_check(z, n, &z->zipper[z->passed[i]]);
	}
}

static void step_check(struct snag_zipper *z, uint32_t n) /* [check] */
{
	if (z->begin[n] == z->begin[n + 1])
		return;
	if (z->is_up) {
		if (z->found_begin[n] == z->found_end[n])
			return;
		for (size_t i = z->found_begin[n]; i < z->found_end[n]; i++)
			z->stamp[z->found[i]] = n + 1;
		bags_check(z, n);
		return;
	}
	for (uint32_t i = z->begin[n]; i < z->begin[n + 1]; i++) {
		const struct snag_caccess *a = &z->graph->g.access[z->index[i]];
		struct snag_zipper_marks *m = &z->marks[a->variable];
		*(a->is_write ? &m->write : &m->read) = n + 1;
	}
	z->found_begin[n] = z->nfound;
	bags_check(z, n);
	z->found_end[n] = z->nfound;
}

static void step_visit(struct snag_zipper *z, uint32_t n) /* [step] */
{
	struct snag_zipper_set self = {n + 1, n + 1};
	uint32_t nblocks = z->graph->g.nisolated, block = z->graph->g.node[n].isolated;
	z->next[n] = 0;
	set_add(z, &z->branch.pending, &self);
	if (block) {
		if (z->is_up)
			block = nblocks + 1 - block;
		z->passed[z->npassed++] = block;
		z->branch.slider = block;
		if (block < z->branch.first)
			z->branch.first = block;
		if (block < nblocks)
			set_add(z, &z->zipper[block], &z->branch.pending);
	}
	z->nleft = 0;
	step_check(z, n);
	snag_zipper_row_step(z, n);
}

static void fork_visit(struct snag_zipper *z) /* [fork] */
{
	z->fork = snag_grow(z->fork, &z->fork_cap, z->nforks + 1, sizeof(*z->fork));
	z->fork[z->nforks++] = (struct snag_zipper_fork){.outer = z->branch, .blocks = z->npassed};
	z->branch.pending = (struct snag_zipper_set){0};
	z->branch.first = SNAG_ZIPPER_NO_BLOCK;
}

static void turn_visit(struct snag_zipper *z) /* [turn] */
{
	struct snag_zipper_fork *f = &z->fork[z->nforks - 1];
	f->a = z->branch;
	z->bag = snag_grow(z->bag, &z->bag_cap, z->nbags + 1, sizeof(*z->bag));
	z->bag[z->nbags++] = (struct snag_zipper_bag){
		.pending = z->branch.pending, .begin = f->blocks, .end = z->npassed};
	z->branch = (struct snag_zipper_branch){.slider = f->outer.slider,
						.first = SNAG_ZIPPER_NO_BLOCK};
}

static void join_visit(struct snag_zipper *z) /* [join] */
{
	struct snag_zipper_fork *f = &z->fork[--z->nforks];
	struct snag_zipper_branch joined = f->outer;
	uint32_t first = f->a.first < z->branch.first ? f->a.first : z->branch.first;
	z->nbags--;
	if (first < z->graph->g.nisolated)
		set_add(z, &z->zipper[first], &joined.pending);
	set_add(z, &joined.pending, &f->a.pending);
	set_add(z, &joined.pending, &z->branch.pending);
	joined.slider = f->a.slider > z->branch.slider ? f->a.slider : z->branch.slider;
	if (first < joined.first)
		joined.first = first;
	z->branch = joined;
}

static void walk(struct snag_zipper *z, enum snag_tour_direction direction)
{
	static const char *const word[] = {
		[SNAG_TOUR_FORK] = "fork", [SNAG_TOUR_TURN] = "turn", [SNAG_TOUR_JOIN] = "join"};
	struct snag_tour tour;
	enum snag_tour_kind kind;
	uint32_t step;
	z->is_up = direction == SNAG_TOUR_UP;
	z->npassed = 0;
	z->branch = (struct snag_zipper_branch){.first = SNAG_ZIPPER_NO_BLOCK};
	free(z->zipper);
	z->zipper = snag_calloc((size_t)z->graph->g.nisolated + 1, sizeof(*z->zipper));
	snag_tour_init(&tour, &z->graph->g, direction);
	while (!snag_graph_is_stopped(z->graph) && snag_tour_next(&tour, &kind, &step)) {
		if (kind == SNAG_TOUR_STEP)
			step_visit(z, step);
		else if (kind == SNAG_TOUR_FORK)
			fork_visit(z);
		else if (kind == SNAG_TOUR_TURN)
			turn_visit(z);
		else
			join_visit(z);
		if (kind != SNAG_TOUR_STEP)
			snag_zipper_row_at(z, word[kind]);
	}
}

static void zipper_init(struct snag_zipper *z, struct snag_graph *graph)
{
	size_t n = graph->g.nnodes + 1;
	*z = (struct snag_zipper){.graph = graph};
	snag_cgraph_by_node(&graph->g, &z->begin, &z->index);
	z->next = snag_alloc(n * sizeof(*z->next));
	z->passed = snag_alloc(((size_t)graph->g.nisolated + 1) * sizeof(*z->passed));
	z->marks = snag_calloc((size_t)graph->g.nvariables + 1, sizeof(*z->marks));
	z->found_begin = snag_calloc(n, sizeof(*z->found_begin));
	z->found_end = snag_calloc(n, sizeof(*z->found_end));
	z->stamp = snag_calloc(n, sizeof(*z->stamp));
	z->rows = snag_zipper_rows_new(z);
}

static void zipper_done(struct snag_zipper *z)
{
	free(z->begin);
	free(z->index);
	free(z->next);
	free(z->zipper);
	free(z->passed);
	free(z->fork);
	free(z->bag);
	free(z->marks);
	free(z->found);
	free(z->found_begin);
	free(z->found_end);
	free(z->stamp);
	free(z->left);
	snag_zipper_rows_free(z->rows);
}

/* Runs both walks.  They do not show which pairs only isolation orders; the order does. */
static void walks_search(struct snag_graph *graph, const struct snag_sporder *order)
{
	struct snag_zipper z;
	zipper_init(&z, graph);
	walk(&z, SNAG_TOUR_DOWN);
	walk(&z, SNAG_TOUR_UP);
	zipper_done(&z);
	graph->is_ordered = !snag_graph_is_stopped(graph);
	for (uint32_t v = 0; v < graph->g.nvariables && graph->is_ordered; v++)
		graph->is_ordered = snag_graph_is_ordered(graph, order, v);
}

static void zipper_end(void *state)
{
	struct snag_graph *graph = state;
	snag_graph_complete(graph);
	struct snag_sporder *order = snag_graph_order(graph);
	if (order)
		walks_search(graph, order);
	else
		snag_graph_closure(graph); /* [other] */
	free(order);
}

const struct snag_detector snag_detector_zipper = {
	.name = "zipper",
	.summary = "races of the computation graph, by walking down and up its branches",
	.kind = "tasks",
	.guarantee = "exact for the observed order of isolated blocks; proves race freedom if "
		     "isolation orders no conflict",
	.cost = "steps x (parallel steps + isolated blocks); as cg if promises or syncs make the "
		"graph not series-parallel",
	.reference = "Storey et al., 2020",
	.ops = SNAG_OPS_COMMON | SNAG_OPS_OF_TASKS,
	.verdict = SNAG_OBSERVED,
	.has_rows = true,
	.open = snag_graph_open,
	.events = snag_graph_events,
	.end = zipper_end,
	.proves = snag_graph_proves,
	.stats = snag_graph_stats,
	.close = snag_graph_close,
};
