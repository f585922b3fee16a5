/* SPDX-License-Identifier: Apache-2.0
 *
 * analyze_picture.c - `snag analyze --pair E1,E2 --dot FILE`: why a pair is no race, for graphviz
 *
 * Each thread is a box with those of its events that the explanation names, in program order.
 * Black arrows are the steps of the explanation, with their reasons.  Red lines join what cannot
 * be together: the two accesses, and the two sections that exclude each other.
 */
#include "cli/analyze/analyze_picture.h"

#include "base/memory.h"
#include "report/tasks/dot.h"

#include <stdlib.h>

struct picture {
	const struct snag_decided_pair *pair;
	uint32_t access[2];
	uint32_t *event; /* to draw, ascending */
	size_t n;
	struct snag_printer *to;
};

static int event_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void events_choose(struct picture *d)
{
	const struct snag_explanation *x = &d->pair->explanation;
	size_t n = 0;
	d->event = snag_realloc(NULL, x->n + 2, sizeof(*d->event));
	for (size_t i = 0; i < x->n; i++)
		d->event[n++] = x->event[i];
	d->event[n++] = d->access[0];
	d->event[n++] = d->access[1];
	qsort(d->event, n, sizeof(*d->event), event_compare);
	d->n = 0;
	for (size_t i = 0; i < n; i++)
		if (!d->n || d->event[d->n - 1] != d->event[i])
			d->event[d->n++] = d->event[i];
}

static const struct snag_event *event_at(const struct picture *d, uint32_t number)
{
	return &d->pair->ix->trace->ev[number];
}

/* "7: w(x)", and its location. */
static void event_print(struct picture *d, uint32_t number)
{
	const struct snag_event *ev = event_at(d, number);
	const struct snag_names *names = &d->pair->ix->trace->names;
	const struct snag_op_info *op = &snag_op_info[ev->op];
	snag_printf(d->to, "\t\te%u [label=\"%u: %s", number, number, op->text);
	if (op->space != SNAG_SPACE_NONE) {
		snag_print(d->to, "(");
		snag_dot_name(d->to, snag_name(names, op->space, ev->target));
		snag_print(d->to, ")");
	}
	snag_print(d->to, "\\n");
	snag_dot_name(d->to, snag_name(names, SNAG_SPACE_LOCATION, ev->loc));
	bool is_access = number == d->access[0] || number == d->access[1];
	snag_printf(d->to, "\"%s];\n", is_access ? ", color=red" : "");
}

static void thread_print(struct picture *d, snag_tid thread)
{
	const struct snag_names *names = &d->pair->ix->trace->names;
	uint32_t before = SNAG_NO_EVENT;
	for (size_t i = 0; i < d->n; i++) {
		if (event_at(d, d->event[i])->thread != thread)
			continue;
		if (before == SNAG_NO_EVENT) {
			snag_printf(d->to, "\tsubgraph cluster_%u {\n\t\tlabel=\"", thread);
			snag_dot_name(d->to, snag_name(names, SNAG_SPACE_THREAD, thread));
			snag_print(d->to, "\";\n");
		}
		event_print(d, d->event[i]);
		if (before != SNAG_NO_EVENT)
			snag_printf(d->to, "\t\te%u -> e%u [style=dotted, arrowhead=none];\n",
				    before, d->event[i]);
		before = d->event[i];
	}
	if (before != SNAG_NO_EVENT)
		snag_print(d->to, "\t}\n");
}

static void red_print(struct picture *d, uint32_t a, uint32_t b, const char *why)
{
	snag_printf(d->to,
		    "\te%u -> e%u [color=red, fontcolor=red, arrowhead=none, constraint=false, "
		    "label=\"%s\"];\n",
		    a, b, why);
}

static void steps_print(struct picture *d)
{
	const struct snag_explanation *x = &d->pair->explanation;
	size_t n = x->why == SNAG_WHY_CYCLE ? x->n : x->n - 1;
	for (size_t i = 0; i < n && x->n > 1; i++) {
		uint32_t from = x->event[i], then = x->event[(i + 1) % x->n];
		snag_printf(d->to, "\te%u -> e%u [label=\"%s\"];\n", from, then,
			    snag_explain_step(d->pair->ix, from, then));
	}
}

static void reason_print(struct picture *d)
{
	const struct snag_explanation *x = &d->pair->explanation;
	switch (x->why) {
	case SNAG_WHY_LOCK:
		red_print(d, x->event[0], x->event[1], "both hold the lock");
		break;
	case SNAG_WHY_SECTION:
		red_print(d, x->event[0], x->event[1], "neither section can end first");
		break;
	case SNAG_WHY_ORDERED:
	case SNAG_WHY_CYCLE:
		steps_print(d);
		break;
	default:
		break;
	}
}

static void picture_print(void *ctx, struct snag_printer *to)
{
	struct picture *d = ctx;
	d->to = to;
	snag_printf(to,
		    "digraph snag {\n\tlabelloc=t;\n\tlabel=\"%u and %u do not race: %s\";\n"
		    "\tfontname=\"sans-serif\";\n\tnode [shape=box, fontname=\"sans-serif\", "
		    "fontsize=11];\n\tedge [fontname=\"sans-serif\", fontsize=10];\n",
		    d->access[0], d->access[1], snag_why_text[d->pair->explanation.why]);
	for (snag_tid t = 0; t < d->pair->ix->nthreads; t++)
		thread_print(d, t);
	reason_print(d);
	red_print(d, d->access[0], d->access[1], "no race");
	snag_print(to, "}\n");
}

int cli_refuted_picture(const struct snag_decided_pair *pair, const uint64_t event[2],
			const char *path, struct snag_error *err)
{
	struct picture d = {.pair = pair, .access = {(uint32_t)event[0], (uint32_t)event[1]}};
	events_choose(&d);
	int rc = snag_dot_output(path, picture_print, &d, err);
	free(d.event);
	return rc;
}
