/* SPDX-License-Identifier: Apache-2.0
 *
 * task.c - explicit tasks, taskwait, taskgroup
 *
 * Idea.   A task runs when it is created, on a fiber, unless it depends on one that has not
 *         ended; then the last of these makes it ready.  Its creator goes on when it ends or
 *         must wait.
 *
 * Rules.  [create]     spawn.  A task of a team of one thread is part of its creator
 *         [undeferred] the creator waits until the task can begin; spawn and sync in a frame of
 *                      their own, on the creator's stack
 *         [begin]      gets the promises of what it depends on; takes its locks (mutexinoutset)
 *         [end]        when its body has returned and its detach event was fulfilled: sets its promise
 *         [taskwait]   until its children have ended: sync
 *         [group]      a finish, for what is created in it and below
 *         [taskloop]   a task for each iteration, but for those that are in one task however a loop may
 *                      be cut: grainsize(g) wants from g to 2 g - 1 in each, so the first g are, and
 *                      the last; num_tasks(n) says nothing of sizes, unless n is 1
 *
 * State.  known: by itself until it ends, its children, tables of dependences, and its detach event
 */
#include "base/pool.h"
#include "omp/core.h"

/* Tasks with few arguments, which most are. */
enum { SMALL = 320 };
static struct snag_pool small;

static void task_free(struct mp_task *t)
{
	if (t->dependent)
		mp_dependent_free(t);
	if (t->is_pooled)
		snag_pool_give(&small, t);
	else
		mp_free(t);
}

void mp_task_forget(struct mp_task *t)
{
	while (--t->known == 0) {
		struct mp_task *parent = t->parent;
		bool is_implicit = t->is_implicit;
		task_free(t);
		if (is_implicit)
			return;
		t = parent;
	}
}

static struct mp_task *small_take(void)
{
	if (!small.elem)
		snag_pool_init(&small, SMALL);
	struct mp_task *t = snag_pool_take(&small);
	if (!t)
		mp_fail("OpenMP: out of memory");
	return t;
}

struct mp_task *mp_task_new(mp_body *body, void *arg, unsigned flags, size_t room)
{
	struct mp_task *parent = mp.now->task;
	bool is_pooled = room <= SMALL - MP_TASK_BYTES;
	struct mp_task *t = is_pooled ? small_take() : mp_alloc_used(MP_TASK_BYTES + room);
	__builtin_memset((char *)t + MP_TASK_ZERO, 0, MP_TASK_BYTES - MP_TASK_ZERO);
	t->parent = parent;
	t->team = parent->team;
	t->group = parent->group;
	t->number = parent->number;
	t->known = 1;
	t->body = body;
	t->arg = arg;
	t->nbytes = 0;
	t->place = mp.place;
	t->is_pooled = is_pooled;
	t->is_part = !t->team->is_told;
	if (flags | parent->is_final) {
		t->is_final = parent->is_final || flags & MP_TASK_FINAL;
		t->is_undeferred = parent->is_final || flags & MP_TASK_UNDEFERRED;
		t->is_detached = flags & MP_TASK_DETACHED;
		t->known += t->is_detached;
		mp.ndetached += t->is_detached;
	}
	parent->known++;
	return t;
}

static void wake(struct mp_context **waiter)
{
	if (*waiter)
		mp_ready(*waiter);
	*waiter = NULL;
}

/* Those who wait for it go on; its end is told before, or before another context runs. */
static void task_left(struct mp_task *t)
{
	struct mp_task *parent = t->parent;
	if (t->dependent)
		mp_depend_done(t);
	parent->has_loose |= t->has_open | t->has_loose;
	if (--parent->children == 0)
		wake(&parent->waiter);
	if (t->group && --t->group->live == 0)
		wake(&t->group->waiter);
}

/* Its end was told. */
static void task_gone(struct mp_task *t)
{
	if (--t->team->live == 0)
		mp_team_check(t->team);
	if (t->depends)
		mp_depends_free(t);
	if (t->done)
		t->done(t);
	mp_task_forget(t);
}

/* Told by its own context, or by whoever fulfils its event. */
static void end_tell(struct mp_task *t)
{
	if (!t->is_part)
		mp_tell(SNAG_OP_TASK_END, 0);
	task_left(t);
	task_gone(t);
}

static void promises_tell(struct mp_task *t)
{
	if (t->is_part)
		return;
	if (t->is_detached)
		mp_tell(SNAG_OP_PROMISE_GET, t->fulfilled);
	if (t->dependent)
		mp_tell(SNAG_OP_PROMISE_SET, t->dependent->promise);
}

static void exclusive_all(struct mp_task *t, bool is_taken)
{
	const struct mp_dependent *d = t->dependent;
	for (unsigned i = 0; i < d->nexclusive; i++) {
		if (is_taken)
			mp_lock_take(d->exclusive[i], t);
		else
			mp_lock_give(d->exclusive[d->nexclusive - 1 - i]);
	}
}

static void gets_tell(const struct mp_task *t)
{
	const struct mp_dependent *d = t->dependent;
	for (unsigned i = 0; i < d->nget; i++)
		mp_tell(SNAG_OP_PROMISE_GET, d->get[i]);
}

static void body_begin(struct mp_task *t) /* [begin] */
{
	if (!t->dependent)
		return;
	gets_tell(t);
	if (!t->is_part)
		exclusive_all(t, true);
}

static bool body_end(struct mp_task *t) /* [end]; false: not yet */
{
	if (t->dependent && !t->is_part)
		exclusive_all(t, false);
	t->has_body_ended = true;
	if (t->is_detached && !t->is_fulfilled)
		return false;
	if (t->is_detached || t->dependent)
		promises_tell(t);
	return true;
}

static void alone_tell(const struct mp_task *t) /* [alone] */
{
	if (mp.hooks)
		mp.hooks->alone(t->arg, t->nbytes);
}

void mp_task_main(struct mp_task *t)
{
	if (t->dependent) {
		body_begin(t);
		alone_tell(t);
	}
	if (!t->group || !t->group->is_cancelled)
		t->body(t->arg);
	if (!body_end(t))
		return;
	task_left(t);
	mp_context_ends();
	task_gone(t);
}

static void task_counted(struct mp_task *t)
{
	struct mp_task *parent = t->parent;
	parent->children++;
	t->team->live++;
	if (t->group)
		t->group->live++;
	if (t->is_part)
		return;
	parent->has_open |= !t->is_undeferred;
	if (parent->has_spawned)
		return;
	parent->has_spawned = true;
	if (parent->is_implicit && mp.hooks)
		mp.hooks->own(NULL, NULL); /* its task may share what it has */
}

/* Before it is told that it is created, unless it runs at once and has no depend clauses. */
static void task_named(struct mp_task *t, const struct mp_depend *depend, size_t n)
{
	if (t->is_new)
		mp_memory(t->arg, t->nbytes);
	t->is_new = false;
	if (n)
		mp_depend_add(t, depend, n);
	t->id = t->base_id = t->is_part ? t->parent->id : mp_number();
	for (size_t i = 0; !t->is_part && i < n; i++)
		mp_label(t->id, SNAG_OMP_DEPEND_IN + depend[i].kind, (uintptr_t)depend[i].at);
}

static bool waits(const struct mp_task *t)
{
	return t->dependent && t->dependent->waits_for;
}

void mp_task_ready(struct mp_task *t)
{
	if (t->undeferred)
		wake(&t->undeferred);
	else
		mp_run_later(t);
}

void mp_task_create(struct mp_task *t, const struct mp_depend *depend, size_t n)
{
	if (t->is_undeferred || t->is_part) {
		mp_task_begin(t, depend, n);
		mp_call(t->body, t->arg, t->place);
		mp_task_end(t);
		return;
	}
	task_counted(t);
	if (n)
		task_named(t, depend, n);
	if (waits(t))
		mp_tell(SNAG_OP_TASK_SPAWN, t->id); /* [create] */
	else
		mp_run_now(t);
}

void mp_task_begin(struct mp_task *t, const struct mp_depend *depend, size_t n) /* [undeferred] */
{
	t->is_undeferred = true;
	task_counted(t);
	task_named(t, depend, n);
	if (!t->is_part) {
		mp_tell(SNAG_OP_FRAME_BEGIN, 0);
		mp_tell(SNAG_OP_TASK_SPAWN, t->id);
	}
	if (waits(t)) {
		t->undeferred = mp.now;
		mp_block();
	}
	if (!t->is_part)
		mp_become(t->id);
	mp.now->task = t;
	body_begin(t);
}

void mp_task_end(struct mp_task *t)
{
	struct mp_task *parent = t->parent;
	bool is_part = t->is_part;
	if (!body_end(t)) {
		if (is_part) { /* only later tasks that depend on it wait */
			mp.now->task = parent;
			return;
		}
		t->undeferred = mp.now;
		mp_block();
		promises_tell(t);
	}
	mp.now->task = parent;
	end_tell(t);
	if (is_part)
		return;
	mp_become(parent->id);
	mp_tell(SNAG_OP_SYNC, 0);
	mp_tell(SNAG_OP_FRAME_END, 0);
}

void mp_task_fulfil(struct mp_task *t)
{
	if (t->is_fulfilled)
		return;
	t->is_fulfilled = true;
	if (!t->is_part) {
		t->fulfilled = mp_promise();
		mp_tell(SNAG_OP_PROMISE_SET, t->fulfilled);
	}
	if (t->has_body_ended && t->undeferred) {
		wake(&t->undeferred);
	} else if (t->has_body_ended) {
		uint32_t id = mp.now->task->id;
		mp_become(t->id);
		promises_tell(t);
		end_tell(t);
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
	if (!t->team->is_told) {
		if (t->has_open)
			mp_targets_joined(t);
		return;
	}
	mp_tell(SNAG_OP_SYNC, 0); /* [taskwait] */
	t->has_open = false;
	if (!t->is_implicit && !t->is_undeferred && !t->has_loose && !mp.npromises)
		alone_tell(t);
}

void mp_taskwait_depend(const struct mp_depend *depend, size_t n)
{
	struct mp_task *t = mp_task_new(NULL, NULL, MP_TASK_UNDEFERRED, 0);
	mp_depend_look(t, depend, n);
	if (waits(t)) {
		t->undeferred = mp.now;
		mp_block();
	}
	gets_tell(t);
	mp_task_forget(t);
}

/* ---- groups ---- */

void mp_group_push(void)
{
	struct mp_task *t = mp.now->task;
	struct mp_group *g = mp_alloc(sizeof(*g));
	g->outer = t->group;
	g->table = g->outer ? g->outer->table : NULL;
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
	t->group = g->outer;
	return g;
}

void mp_groups_leave(struct mp_task *t)
{
	for (struct mp_group *g = t->group; g; g = g->outer) {
		group_wait(g);
		if (g->is_told)
			mp_tell(SNAG_OP_FINISH_END, 0);
	}
}

void mp_groups_enter(struct mp_task *t)
{
	for (const struct mp_group *g = t->group; g; g = g->outer)
		if (g->is_told)
			mp_tell(SNAG_OP_FINISH_BEGIN, 0);
}

void mp_group_pop(void)
{
	mp_free(group_left(mp.now->task));
}

void mp_group_begin(void) /* [group] */
{
	mp_group_push();
	mp.now->task->group->is_told = mp.now->task->team->is_told || mp.launched;
	if (mp.now->task->group->is_told)
		mp_tell(SNAG_OP_FINISH_BEGIN, 0);
}

void mp_group_end(void)
{
	struct mp_task *t = mp.now->task;
	struct mp_group *g = group_left(t);
	if (g->is_told)
		mp_tell(SNAG_OP_FINISH_END, 0);
	else
		mp_targets_joined(t);
	mp_reduced_end(g->reduced);
	mp_free(g);
}

/* ---- taskloop ---- */

/* Iterations that stay together: so many at both ends of the loop, and so many in between. */
struct cut {
	uint64_t ends, step;
};

static struct cut cut_of(uint64_t count, struct mp_grain grain) /* [taskloop] */
{
	enum { ONE_BY_ONE = 1 << 12 }; /* a task is not that cheap */
	uint64_t n = grain.n, size = 1;
	if (grain.kind == MP_GRAIN_SIZE && n > 0)
		size = n;
	if (grain.kind == MP_GRAIN_TASKS && n > 0)
		size = (count - 1) / n + 1;
	if (grain.is_strict || count > ONE_BY_ONE)
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
