/* SPDX-License-Identifier: Apache-2.0
 *
 * incident_graph.c - a picture of the tasks of a race and their creators, for the HTML page
 *
 * There are two columns, one for each access: boxes for the tasks, from the one where their
 * creators meet down to the two that race, and at the bottom a row with the accesses, marked.
 * Long chains leave out their middle.
 */
#include "report/incident_graph.h"

#include "report/incident_parts.h"

#include <stdio.h>
#include <string.h>

enum {
	BOX = 340, /* width */
	ROW = 46,  /* height of a box */
	STEP = 72, /* from box to box */
	SIDE = 60, /* between the columns */
	MOST = 4,  /* boxes of a chain */
	LINE = 46, /* bytes of a line in a box */
};

struct chain {
	snag_tid task[MOST]; /* outermost first; SNAG_NO_ID: some left out */
	unsigned n, left_out;
};

struct picture {
	const struct snag_incident_report *r;
	struct snag_printer *to;
};

static void chain_find(const struct snag_origins *origins, snag_tid task, snag_tid top,
		       struct chain *ret)
{
	snag_tid first = task, up[MOST];
	unsigned n = 0;
	while (n < origins->nthreads && task != SNAG_NO_ID) {
		if (n < MOST)
			up[n] = task;
		n++;
		if (task == top)
			break;
		task = snag_origin_of_thread(origins, task).thread;
	}
	*ret = (struct chain){.n = n < MOST ? n : MOST};
	if (n > MOST) {
		ret->left_out = n - MOST + 1;
		ret->task[0] = top;
		ret->task[1] = SNAG_NO_ID;
		ret->task[2] = up[1];
		ret->task[3] = first;
		return;
	}
	for (unsigned i = 0; i < n; i++)
		ret->task[i] = up[n - 1 - i];
}

static void line_at(struct picture *p, int x, int y, const char *words)
{
	char cut[LINE + 4];
	size_t n = strlen(words);
	snprintf(cut, sizeof(cut), "%.*s%s", LINE, words, n > LINE ? "..." : "");
	snag_printf(p->to, "<text x=\"%d\" y=\"%d\">", x, y);
	snag_html_text(p->to, cut);
	snag_print(p->to, "</text>\n");
}

static void box(struct picture *p, int x, int y, const char *class, const char *above,
		const char *below)
{
	snag_printf(p->to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"%s/>\n", x,
		    y, BOX, ROW, class);
	line_at(p, x + 10, y + 19, above);
	line_at(p, x + 10, y + 37, below);
}

/* From under a box to above another. */
static void edge(struct picture *p, int from_x, int from_y, int to_x, int to_y)
{
	snag_printf(p->to, "<path class=\"edge\" d=\"M%d %dL%d %dm-4 -7l4 7l4 -7\"/>\n", from_x,
		    from_y + ROW, to_x, to_y);
}

/* The end of a location: without its folders. */
static void place(struct picture *p, snag_loc loc, const char *before, char *buf, size_t room)
{
	char words[1024];
	snag_location_text(p->r->report->names, loc, words, sizeof(words));
	const char *slash = strrchr(words, '/');
	snprintf(buf, room, "%s%.200s", before, slash ? slash + 1 : words);
}

static void task_box(struct picture *p, int x, int y, snag_tid task)
{
	const char *name = snag_name(p->r->report->names, SNAG_SPACE_THREAD, task);
	struct snag_origin o = snag_origin_of_thread(p->r->origins, task);
	char label[SNAG_LABEL_ROOM] = "", above[300], below[300] = "";
	bool has_label = p->r->label && p->r->label(p->r->label_ctx, task, label, sizeof(label));
	snprintf(above, sizeof(above), "task %.40s%s%s", name + (name[0] == 'T'),
		 has_label ? ": " : "", has_label ? label : "");
	if (o.thread != SNAG_NO_ID)
		place(p, o.loc, "created at ", below, sizeof(below));
	box(p, x, y, "", above, below);
}

static void access_box(struct picture *p, int x, int y, const struct snag_site *site)
{
	char name[200], above[300], below[300];
	snag_variable_text(snag_name(p->r->report->names, SNAG_SPACE_VARIABLE, site->target), name,
			   sizeof(name));
	snprintf(above, sizeof(above), "%s of %u byte%s at %s",
		 snag_op_writes(site->op) ? "write" : "read", site->size, snag_plural(site->size),
		 name);
	place(p, site->loc, "", below, sizeof(below));
	box(p, x, y, " class=\"race\"", above, below);
}

/* A column: the chain, and the access at its end. */
static void column(struct picture *p, int x, int top, int bottom, const struct chain *chain,
		   const struct snag_site *site)
{
	char words[60];
	int y = top;
	for (unsigned i = 0; i < chain->n; i++, y += STEP) {
		if (i > 0)
			edge(p, x + BOX / 2, y - STEP, x + BOX / 2, y);
		if (chain->task[i] != SNAG_NO_ID) {
			task_box(p, x, y, chain->task[i]);
			continue;
		}
		snprintf(words, sizeof(words), "%u more, each created by the one above",
			 chain->left_out);
		box(p, x, y, "", words, "");
	}
	if (chain->n > 0)
		edge(p, x + BOX / 2, y - STEP, x + BOX / 2, bottom);
	access_box(p, x, bottom, site);
}

void snag_incident_graph(const struct snag_incident_report *r, const struct snag_incident *in,
			 struct snag_printer *to)
{
	const struct snag_site *site[2] = {&in->race->second, &in->race->first};
	struct picture p = {r, to};
	snag_tid met[2] = {site[0]->thread, site[1]->thread}, up[2], top;
	struct chain chain[2];
	int x[2] = {1, 1 + BOX + SIDE}, width = 2 * BOX + SIDE + 2;
	snag_tasks_meet(r->origins, met);
	for (int i = 0; i < 2; i++)
		up[i] = snag_origin_of_thread(r->origins, met[i]).thread;
	top = up[0] == met[1]	? met[1]
	      : up[1] == met[0] ? met[0]
	      : up[0] == up[1]	? up[0]
				: SNAG_NO_ID;
	for (int i = 0; i < 2; i++) {
		chain[i] = (struct chain){0};
		if (met[i] != top)
			chain_find(r->origins, site[i]->thread, met[i], &chain[i]);
	}
	unsigned most = chain[0].n > chain[1].n ? chain[0].n : chain[1].n;
	int first = 1 + (top != SNAG_NO_ID ? STEP : 0), bottom = first + (int)most * STEP;
	snag_printf(to,
		    "<svg class=\"graph\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" "
		    "aria-label=\"the tasks of this race and who created them\">\n",
		    width, bottom + ROW + 2, width);
	if (top != SNAG_NO_ID) {
		task_box(&p, (width - BOX) / 2, 1, top);
		for (int i = 0; i < 2; i++)
			edge(&p, (width - BOX) / 2 + (i ? 3 : 1) * BOX / 4, 1, x[i] + BOX / 2,
			     chain[i].n ? first : bottom);
	}
	for (int i = 0; i < 2; i++)
		column(&p, x[i], first, bottom, &chain[i], site[i]);
	snag_printf(to, "<path class=\"none\" d=\"M%d %dh%d\"/>\n</svg>\n", x[0] + BOX,
		    bottom + ROW / 2, SIDE);
}
