/* SPDX-License-Identifier: Apache-2.0
 *
 * dot.h - pictures of task programs: the computation graph and its tree, for graphviz
 *
 * One file holds both.  The graph has steps with their task and accesses, and edges by kind.
 * The tree (DPST) has tasks, finishes and syncs above the steps.  Steps that race are red in
 * both, and a red line joins each racing pair.
 */
#ifndef SNAG_REPORT_DOT_H
#define SNAG_REPORT_DOT_H

#include "base/error.h"
#include "order/cgraph.h"
#include "report/printer.h"
#include "trace/names.h"
#include "trace/race.h"

struct snag_dot {
	const char *title; /* the name of the program */
	const struct snag_cgraph *graph;
	const struct snag_names *names;
	const struct snag_findings *findings; /* the findings whose races are marked */
	size_t nfindings;
	/* The number of steps to draw: those that race and their neighbours, or the first ones
	 * if none races; 0: SNAG_DOT_STEPS. */
	uint32_t limit;
};

enum { SNAG_DOT_STEPS = 200 };

/* Writes the file; "-" is standard output.  If the name ends in .svg, graphviz's `dot`, which
 * must be installed, draws it.  Any other file gets the text for graphviz. */
int snag_dot_write(const struct snag_dot *dot, const char *path, struct snag_error *err);

/* dot_svg.c: the same for any text for graphviz, which `print` writes. */
typedef void snag_dot_text(void *ctx, struct snag_printer *to);
int snag_dot_output(const char *path, snag_dot_text *print, void *ctx, struct snag_error *err);
/* Prints a name inside quotes, at most some 60 bytes of it. */
void snag_dot_name(struct snag_printer *to, const char *name);

#endif
