/* SPDX-License-Identifier: Apache-2.0
 *
 * task.c - undeferred and detached tasks, taskwait, taskgroup, taskloop
 *
 * Rules.  [undeferred] The creator waits until the task can begin.  It is a spawn and a sync in a
 *                      frame of their own, on the creator's stack.
 *         [taskwait]   The task waits until its children have ended: sync.
 *         [group]      A taskgroup is a finish for the tasks created in it, and below them.
 *         [taskloop]   Each iteration is a task, but for those that are in one task however
 *                      the loop is divided.  grainsize(g) wants from g to 2 g - 1 iterations
 *                      in each task, so the first g are together, and the last g; num_tasks(n)
 *                      says nothing of sizes, unless n is 1.
 */
#include "omp/task.h"

void mp_task_begin(struct mp_task *t, const struct mp_depend *depend, size_t n) /* [undeferred] */
{
	t->is_undeferred = true;
	mp_task_counted(t, depend, n);
	if (!t->is_part) {
		mp_report(SNAG_OP_FRAME_BEGIN, 0);
		mp_report(SNAG_OP_TASK_SPAWN, t->id);
	}
	if (mp_task_waits(t)) {
		t->undeferred = mp.now;
		mp_block();
	}
	if (!t->is_part)
		mp_become(t->id);
	mp.now->task = t;
	mp_body_begin(t);
}

void mp_task_end(struct mp_task *t)
{
	struct mp_task *parent = t->parent;
	bool is_part = t->is_part;
	if (!mp_body_end(t)) {
		if (is_part) { /* only later tasks that depend on it wait */
			mp.now->task = parent;
			return;
		}
		t->undeferred = mp.now;
		mp_block();
		mp_promises_report(t);
	}
	mp.now->task = parent;
	mp_task_over(t);
	if (is_part)
		return;
	mp_become(parent->id);
	mp_report(SNAG_OP_SYNC, 0);
	mp_report(SNAG_OP_FRAME_END, 0);
}

void mp_task_fulfil(struct mp_task *t)
{
	if (t->is_fulfilled)
		return;
	t->is_fulfilled = true;
	if (!t->is_part) {
		t->fulfilled = mp_promise();
		mp_report(SNAG_OP_PROMISE_SET, t->fulfilled);
	}
	if (t->has_body_ended && t->undeferred) {
		mp_wake(&t->undeferred);
	} else if (t->has_body_ended) {
		uint32_t id = mp.now->task->id;
		mp_become(t->id);
		mp_promises_report(t);
		mp_task_over(t);
		mp_become(id);
	}
	mp_task_forget(t); /* the event's */
}

void mp_taskwait(void)
{
	struct mp_task *t = mp.now->task;
	while (t->children) {
		t->waiter = mp.now;
		mp_block();
	}
	if (!t->team->is_reported) {
		if (t->loans.has_open)
			mp_targets_joined(t);
		return;
	}
	own_loans_wait(&t->loans);
	bool is_alone = !(t->is_implicit | t->is_undeferred | t->loans.has_loose) && !mp.npromises;
	mp_report(SNAG_OP_SYNC, 0); /* [taskwait] */
	if (is_alone && mp.hooks)
		mp.hooks->fresh(t->arg, t->nbytes); /* [alone] */
}

void mp_taskwait_depend(const struct mp_depend *depend, size_t n)
{
	struct mp_task *t = mp_task_new(NULL, NULL, MP_TASK_UNDEFERRED, 0);
	mp_depend_look(t, depend, n);
	if (mp_task_waits(t)) {
		t->undeferred = mp.now;
		mp_block();
	}
	mp_gets_report(t);
	mp_task_forget(t);
}

void mp_group_push(void)
{
	struct mp_task *t = mp.now->task;
	struct mp_group *g = mp_alloc(sizeof(*g));
	g->outer = t->group;
	g->table = g->outer ? g->outer->table : NULL;
	g->before = t->loans;
	t->group = g;
}

static void group_wait(struct mp_group *g)
{
	while (g->live) {
		g->waiter = mp.now;
		mp_block();
	}
}

static struct mp_group *group_left(struct mp_task *t)
{
	struct mp_group *g = t->group;
	group_wait(g);
	own_loans_group_end(&t->loans, g->before);
	t->group = g->outer;
	return g;
}

void mp_groups_leave(struct mp_task *t)
{
	for (struct mp_group *g = t->group; g; g = g->outer) {
		group_wait(g);
		if (g->is_reported)
			mp_report(SNAG_OP_FINISH_END, 0);
	}
}

void mp_groups_enter(struct mp_task *t)
{
	for (const struct mp_group *g = t->group; g; g = g->outer)
		if (g->is_reported)
			mp_report(SNAG_OP_FINISH_BEGIN, 0);
}

void mp_group_pop(void)
{
	mp_free(group_left(mp.now->task));
}

void mp_group_begin(void) /* [group] */
{
	mp_group_push();
	mp.now->task->group->is_reported = mp.now->task->team->is_reported || mp.launched;
	if (mp.now->task->group->is_reported)
		mp_report(SNAG_OP_FINISH_BEGIN, 0);
}

void mp_group_end(void)
{
	struct mp_task *t = mp.now->task;
	struct mp_group *g = group_left(t);
	if (g->is_reported)
		mp_report(SNAG_OP_FINISH_END, 0);
	else
		mp_targets_joined(t);
	mp_reduced_end(g->reduced);
	mp_free(g);
}

/* How a loop is cut: iterations that stay together at both ends of the loop, and in between. */
struct cut {
	uint64_t ends, step;
};

static struct cut cut_of(uint64_t count, struct mp_grain grain) /* [taskloop] */
{
	uint64_t n = grain.n, size = 1;
	if (grain.kind == MP_GRAIN_SIZE && n > 0)
		size = n;
	if (grain.kind == MP_GRAIN_TASKS && n > 0)
		size = (count - 1) / n + 1;
	if (grain.is_strict || !mp.hooks || !mp.now->task->team->is_reported)
		return (struct cut){size, size};
	if (grain.kind == MP_GRAIN_TASKS)
		return (struct cut){n == 1 ? count : 1, 1};
	return (struct cut){count / 2 < size ? count : size, 1};
}

void mp_taskloop(uint64_t count, struct mp_grain grain, mp_part *part, const void *loop)
{
	if (count == 0)
		return;
	struct cut cut = cut_of(count, grain);
	for (uint64_t from = 0, n; from < count; from += n) {
		uint64_t left = count - from;
		n = from == 0 || left <= cut.ends ? cut.ends : cut.step;
		n = n < left ? n : left;
		part(loop, from, n);
	}
}
