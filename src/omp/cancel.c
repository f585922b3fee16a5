/* SPDX-License-Identifier: Apache-2.0
 *
 * cancel.c - cancellation of regions, loops, sections and taskgroups
 *
 * A cancelled construct goes on to its end where it next checks: at a cancellation point, the next
 * chunk, a barrier, or the beginning of a task.  The schedule decides which iterations or
 * tasks come that far, so each check is a question of the program (trace/obstacles.def).
 */
#include "omp/task.h"

static bool is_cancelled(enum mp_cancel what, struct mp_task *t)
{
	if (t->team->is_cancelled)
		return true;
	if (what == MP_CANCEL_LOOP)
		return mp_loop_is_cancelled(mp_implicit(t));
	return what == MP_CANCEL_GROUP && t->group && t->group->is_cancelled;
}

bool mp_is_cancelled(enum mp_cancel what)
{
	struct mp_task *t = mp.now->task;
	if (!mp.has_cancellation)
		return false;
	mp_obstacle(SNAG_OMP_OBSTACLE_CANCELLATION);
	bool is_left = is_cancelled(what, t);
	if (is_left && what != MP_CANCEL_GROUP)
		mp_iteration_leave(t);
	return is_left;
}

bool mp_cancel(enum mp_cancel what)
{
	struct mp_task *t = mp.now->task;
	if (!mp.has_cancellation)
		return false;
	mp_obstacle(SNAG_OMP_OBSTACLE_CANCELLATION);
	if (what == MP_CANCEL_PARALLEL)
		t->team->is_cancelled = true;
	else if (what == MP_CANCEL_LOOP)
		mp_loop_cancel(mp_implicit(t));
	else if (t->group)
		t->group->is_cancelled = true;
	if (what != MP_CANCEL_GROUP)
		mp_iteration_leave(t);
	return true;
}
