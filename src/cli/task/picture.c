/* SPDX-License-Identifier: Apache-2.0
 *
 * picture.c - the computation graph of a run of tasks, for graphviz
 */
#include "cli/task/picture.h"

#include "detect/tasks/graph.h"
#include "report/tasks/dot.h"

int cli_picture_write(const struct snag_source *src, const struct snag_analysis *a,
		      const char *title, const char *path, struct snag_error *err)
{
	struct snag_source *again;
	struct snag_cgraph graph;
	int rc = snag_source_again(src, &again, err);
	if (rc < 0)
		return rc;
	rc = snag_graph_load(again, &graph, err);
	snag_source_close(again);
	if (rc < 0)
		return rc;
	const struct snag_dot dot = {.title = title,
				     .graph = &graph,
				     .names = snag_analysis_names(a, src),
				     .findings = a->findings,
				     .nfindings = a->n};
	rc = snag_dot_write(&dot, path, err);
	snag_cgraph_done(&graph);
	return rc;
}
