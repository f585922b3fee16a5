/* SPDX-License-Identifier: Apache-2.0
 *
 * dot.c - the computation graph and its tree as text for graphviz; see dot.h
 *
 * Names come from traces and may contain anything.  snag_dot_name() escapes quotes and
 * backslashes, and snag_print_name() handles the rest.  If a graph exceeds the limit, only the
 * steps that race and those fewest edges away are drawn.  The others are left out with their edges
 * and their place in the tree, and a note says how many.
 *
 * Graphviz takes minutes for the best picture of some hundred steps.  So for a large graph the
 * text asks for a good picture with straight edges, and the names at the red lines become
 * tooltips.
 */
#include "report/tasks/dot.h"

#include "report/source/origins.h"

#include "base/memory.h"
#include "trace/callstack.h"

#include <stdio.h>
#include <string.h>

enum { ACCESSES_SHOWN = 8, RACES_SHOWN = 100, LARGE = 60 };

struct racing {
	uint32_t first, second; /* steps */
	uint32_t variable;
};

struct drawing {
	const struct snag_dot *dot;
	const struct snag_cgraph *g;
	uint32_t nsteps;	 /* that are drawn */
	bool *is_shown;		 /* by step: it is one of them */
	bool *is_racy;		 /* by step */
	uint32_t *begin, *index; /* accesses by step */
	struct racing race[RACES_SHOWN];
	unsigned nraces;
	struct snag_printer *to;
};

static const char *const edge_style[] = {
	[SNAG_EDGE_CONTINUE] = "",
	[SNAG_EDGE_FORK] = " [color=blue]",
	[SNAG_EDGE_JOIN] = " [color=darkgreen]",
	[SNAG_EDGE_PROMISE] = " [color=darkorange, style=dashed]",
	[SNAG_EDGE_ISOLATED] = " [color=purple, style=dotted, penwidth=2]",
};

/* Returns the step of an access.  The access may be a later one of several equal ones of that
 * step, so this is the step of the last recorded access that is not later; SNAG_NO_NODE if there
 * is none. */
static uint32_t step_of(const struct drawing *d, const struct snag_site *site)
{
	uint32_t step = SNAG_NO_NODE;
	for (size_t i = 0; i < d->g->naccesses; i++) {
		const struct snag_caccess *a = &d->g->access[i];
		if (a->event > site->event)
			break;
		if (a->variable == site->target && d->g->node[a->node].task == site->thread &&
		    a->is_write == snag_op_writes(site->op))
			step = a->node;
	}
	return step;
}

static void print_variable(struct drawing *d, uint32_t id)
{
	char name[200];
	snag_variable_text(snag_name(d->dot->names, SNAG_SPACE_VARIABLE, id), name, sizeof(name));
	snag_dot_name(d->to, name);
}

static void access_print(struct drawing *d, const struct snag_caccess *a)
{
	char place[1024];
	snag_location_text(d->dot->names, a->loc, place, sizeof(place));
	const char *slash = strrchr(place, '/');
	snag_dot_name(d->to, slash ? slash + 1 : place);
	snag_print(d->to, a->is_write ? " w " : " r ");
	print_variable(d, a->variable);
	snag_print(d->to, "\\l");
}

static void step_print(struct drawing *d, uint32_t n)
{
	const struct snag_cnode *node = &d->g->node[n];
	uint32_t first = d->begin[n], naccesses = d->begin[n + 1] - first;
	snag_printf(d->to, "\t\ts%u [label=\"%u: task ", n, n);
	snag_dot_name(d->to, snag_name(d->dot->names, SNAG_SPACE_THREAD, node->task));
	if (node->isolated)
		snag_printf(d->to, ", isolated %u", node->isolated);
	snag_print(d->to, naccesses || node->isolated ? "\\n" : "");
	for (uint32_t i = 0; i < naccesses && i < ACCESSES_SHOWN; i++)
		access_print(d, &d->g->access[d->index[first + i]]);
	if (naccesses > ACCESSES_SHOWN)
		snag_printf(d->to, "%u more\\l", naccesses - ACCESSES_SHOWN);
	snag_printf(d->to, "\"%s%s];\n",
		    node->isolated ? ", peripheries=2"
		    : naccesses	   ? ""
				   : ", shape=ellipse, fontcolor=gray40, color=gray60",
		    d->is_racy[n] ? ", color=red, fontcolor=red, penwidth=2" : "");
}

/* Finds the racing pairs of steps, each variable once, up to a limit. */
static void races_find(struct drawing *d)
{
	for (size_t f = 0; f < d->dot->nfindings; f++) {
		const struct snag_findings *findings = &d->dot->findings[f];
		for (size_t i = 0; i < findings->nraces && d->nraces < RACES_SHOWN; i++) {
			const struct snag_race *race = &findings->race[i];
			struct racing r = {step_of(d, &race->first), step_of(d, &race->second),
					   race->first.target};
			unsigned k = 0;
			if (r.first == SNAG_NO_NODE || r.second == SNAG_NO_NODE)
				continue;
			d->is_racy[r.first] = d->is_racy[r.second] = true;
			while (k < d->nraces && memcmp(&d->race[k], &r, sizeof(r)) != 0)
				k++;
			d->race[k] = r;
			d->nraces += k == d->nraces;
		}
	}
}

static bool is_large(const struct drawing *d)
{
	return d->nsteps > LARGE;
}

static void races_print(struct drawing *d)
{
	for (unsigned i = 0; i < d->nraces; i++) {
		const struct racing *r = &d->race[i];
		if (!d->is_shown[r->first] || !d->is_shown[r->second])
			continue;
		snag_printf(d->to,
			    "\t\ts%u -> s%u [dir=none, constraint=false, color=red, fontcolor=red, "
			    "style=bold, %s=\"",
			    r->first, r->second, is_large(d) ? "tooltip" : "label");
		print_variable(d, r->variable);
		snag_print(d->to, "\"];\n");
	}
}

static void graph_print(struct drawing *d)
{
	snag_print(
		d->to,
		"\tsubgraph cluster_graph {\n"
		"\t\tlabel=\"computation graph: continue black, fork blue, join green, set to get "
		"orange, isolated order purple, race red\";\n"
		"\t\tnode [shape=box];\n");
	for (uint32_t n = 0; n < d->g->nnodes; n++)
		if (d->is_shown[n])
			step_print(d, n);
	for (uint32_t n = 0; n < d->g->nnodes; n++)
		for (uint32_t e = d->g->node[n].preds; e < snag_cgraph_preds_end(d->g, n); e++)
			if (d->is_shown[n] && d->is_shown[d->g->pred[e].from])
				snag_printf(d->to, "\t\ts%u -> s%u%s;\n", d->g->pred[e].from, n,
					    edge_style[d->g->pred[e].kind]);
	races_print(d);
	snag_print(d->to, "\t}\n");
}

/* Marks the nodes of the tree to draw: the shown steps and what is above them.  Children come
 * after their parents in tree[]. */
static bool *tree_shown(const struct drawing *d)
{
	bool *shown = snag_calloc(d->g->ntree, sizeof(*shown));
	for (size_t i = d->g->ntree; i-- > 1;) {
		const struct snag_ctree *node = &d->g->tree[i];
		shown[i] |= node->kind == SNAG_CTREE_STEP && d->is_shown[node->id];
		shown[node->parent] |= shown[i];
	}
	shown[0] = true;
	return shown;
}

static void tree_node_print(struct drawing *d, size_t i)
{
	const struct snag_ctree *node = &d->g->tree[i];
	snag_printf(d->to, "\t\tt%zu [label=\"", i);
	if (node->kind == SNAG_CTREE_STEP) {
		snag_printf(d->to, "%u\", shape=box%s", node->id,
			    d->is_racy[node->id] ? ", color=red, fontcolor=red, penwidth=2" : "");
	} else if (node->kind == SNAG_CTREE_TASK) {
		snag_print(d->to, "task ");
		snag_dot_name(d->to, snag_name(d->dot->names, SNAG_SPACE_THREAD, node->id));
		snag_print(d->to, "\", color=blue");
	} else {
		snag_printf(d->to, "%s\", color=darkgreen",
			    node->kind == SNAG_CTREE_SYNC ? "spawns to sync" : "finish");
	}
	snag_print(d->to, "];\n");
}

static void tree_print(struct drawing *d)
{
	bool *shown = tree_shown(d);
	snag_print(d->to,
		   "\tsubgraph cluster_tree {\n"
		   "\t\tlabel=\"DPST\\na task is parallel to what is to its right\\nunder the same "
		   "parent\";\n"
		   "\t\tnode [shape=ellipse];\n\t\tedge [arrowhead=none];\n");
	for (size_t i = 0; i < d->g->ntree; i++)
		if (shown[i])
			tree_node_print(d, i);
	for (size_t i = 0; i < d->g->ntree; i++)
		for (uint32_t c = d->g->tree[i].first; shown[i] && c; c = d->g->tree[c].next)
			if (shown[c])
				snag_printf(d->to, "\t\tt%zu -> t%u;\n", i, c);
	snag_print(d->to, "\t}\n");
	free(shown);
}

static void drawing_print(struct drawing *d)
{
	snag_print(d->to, "digraph snag {\n\tlabelloc=t;\n\tlabel=\"");
	snag_dot_name(d->to, d->dot->title);
	if (d->nsteps < d->g->nnodes)
		snag_printf(d->to, "\\n%s%u of %zu steps", d->nraces ? "" : "the first ", d->nsteps,
			    d->g->nnodes);
	snag_print(d->to, "\";\n\tordering=out;\n\tfontname=\"sans-serif\";\n"
			  "\tnode [fontname=\"sans-serif\", fontsize=11];\n"
			  "\tedge [fontname=\"sans-serif\", fontsize=11];\n");
	if (is_large(d))
		snag_print(d->to, "\tnslimit=1;\n\tnslimit1=1;\n\tsplines=line;\n");
	graph_print(d);
	tree_print(d);
	snag_print(d->to, "}\n");
}

static void show(struct drawing *d, uint32_t step, uint32_t *queue, uint32_t limit)
{
	if (d->nsteps == limit || d->is_shown[step])
		return;
	d->is_shown[step] = true;
	queue[d->nsteps++] = step;
}

/* Returns where the successors of each step begin in *ret_to; the caller frees the array, which
 * holds both. */
static uint32_t *steps_behind(const struct snag_cgraph *g, uint32_t **ret_to)
{
	uint32_t *begin = snag_calloc(g->nnodes + 2 + g->npreds, sizeof(*begin));
	uint32_t *to = begin + g->nnodes + 2;
	for (size_t e = 0; e < g->npreds; e++)
		begin[g->pred[e].from + 2]++;
	for (size_t n = 2; n < g->nnodes + 2; n++)
		begin[n] += begin[n - 1];
	for (uint32_t n = 0; n < g->nnodes; n++)
		for (uint32_t e = g->node[n].preds; e < snag_cgraph_preds_end(g, n); e++)
			to[begin[g->pred[e].from + 1]++] = n;
	*ret_to = to;
	return begin;
}

/* Chooses steps breadth first from those that race, or from the first one. */
static void steps_choose(struct drawing *d, uint32_t limit)
{
	const struct snag_cgraph *g = d->g;
	uint32_t *queue = snag_calloc(limit, sizeof(*queue)), *to;
	uint32_t *begin = steps_behind(g, &to);
	for (unsigned i = 0; i < d->nraces; i++) {
		show(d, d->race[i].first, queue, limit);
		show(d, d->race[i].second, queue, limit);
	}
	for (uint32_t q = 0; q < d->nsteps; q++) {
		uint32_t n = queue[q];
		for (uint32_t e = g->node[n].preds; e < snag_cgraph_preds_end(g, n); e++)
			show(d, g->pred[e].from, queue, limit);
		for (uint32_t e = begin[n]; e < begin[n + 1]; e++)
			show(d, to[e], queue, limit);
	}
	for (uint32_t n = 0; n < g->nnodes && d->nsteps < limit; n++)
		show(d, n, queue, limit);
	free(queue);
	free(begin);
}

static void text_print(void *ctx, struct snag_printer *to)
{
	const struct snag_dot *dot = ctx;
	struct drawing d = {.dot = dot, .g = dot->graph, .to = to};
	uint32_t limit = dot->limit ? dot->limit : SNAG_DOT_STEPS;
	d.is_racy = snag_calloc(d.g->nnodes + 1, sizeof(*d.is_racy));
	d.is_shown = snag_calloc(d.g->nnodes + 1, sizeof(*d.is_shown));
	snag_cgraph_by_node(d.g, &d.begin, &d.index);
	races_find(&d);
	steps_choose(&d, limit);
	drawing_print(&d);
	free(d.begin);
	free(d.index);
	free(d.is_racy);
	free(d.is_shown);
}

int snag_dot_write(const struct snag_dot *dot, const char *path, struct snag_error *err)
{
	struct snag_dot of = *dot;
	return snag_dot_output(path, text_print, &of, err);
}
