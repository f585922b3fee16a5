/* SPDX-License-Identifier: Apache-2.0
 *
 * cg.c - races of the computation graph by its transitive closure
 *
 * Idea.   Build the graph, compute which steps come before which, and look at every pair of
 *         conflicting accesses.  The reference for the other graph detectors.
 *
 * State.  The graph (order/cgraph.h), and a strip of its closure at a time (order/closure.h).
 *
 * Rules.  [race]  two accesses to one variable, at least one a write, in steps of which neither
 *                 comes before the other, by edges of all kinds
 *
 * Guarantee.  The racy variables of the run are found exactly, with one later access for each
 *         access that races.  Race-free on every schedule if no two conflicting accesses are
 *         ordered by isolation only, or isolated both.
 * Cost.   Steps x edges / 64, and all conflicting pairs; the graph and 64 MB.
 * Reference.  Nakade, Mercer, Aldous and McCarthy, Model-checking task parallel programs for
 *         data-race, NFM 2018.
 */
#include "detect/tasks/graph.h"

static void cg_end(void *state)
{
	snag_graph_complete(state);
	snag_graph_closure(state);
}

const struct snag_detector snag_detector_cg = {
	.name = "cg",
	.summary = "races of the computation graph, by its transitive closure",
	.kind = "tasks",
	.guarantee = "exact for the observed order of isolated blocks; proves race freedom if "
		     "isolation orders no conflict",
	.cost = "steps x edges / 64, and all conflicting pairs",
	.reference = "Nakade et al., NFM 2018",
	.ops = SNAG_OPS_COMMON | SNAG_OPS_OF_TASKS,
	.verdict = SNAG_OBSERVED,
	.open = snag_graph_open,
	.events = snag_graph_events,
	.end = cg_end,
	.proves = snag_graph_proves,
	.stats = snag_graph_stats,
	.close = snag_graph_close,
};
