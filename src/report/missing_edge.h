/* SPDX-License-Identifier: Apache-2.0
 *
 * missing_edge.h - why nothing orders the tasks of a race, in a sentence
 */
#ifndef SNAG_REPORT_MISSING_EDGE_H
#define SNAG_REPORT_MISSING_EDGE_H

#include "report/origins.h"
#include "trace/names.h"
#include "trace/race.h"

/* How a program speaks of its tasks. */
enum snag_tongue { SNAG_TONGUE_SNAG, SNAG_TONGUE_OPENMP, SNAG_TONGUES };

/* What a task is to the programmer. */
enum snag_label_kind {
	SNAG_LABEL_NONE,   /* nothing is known */
	SNAG_LABEL_TASK,   /* one that it created */
	SNAG_LABEL_SHARE,  /* an iteration or section, of a construct that a team shares */
	SNAG_LABEL_THREAD, /* of a team, or a team of a league */
};

enum { SNAG_LABEL_ROOM = 200 };

/* In words as well: "iteration 7 of a loop"; unless the kind is SNAG_LABEL_NONE. */
typedef enum snag_label_kind snag_task_label(void *ctx, snag_tid task, char *buf, size_t room);

struct snag_missing_edge_facts {
	const struct snag_origins *origins;
	const struct snag_names *names;
	enum snag_tongue tongue;
	snag_task_label *label; /* may be NULL */
	void *label_ctx;
};

/* The ancestors of both, or they themselves, that the same task created; one of them is that task if
 * it is an ancestor of the other. */
void snag_tasks_meet(const struct snag_origins *origins, snag_tid task[2]);

/* Follows the creators of both tasks up to where they meet. */
void snag_missing_edge(const struct snag_race *race, const struct snag_missing_edge_facts *facts,
		       char *buf, size_t room);

#endif
