/* SPDX-License-Identifier: Apache-2.0
 *
 * cgraph.h - the computation graph of a run of tasks, and the tree behind it
 *
 * Idea.   A task is cut into *steps* wherever it creates a task, opens or closes a finish,
 *         syncs, sets or gets a promise, or enters or leaves an isolated block.  Steps are the
 *         nodes of the graph; for the order of events a step is indivisible.  The edges:
 *
 *           continue   to the next step of the task
 *           fork       from the step before a task is created to its first step
 *           join       from the last step of a task to the step after the finish or sync
 *                      that waited for it
 *           promise    from the step before a set to the step after a get of that promise
 *           isolated   from one isolated block to the one that ran next
 *
 *         A step comes before another if a path leads from it to the other.
 *
 *         Without the last two kinds most graphs are series-parallel, and the tree (DPST:
 *         dynamic program structure tree) describes them.  Its leaves are the steps.  A finish,
 *         or a block from the first spawn to the sync, comes before what stands to its right.  A
 *         task is parallel to what stands to its right under the same parent.
 *
 * State.  node[]     the steps, in an order that every edge follows
 *         pred[]     the edges, by the step they lead to
 *         access[]   the accesses of steps, in observed order; of equal accesses of one step
 *                    (same variable, same kind) only the first
 *         tree[]     the DPST; tree[0] is its root
 *         is_sp      the tree expresses the order of fork, join and continue edges exactly.  It
 *                    does not if a task outlives a sync that waited for its creator, or if a
 *                    task that is waited for elsewhere is created between a spawn and its sync.
 *                    The answer may be no although another tree would be exact.
 *
 * Input.  Events that make no sense (a task created twice, a finish that closes nothing) are
 *         ignored.  All ids are those of a trace, dense.
 * Cost.   O(1) per event; 12 bytes per step, 28 per node of the tree, 8 per edge, 20 per access.
 * Reference.  Nakade et al., Model-checking task parallel programs for data-race, NFM 2018;
 *             DPST: Raman et al., Scalable and precise dynamic datarace detection for structured
 *             parallelism, PLDI 2012.
 */
#ifndef SNAG_ORDER_CGRAPH_H
#define SNAG_ORDER_CGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SNAG_NO_NODE UINT32_MAX

enum snag_edge {
	SNAG_EDGE_CONTINUE,
	SNAG_EDGE_FORK,
	SNAG_EDGE_JOIN,
	SNAG_EDGE_PROMISE,
	SNAG_EDGE_ISOLATED,
};

struct snag_cnode {
	uint32_t task;
	uint32_t preds;	   /* first of its edges; they end where those of the next step begin */
	uint32_t isolated; /* its number among the isolated blocks as they ran, from 1; 0: none */
};

struct snag_cpred {
	uint32_t from;
	uint32_t kind; /* enum snag_edge */
};

struct snag_caccess {
	uint32_t node, variable, loc, event;
	bool is_write;
};

enum snag_ctree_kind {
	SNAG_CTREE_STEP,
	SNAG_CTREE_TASK,   /* async or spawn; the root */
	SNAG_CTREE_FINISH, /* from its begin to its end */
	SNAG_CTREE_SYNC,   /* from the first spawn of a frame to the sync */
};

struct snag_ctree { /* links are places in tree[], 0: none */
	uint32_t parent, first, last, prev, next;
	uint32_t id; /* of the step or the task */
	uint32_t kind;
};

struct snag_cgraph {
	struct snag_cnode *node;
	struct snag_cpred *pred;
	struct snag_caccess *access;
	struct snag_ctree *tree;
	size_t nnodes, npreds, naccesses, ntree;
	uint32_t nisolated;
	uint32_t nvariables; /* all variables of accesses are below this */
	bool is_sp, has_promises;

	/* Used while the graph is built; see cgraph.c. */
	struct snag_ctask *task;
	struct snag_cscope *scope;
	struct snag_clast *last;
	uint32_t *promise; /* the step before its set + 1, 0: not set */
	size_t nscopes;
	uint32_t last_isolated;
	size_t node_cap, pred_cap, access_cap, tree_cap, task_cap, scope_cap, last_cap, promise_cap;
};

void snag_cgraph_init(struct snag_cgraph *g);
void snag_cgraph_done(struct snag_cgraph *g); /* accepts NULL */

/* The events, in observed order; t is the task that executes them. */
void snag_cgraph_async(struct snag_cgraph *g, uint32_t t, uint32_t child);
void snag_cgraph_spawn(struct snag_cgraph *g, uint32_t t, uint32_t child);
void snag_cgraph_task_end(struct snag_cgraph *g, uint32_t t);
void snag_cgraph_finish_begin(struct snag_cgraph *g, uint32_t t);
void snag_cgraph_finish_end(struct snag_cgraph *g, uint32_t t);
void snag_cgraph_frame_begin(struct snag_cgraph *g, uint32_t t);
void snag_cgraph_frame_end(struct snag_cgraph *g, uint32_t t);
void snag_cgraph_sync(struct snag_cgraph *g, uint32_t t);
void snag_cgraph_set(struct snag_cgraph *g, uint32_t t, uint32_t promise);
void snag_cgraph_get(struct snag_cgraph *g, uint32_t t, uint32_t promise);
void snag_cgraph_isolated_begin(struct snag_cgraph *g, uint32_t t);
void snag_cgraph_isolated_end(struct snag_cgraph *g, uint32_t t);
void snag_cgraph_access(struct snag_cgraph *g, uint32_t t, uint32_t variable, bool is_write,
			uint32_t loc, uint32_t event);

static inline uint32_t snag_cgraph_preds_end(const struct snag_cgraph *g, uint32_t node)
{
	return node + 1 < g->nnodes ? g->node[node + 1].preds : (uint32_t)g->npreds;
}

/* Groups the accesses by variable: those of v are the members begin[v] to begin[v + 1] - 1 of
 * `index`, which are numbers of accesses in observed order.  The caller frees both arrays. */
void snag_cgraph_by_variable(const struct snag_cgraph *g, uint32_t **ret_begin,
			     uint32_t **ret_index);
/* The same by step. */
void snag_cgraph_by_node(const struct snag_cgraph *g, uint32_t **ret_begin, uint32_t **ret_index);

#endif
