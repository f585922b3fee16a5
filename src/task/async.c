/* SPDX-License-Identifier: Apache-2.0
 *
 * async.c - creating tasks and waiting for them, in parallel
 *
 * Rules.  [create]  the task goes to the worker's queue; if that is full, it runs at once on its
 *                   own strand, and its creator becomes ready
 *         [wait]    while the newest task of the queue is one that is waited for, it runs here,
 *                   as a call; then the strand is suspended until the rest, which other workers
 *                   execute, has ended
 *         [end]     a task that ran here is counted by a plain number; elsewhere by an atomic
 *                   one, and the last one resumes the waiting task
 *
 * A spawned task counts in its frame only: every frame ends with a sync, so a task that waits
 * for the frame's task waits for it too.
 *
 * Deep recursion.  A call needs stack: if half of it is used, [wait] suspends, and a fresh
 * strand runs the task.
 */
#include "task/parallel.h"
#include "task/serial.h"

#include <assert.h>
#include <string.h>

static void scope_open(struct snag_scope *scope, struct run_context *owner)
{
	atomic_store_explicit(&scope->balance, SNAG_SCOPE_OPEN, memory_order_relaxed);
	scope->made = scope->inlined = 0;
	scope->owner = owner;
	scope->joins = NULL;
}

/* Returns whether all tasks have ended for which the owner would have to wait. */
static bool scope_is_done(const struct snag_scope *scope)
{
	/* Pairs with the release in scope_less(). */
	return atomic_load_explicit(&scope->balance, memory_order_acquire) - SNAG_SCOPE_OPEN ==
	       scope->inlined - scope->made;
}

/* A task of the scope has ended, not on its owner's stack. */
static void scope_less(struct task_worker *w, struct snag_scope *scope)
{
	/* Release: what the task did; acquire: `waiter`. */
	if (atomic_fetch_sub_explicit(&scope->balance, 1, memory_order_acq_rel) != 1)
		return;
	if (scope->waiter)
		snag_strand_ready(w, scope->waiter);
	else
		snag_run_over(0);
}

static void task_run(struct task_worker *w, struct async_task *task);

static void scope_wait(struct task_worker *w, struct snag_scope *scope) /* [wait] */
{
	while (!scope_is_done(scope)) {
		struct async_task *task = snag_deque_pop(&w->deque);
		if (!task || task->scope != scope || !snag_strand_has_room(w)) {
			if (task)
				snag_deque_push(&w->deque, task);
			snag_strand_wait(w, AFTER_WAIT_SCOPE, scope);
			break;
		}
		task_run(w, task);
		scope->inlined++;
		w = snag_worker_self();
	}
	scope_open(scope, scope->owner);
}

static void task_run(struct task_worker *w, struct async_task *task)
{
	struct run_context context, *below = w->now;
	context.finish = task->finish;
	context.frame = &context.base;
	context.block = NULL;
	scope_open(&context.base, &context);
	w->now = &context;
	task->function(task->arg);

	w = snag_worker_self();
	assert(!context.block && "a task ends inside a finish or frame it began");
	assert(!w->is_isolated && "a task ends inside isolated");
	if (context.base.made > 0) {
		scope_wait(w, &context.base);
		w = snag_worker_self();
	}
	w->now = below;
	snag_record_free(w, task);
}

void snag_async_run(struct task_worker *w, struct async_task *task)
{
	struct snag_scope *scope = task->scope;
	task_run(w, task);
	scope_less(snag_worker_self(), scope); /* [end] */
}

/* A task that was given its function and argument begins to exist. */
static void task_create(struct task_worker *w, struct async_task *task,
			struct snag_scope *scope) /* [create] */
{
	struct run_context *now = w->now;
	task->scope = scope;
	task->finish = now->finish;
	if (scope->owner == now)
		scope->made++;
	else /* its creator counts in it and has not ended, so it cannot reach 0 now */
		atomic_fetch_add_explicit(&scope->balance, 1, memory_order_relaxed);
	if (snag_deque_push(&w->deque, task))
		snag_worker_call();
	else
		snag_strand_run(w, task);
}

static struct async_task *task_new(struct task_worker *w, snag_task_function *function, void *arg)
{
	struct async_task *task = snag_record_new(w, sizeof(*task));
	task->function = function;
	task->arg = arg;
	return task;
}

static struct async_task *task_new_copy(struct task_worker *w, snag_task_function *function,
					const void *arg, size_t nbytes)
{
	size_t size;
	if (__builtin_add_overflow(sizeof(struct async_task), nbytes, &size))
		snag_no_memory();
	struct async_task *task = snag_record_new(w, size);
	task->function = function;
	task->arg = memcpy(task + 1, arg, nbytes);
	return task;
}

_Static_assert(sizeof(struct async_task) % 16 == 0, "the argument behind it is aligned");

static void async_create(snag_task_function *function, void *arg, const void *copy, size_t nbytes,
			 unsigned kind)
{
	if (snag_serial) {
		snag_serial_create(function, arg, copy, nbytes, kind);
		return;
	}
	struct task_worker *w = snag_worker_in_task();
	task_create(w, copy ? task_new_copy(w, function, copy, nbytes) : task_new(w, function, arg),
		    w->now->finish);
}

static void spawn_create(snag_task_function *function, void *arg, const void *copy, size_t nbytes,
			 unsigned kind)
{
	if (snag_serial) {
		snag_serial_create(function, arg, copy, nbytes, kind | SNAG_SERIAL_SPAWNED);
		return;
	}
	struct task_worker *w = snag_worker_in_task();
	task_create(w, copy ? task_new_copy(w, function, copy, nbytes) : task_new(w, function, arg),
		    w->now->frame);
}

void snag_async_from(snag_task_function *function, void *arg, const void *copy, size_t nbytes)
{
	async_create(function, arg, copy, nbytes, 0);
}

void snag_async(snag_task_function *function, void *arg)
{
	(void)snag_serial_called();
	snag_async_from(function, arg, NULL, 0);
}

void snag_async_copy(snag_task_function *function, const void *arg, size_t nbytes)
{
	(void)snag_serial_called();
	async_create(function, NULL, arg, nbytes, 0);
}

void snag_spawn(snag_task_function *function, void *arg)
{
	(void)snag_serial_called();
	spawn_create(function, arg, NULL, 0, 0);
}

void snag_spawn_copy(snag_task_function *function, const void *arg, size_t nbytes)
{
	(void)snag_serial_called();
	spawn_create(function, NULL, arg, nbytes, 0);
}

/* The plugin for clang calls these instead, if the address `arg` has not escaped
 * (pass/local.cpp). */
SNAG_API void snag_async_copy_local(snag_task_function *function, const void *arg, size_t nbytes);
SNAG_API void snag_spawn_copy_local(snag_task_function *function, const void *arg, size_t nbytes);

void snag_async_copy_local(snag_task_function *function, const void *arg, size_t nbytes)
{
	(void)snag_serial_called();
	async_create(function, NULL, arg, nbytes, SNAG_SERIAL_UNSEEN);
}

void snag_spawn_copy_local(snag_task_function *function, const void *arg, size_t nbytes)
{
	(void)snag_serial_called();
	spawn_create(function, NULL, arg, nbytes, SNAG_SERIAL_UNSEEN);
}

void snag_sync(void)
{
	if (snag_serial_called()) {
		snag_serial_sync();
		return;
	}
	struct task_worker *w = snag_worker_in_task();
	if (w->now->frame->made > 0)
		scope_wait(w, w->now->frame);
}

static struct finish_block *block_begin(bool is_finish)
{
	struct task_worker *w = snag_worker_in_task();
	struct run_context *now = w->now;
	struct finish_block *block = snag_record_new(w, sizeof(*block));
	block->outer = now->block;
	block->outer_finish = now->finish;
	block->outer_frame = now->frame;
	block->is_finish = is_finish;
	scope_open(&block->frame, now);
	now->block = block;
	now->frame = &block->frame;
	return block;
}

static void block_end(bool is_finish)
{
	struct task_worker *w = snag_worker_in_task();
	struct run_context *now = w->now;
	struct finish_block *block = now->block;
	assert(block && block->is_finish == is_finish && "no such block of this task is open");
	if (block->frame.made > 0)
		scope_wait(w, &block->frame);
	if (is_finish)
		scope_wait(snag_worker_self(), &block->finish);
	now->block = block->outer;
	now->finish = block->outer_finish;
	now->frame = block->outer_frame;
	snag_record_free(snag_worker_self(), block);
}

void snag_finish_begin(void)
{
	if (snag_serial_called()) {
		snag_serial_finish_begin();
		return;
	}
	struct finish_block *block = block_begin(true);
	scope_open(&block->finish, block->frame.owner);
	block->frame.owner->finish = &block->finish;
}

void snag_finish_end(void)
{
	if (snag_serial_called())
		snag_serial_finish_end();
	else
		block_end(true);
}

void snag_frame_begin(void)
{
	if (snag_serial_called())
		snag_serial_frame_begin();
	else
		block_begin(false);
}

void snag_frame_end(void)
{
	if (snag_serial_called())
		snag_serial_frame_end();
	else
		block_end(false);
}
