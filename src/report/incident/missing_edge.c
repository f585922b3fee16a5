/* SPDX-License-Identifier: Apache-2.0
 *
 * missing_edge.c - one sentence on why nothing orders the tasks of a race
 */
#include "report/incident/missing_edge.h"

#include <stdio.h>

static const struct {
	const char *ends;   /* what would wait for a task */
	const char *passes; /* what would publish that a task has come so far */
} words[SNAG_TONGUES] = {
	[SNAG_TONGUE_SNAG] = {"finish or sync", "promise"},
	[SNAG_TONGUE_OPENMP] = {"taskwait, taskgroup or barrier", "depend clause"},
};

/* The number of a task; the recorder calls them T0, T1, ... */
static const char *number(const struct snag_names *names, snag_tid task)
{
	const char *name = snag_name(names, SNAG_SPACE_THREAD, task);
	return name + (name[0] == 'T');
}

static unsigned depth_of(const struct snag_origins *origins, snag_tid task)
{
	unsigned depth = 0;
	while ((task = snag_origin_of_thread(origins, task).thread) != SNAG_NO_ID &&
	       depth < origins->nthreads)
		depth++;
	return depth;
}

void snag_tasks_meet(const struct snag_origins *origins, snag_tid task[2])
{
	unsigned depth[2] = {depth_of(origins, task[0]), depth_of(origins, task[1])};
	for (unsigned n = depth[0] + depth[1]; n > 0 && task[0] != task[1]; n--) {
		snag_tid up[2] = {snag_origin_of_thread(origins, task[0]).thread,
				  snag_origin_of_thread(origins, task[1]).thread};
		if (up[0] == up[1] || up[0] == task[1] || up[1] == task[0])
			return;
		int i = depth[1] > depth[0];
		task[i] = up[i];
		depth[i]--;
	}
}

static enum snag_label_kind label_of(const struct snag_missing_edge_facts *f, snag_tid task,
				     char buf[SNAG_LABEL_ROOM])
{
	return f->label ? f->label(f->label_ctx, task, buf, SNAG_LABEL_ROOM) : SNAG_LABEL_NONE;
}

/* Returns the share of a construct that `task` executed for `thread`, or in it; otherwise
 * `thread`. */
static snag_tid share_of(const struct snag_missing_edge_facts *f, snag_tid task, snag_tid thread)
{
	char label[SNAG_LABEL_ROOM];
	snag_tid up = task;
	for (uint32_t n = 0; n < f->origins->nthreads && task != thread; n++) {
		up = task;
		task = snag_origin_of_thread(f->origins, task).thread;
	}
	return label_of(f, up, label) == SNAG_LABEL_SHARE ? up : thread;
}

/* Describes two threads of a team, or shares of their work.  Returns false if the tasks are
 * neither. */
static bool beside_in_team(const struct snag_missing_edge_facts *f, const struct snag_race *race,
			   const snag_tid met[2], char *buf, size_t room)
{
	snag_tid of[2] = {race->first.thread, race->second.thread}, task[2];
	char label[2][SNAG_LABEL_ROOM];
	for (int i = 0; i < 2; i++) {
		if (label_of(f, met[i], label[i]) < SNAG_LABEL_SHARE)
			return false;
		task[i] = share_of(f, of[i], met[i]);
		label_of(f, task[i], label[i]);
	}
	snprintf(buf, room,
		 "%s (task %s) and %s (task %s)%s may run at the same time: no barrier comes "
		 "between them",
		 label[0], number(f->names, task[0]), label[1], number(f->names, task[1]),
		 task[0] == of[0] && task[1] == of[1] ? "" : ", which created these tasks,");
	return true;
}

void snag_missing_edge(const struct snag_race *race, const struct snag_missing_edge_facts *f,
		       char *buf, size_t room)
{
	snag_tid task[2] = {race->first.thread, race->second.thread};
	const char *ends = words[f->tongue].ends, *passes = words[f->tongue].passes;
	snag_tasks_meet(f->origins, task);
	snag_tid up[2] = {snag_origin_of_thread(f->origins, task[0]).thread,
			  snag_origin_of_thread(f->origins, task[1]).thread};
	if (up[0] == task[1] || up[1] == task[0]) {
		int child = up[1] == task[0];
		snprintf(buf, room,
			 "task %s goes on beside task %s, which it created: no %s waits for that, "
			 "and no %s orders the two accesses",
			 number(f->names, task[!child]), number(f->names, task[child]), ends,
			 passes);
	} else if (up[0] != up[1] || up[0] == SNAG_NO_ID) {
		snprintf(buf, room, "no %s and no %s orders these two tasks", ends, passes);
	} else if (!beside_in_team(f, race, task, buf, room)) {
		snprintf(buf, room,
			 "task %s created tasks %s and %s with no %s between, and no %s orders "
			 "these two tasks",
			 number(f->names, up[0]), number(f->names, task[0]),
			 number(f->names, task[1]), ends, passes);
	}
}
