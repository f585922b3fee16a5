/* SPDX-License-Identifier: Apache-2.0
 *
 * missing_edge.c - why nothing orders the tasks of a race, in a sentence
 */
#include "report/missing_edge.h"

#include <stdio.h>

static const struct {
	const char *ends;   /* what would wait for a task */
	const char *passes; /* what would pass on that a task has come so far */
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

/* The ancestors of both, or they themselves, that the same task created; one of them is that task if
 * it is an ancestor of the other. */
static void meet(const struct snag_origins *origins, snag_tid task[2])
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

void snag_missing_edge(const struct snag_race *race, const struct snag_origins *origins,
		       const struct snag_names *names, enum snag_tongue tongue, char *buf,
		       size_t room)
{
	snag_tid task[2] = {race->first.thread, race->second.thread};
	const char *ends = words[tongue].ends, *passes = words[tongue].passes;
	meet(origins, task);
	snag_tid up[2] = {snag_origin_of_thread(origins, task[0]).thread,
			  snag_origin_of_thread(origins, task[1]).thread};
	if (up[0] == task[1] || up[1] == task[0]) {
		int child = up[1] == task[0];
		snprintf(buf, room,
			 "task %s goes on beside task %s, which it created: no %s waits for that, "
			 "and no "
			 "%s orders the two accesses",
			 number(names, task[!child]), number(names, task[child]), ends, passes);
	} else if (up[0] == up[1] && up[0] != SNAG_NO_ID) {
		snprintf(buf, room,
			 "task %s created tasks %s and %s with no %s between, and no %s orders "
			 "these two tasks",
			 number(names, up[0]), number(names, task[0]), number(names, task[1]), ends,
			 passes);
	} else {
		snprintf(buf, room, "no %s and no %s orders these two tasks", ends, passes);
	}
}
