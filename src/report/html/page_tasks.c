/* SPDX-License-Identifier: Apache-2.0
 *
 * page_tasks.c - the tasks of a race and their creators, for the picture on the page
 *
 * There are two chains, one for each access: from the task that created both, or an ancestor of
 * both, down to the one that makes the access.  Long chains leave out their middle, so that the
 * picture of a recursion of 1,000 calls has as many boxes as that of 4.
 */
#include "report/html/page.h"

enum { MOST = 4 }; /* tasks of a chain */

struct chain {
	snag_tid task[MOST]; /* outermost first; SNAG_NO_ID: some left out */
	unsigned n, left_out;
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

static void task_object(struct snag_json *j, const struct snag_incident_report *r, const char *key,
			snag_tid task)
{
	struct snag_origin o = snag_origin_of_thread(r->origins, task);
	char text[1024];
	snag_json_object(j, key);
	snag_json_string(j, "name", snag_name(r->report->names, SNAG_SPACE_THREAD, task));
	if (r->label && r->label(r->label_ctx, task, text, SNAG_LABEL_ROOM))
		snag_json_string(j, "label", text);
	if (o.thread != SNAG_NO_ID) {
		snag_location_text(r->report->names, o.loc, text, sizeof(text));
		snag_json_string(j, "created", text);
	}
	snag_json_end(j);
}

void snag_page_tasks(struct snag_json *j, const struct snag_incident_report *r,
		     const struct snag_race *race)
{
	const snag_tid end[2] = {race->first.thread, race->second.thread};
	snag_tid met[2] = {end[0], end[1]}, up[2];
	snag_tasks_meet(r->origins, met);
	for (int i = 0; i < 2; i++)
		up[i] = snag_origin_of_thread(r->origins, met[i]).thread;
	snag_tid top = up[0] == met[1]	 ? met[1]
		       : up[1] == met[0] ? met[0]
		       : up[0] == up[1]	 ? up[0]
					 : SNAG_NO_ID;
	snag_json_object(j, "graph");
	if (top != SNAG_NO_ID)
		task_object(j, r, "top", top);
	snag_json_array(j, "chains");
	for (int i = 0; i < 2; i++) {
		struct chain chain = {0};
		if (met[i] != top)
			chain_find(r->origins, end[i], met[i], &chain);
		snag_json_array(j, NULL);
		for (unsigned k = 0; k < chain.n; k++) {
			if (chain.task[k] != SNAG_NO_ID)
				task_object(j, r, NULL, chain.task[k]);
			else
				snag_json_uint(j, NULL, chain.left_out);
		}
		snag_json_end(j);
	}
	snag_json_end(j);
	snag_json_end(j);
}
