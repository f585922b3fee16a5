/* SPDX-License-Identifier: Apache-2.0
 *
 * missing_edge.h - one sentence on why nothing orders the tasks of a race
 */
#ifndef SNAG_REPORT_MISSING_EDGE_H
#define SNAG_REPORT_MISSING_EDGE_H

#include "report/source/origins.h"
#include "trace/names.h"
#include "trace/race.h"

/* The dialect in which a program speaks of its tasks. */
enum snag_tongue { SNAG_TONGUE_SNAG, SNAG_TONGUE_OPENMP, SNAG_TONGUES };

/* What a task is for the programmer. */
enum snag_label_kind {
	SNAG_LABEL_NONE,   /* unknown */
	SNAG_LABEL_TASK,   /* a task that the program created */
	SNAG_LABEL_SHARE,  /* an iteration or section of a worksharing construct */
	SNAG_LABEL_THREAD, /* a thread of a team, or a team of a league */
};

enum { SNAG_LABEL_ROOM = 200 };

/* Returns the kind and, unless it is SNAG_LABEL_NONE, writes it in words: "iteration 7 of a
 * loop". */
typedef enum snag_label_kind snag_task_label(void *ctx, snag_tid task, char *buf, size_t room);

struct snag_missing_edge_facts {
	const struct snag_origins *origins;
	const struct snag_names *names;
	enum snag_tongue tongue;
	snag_task_label *label; /* may be NULL */
	void *label_ctx;
};

/* Replaces both tasks by those of their ancestors, or themselves, that the same task created.
 * If one task is an ancestor of the other, it stays. */
void snag_tasks_meet(const struct snag_origins *origins, snag_tid task[2]);

/* Writes the sentence.  It follows the creators of both tasks up to where they meet. */
void snag_missing_edge(const struct snag_race *race, const struct snag_missing_edge_facts *facts,
		       char *buf, size_t room);

#endif
