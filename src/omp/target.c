/* SPDX-License-Identifier: Apache-2.0
 *
 * target.c - target regions with nowait: parallel also to a team of one thread
 *
 * Idea.   A target region with nowait is a task that a device executes, or a thread outside of the
 *         team.  Other tasks of a team of one thread are part of that thread; this one is not.  So
 *         the library reports it in every team; and outside of all regions the program is no longer
 *         alone until it has waited.
 *
 * Rules.  [spawn]   For the detector, the task of the thread spawns the region, also for tasks that
 *                   are part of that task.
 *         [launch]  The first one outside of regions with several threads begins a launch.  It ends
 *                   when the initial task has waited for all its target regions.  Locks held then
 *                   are reported.
 *         [sync]    A taskwait is a sync if the task has created such a region; so is a barrier, or
 *                   the end of the region, if one of its tasks has.  A taskgroup likewise,
 *                   unless it is a finish (it is if there may be others from before).  The
 *                   thread waits for its own regions and for those that tasks which are part of
 *                   it have created.
 *         [exit]    The end of the program is a barrier.
 */
#include "omp/task.h"

#include <stdlib.h>

/* A launch begins, or ends and the program is alone again. */
static void launch(bool begins)
{
	struct mp_task *t = mp.now->task;
	if (begins)
		mp_launch(true);
	for (; t; t = t->parent)
		mp_locks_report(t, begins);
	if (!begins)
		mp_launch(false);
	mp.has_targets = begins;
}

static void program_end(void) /* [exit] */
{
	if (mp.has_targets && mp_is_here() && !mp.now->task->parent)
		mp_barrier();
}

void mp_target_task(struct mp_task *t) /* [spawn] */
{
	if (!t->is_part || t->is_undeferred)
		return;
	t->is_part = false;
	if (mp.launched)
		return;
	launch(true); /* [launch] */
	static bool is_known;
	if (!is_known)
		atexit(program_end);
	is_known = true;
}

void mp_targets_joined(struct mp_task *t)
{
	if (t->loans.has_open || t->loans.has_loose)
		mp_report(SNAG_OP_SYNC, 0); /* [sync] */
	t->loans.has_open = t->loans.has_loose = false;
	if (mp.has_targets && !t->parent)
		launch(false);
}
