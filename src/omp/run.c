/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - explicit tasks: made, run on fibers, ended
 *
 * Idea.   A task runs when it is created, on a fiber, unless it depends on a task that has not
 *         ended. Then the last of these makes it ready.  Its creator goes on when the task
 *         ends or must wait.
 *
 * Rules.  [create]  A task is a spawn.  In a team of one thread it is part of its creator.
 *         [call]    A task that runs at once is a call on another stack.  The call mostly
 *                   returns to its creator, if that runs next when the task ends; its end is
 *                   reported then.
 *         [begin]   The task gets the promises of what it depends on, and takes its locks
 *                   (mutexinoutset).
 *         [end]     When its body has returned and its detach event was fulfilled, it sets its
 *                   promise.
 *
 * State.  known: references of the task until it ends, of its children, of tables of
 *         dependences, and of its detach event
 */
#include "base/pool.h"
#include "omp/task.h"

void mp_tasks_begin(void)
{
	snag_pool_init(&mp.tasks, MP_TASK_SMALL);
	snag_stacks_init(&mp.stacks, MP_STACK_BYTES);
}

static inline void task_free(struct mp_task *t)
{
	if (t->dependent)
		mp_dependent_free(t);
	if (t->settings && !t->is_implicit)
		mp_free(t->settings);
	if (t->is_pooled)
		snag_pool_give(&mp.tasks, t);
	else
		mp_free(t);
}

static inline void task_forget(struct mp_task *t)
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

void mp_task_forget(struct mp_task *t)
{
	task_forget(t);
}

static inline void task_counted(struct mp_task *t)
{
	struct mp_task *parent = t->parent;
	parent->children++;
	t->team->live++;
	if (t->group)
		t->group->live++;
	if (t->is_part)
		return;
	own_loans_create(&parent->loans, t->is_undeferred);
	if (parent->has_spawned)
		return;
	parent->has_spawned = true;
	struct mp_task *whole = mp_task_reported(parent);
	whole->has_spawned = true;
	if (whole->is_implicit && t->is_undeferred && mp.hooks)
		mp.hooks->lends(NULL, 0); /* others: mp_task_handed() */
}

/* Tells the detector the place of a task, unless the task runs at once and has no depend
 * clauses. */
static __attribute__((noinline)) void task_named(struct mp_task *t, const struct mp_depend *depend,
						 size_t n)
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

void mp_task_counted(struct mp_task *t, const struct mp_depend *depend, size_t n)
{
	task_counted(t);
	task_named(t, depend, n);
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

void mp_gets_report(const struct mp_task *t)
{
	const struct mp_dependent *d = t->dependent;
	for (unsigned i = 0; i < d->nget; i++)
		mp_report(SNAG_OP_PROMISE_GET, d->get[i]);
}

void mp_body_begin(struct mp_task *t) /* [begin] */
{
	if (!t->dependent)
		return;
	mp_gets_report(t);
	if (!t->is_part)
		exclusive_all(t, true);
}

/* Called by the context of the task, or by the one that fulfils its event. */
void mp_promises_report(const struct mp_task *t)
{
	if (t->is_part)
		return;
	if (t->is_detached)
		mp_report(SNAG_OP_PROMISE_GET, t->fulfilled);
	if (t->dependent)
		mp_report(SNAG_OP_PROMISE_SET, t->dependent->promise);
}

bool mp_body_end(struct mp_task *t) /* [end] */
{
	if (t->dependent && !t->is_part)
		exclusive_all(t, false);
	t->has_body_ended = true;
	if (t->is_detached && !t->is_fulfilled)
		return false;
	mp_promises_report(t);
	return true;
}

/* Makes the contexts ready that wait for the task; its end is reported before another context
 * runs. */
static inline void task_left(struct mp_task *t)
{
	struct mp_task *parent = t->parent;
	if (t->dependent)
		mp_depend_done(t);
	own_loans_end(&parent->loans, &t->loans, t->is_lent);
	if (--parent->children == 0 && parent->waiter)
		mp_wake(&parent->waiter);
	if (t->group && --t->group->live == 0)
		mp_wake(&t->group->waiter);
}

static inline void task_gone(struct mp_task *t)
{
	if (--t->team->live == 0)
		mp_team_check(t->team);
	if (t->depends)
		mp_depends_free(t);
	if (t->done)
		t->done(t);
	task_forget(t);
}

void mp_task_over(struct mp_task *t)
{
	if (!t->is_part)
		mp_report(SNAG_OP_TASK_END, 0);
	task_left(t);
	task_gone(t);
}

static __attribute__((noinline)) struct mp_context *fiber_made(void)
{
	struct mp_context *c = mp_alloc(sizeof(*c));
	uint32_t stack = snag_stacks_take(&mp.stacks);
	if (stack == SNAG_STACK_NONE)
		mp_fail("OpenMP: no memory for another task");
	c->stack = snag_stacks_at(&mp.stacks, stack);
	c->begins_as = SNAG_OMP_SAME;
	const char *low = c->stack.base;
	c->handle = mp.hooks ? mp.hooks->context(low, low + c->stack.nbytes) : NULL;
	return c;
}

static inline struct mp_context *fiber_new(struct mp_task *t)
{
	struct mp_context *c = mp.spare;
	if (c)
		mp.spare = c->next;
	else
		c = fiber_made();
	c->thread = mp.now->thread;
	c->task = t;
	return c;
}

static void depend_begin(struct mp_task *t)
{
	mp_body_begin(t);
	if (mp.hooks)
		mp.hooks->fresh(t->arg, t->nbytes); /* [alone] */
}

/* Returns whether the task ends, so that the caller reports it. */
static inline bool fiber_run(struct mp_task *t)
{
	snag_exceptions_restore(&(struct snag_exceptions){0});
	if (t->dependent)
		depend_begin(t);
	if (!t->group || !t->group->is_cancelled)
		t->body(t->arg);
	if ((t->dependent || t->is_detached) && !mp_body_end(t))
		return false;
	task_left(t);
	return true;
}

static _Noreturn void fiber_end(struct mp_context *self, bool is_over)
{
	if (is_over) {
		mp_report(SNAG_OP_TASK_END, 0);
		task_gone(self->task);
	}
	self->thread->dead = self;
	mp_block();
	__builtin_unreachable();
}

static void called_main(void *arg) /* [call] */
{
	struct mp_context *self = arg, *to;
	bool is_over = fiber_run(self->task);
	to = self->caller;
	if (!to || mp.ready.first != to)
		fiber_end(self, is_over);
	if (is_over)
		task_gone(self->task); /* the team has not ended: the task's creator is in it */
	mp.ready.first = to->next;
	mp.now = to;
	if (mp.hooks && is_over)
		mp.hooks->ended(to->handle, mp.place);
	else if (mp.hooks)
		mp.hooks->context_switch(to->handle, SNAG_OMP_SAME);
	self->next = mp.spare; /* no context takes it before this function has returned */
	mp.spare = self;
}

/* Runs a task on a fiber; the caller becomes ready, as the next one. */
static inline void run_now(struct mp_task *t)
{
	struct mp_context *c = fiber_new(t), *self = mp.now;
	const void *place = mp.place;
	mp_ready(self);
	mp.now = c;
	c->caller = self;
	if (mp.hooks)
		t->id = t->base_id =
			mp.hooks->child(c->handle, t->id, t->place, t->arg, t->nbytes, t->is_new);
	self->exceptions = snag_exceptions_save();
	snag_fiber_call(&self->fiber, &c->stack, called_main, c);
	snag_exceptions_restore(&self->exceptions);
	c->caller = NULL;
	mp_arrived(self->thread);
	mp.place = place;
}

static void later_main(void *arg)
{
	struct mp_context *self = arg;
	struct mp_task *t = self->task;
	mp_arrived(self->thread);
	if (mp.hooks) {
		const char *low = self->stack.base;
		mp.hooks->stack(low, low + self->stack.nbytes, t->id);
		mp.hooks->enter(t->place);
		mp.hooks->fresh(t->arg, t->nbytes);
	}
	fiber_end(self, fiber_run(t));
}

void mp_task_ready(struct mp_task *t)
{
	if (t->undeferred) {
		mp_wake(&t->undeferred);
		return;
	}
	struct mp_context *c = fiber_new(t);
	c->begins_as = t->id;
	snag_fiber_prepare(&c->fiber, &c->stack, later_main, c);
	mp_ready(c);
}

void mp_task_create(struct mp_task *t, const struct mp_depend *depend, size_t n)
{
	if (t->is_undeferred || t->is_part) {
		mp_task_begin(t, depend, n);
		mp_call(t->body, t->arg, t->place);
		mp_task_end(t);
		return;
	}
	mp_task_handed(t);
	task_counted(t);
	if (n)
		task_named(t, depend, n);
	if (n && mp_task_waits(t))
		mp_report(SNAG_OP_TASK_SPAWN, t->id); /* [create] */
	else
		run_now(t);
}
