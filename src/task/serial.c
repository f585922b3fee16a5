/* SPDX-License-Identifier: Apache-2.0
 *
 * serial.c - <snag/task.h> under a detector: depth first on one worker
 *
 * State.  Each task keeps on its stack which finishes and frames it has begun.  `now` belongs to
 *         the running task.  A call of the executor may switch to another task, so the caller
 *         restores `now` afterwards, and likewise the C++ exceptions being handled.
 *
 * Rules.  The body of a finish is a frame.  Its FRAME_BEGIN is reported when something is
 *         spawned in it, not before: most programs use only async and finish.  Each frame in
 *         which something was spawned ends with a sync.
 */
#include "task/serial.h"

#include "task/exceptions.h"
#include "task/parallel.h"

#include <assert.h>
#include <string.h>

struct serial_block {
	struct serial_block *outer;
	bool is_finish;
	bool is_reported; /* the FRAME_BEGIN was reported */
	bool has_spawned; /* since the last sync */
};

/* A task that runs; on its stack. */
struct serial_task {
	struct serial_block *block; /* the innermost; the last is `base` */
	struct serial_block base;
};

struct serial_start { /* lies on the stack of the creator */
	snag_task_function *function;
	void *arg;
	bool is_record; /* the argument is one, which the task gives back */
};

struct snag_tasks *snag_serial;
static const void *unused_place;
const void **snag_serial_place = &unused_place;
static const struct snag_task_hooks *hooks;
static struct serial_task *now;

/* Around every call that may switch to another task. */
struct serial_self {
	struct serial_task *task;
	struct snag_exceptions exceptions;
};

static struct serial_self self_save(void)
{
	return (struct serial_self){now, snag_exceptions_save()};
}

static void self_restore(const struct serial_self *self)
{
	now = self->task;
	snag_exceptions_restore(&self->exceptions);
}

static void block_sync(struct serial_block *block)
{
	if (!block->has_spawned)
		return;
	struct serial_self self = self_save();
	snag_task_sync(snag_serial);
	self_restore(&self);
	block->has_spawned = false;
}

static void task_main(void *arg)
{
	struct serial_start start = *(struct serial_start *)arg; /* before its creator continues */
	struct serial_task task = {.block = &task.base, .base = {.is_reported = true}};
	now = &task;
	snag_exceptions_restore(&(struct snag_exceptions){0});
	start.function(start.arg);
	assert(task.block == &task.base && "a task ends inside a finish or frame it began");
	block_sync(&task.base);
	if (start.is_record)
		snag_record_free(NULL, start.arg);
}

static void argument_copy(struct serial_start *start, const void *copy, size_t nbytes,
			  unsigned kind)
{
	start->arg = snag_task_argument(snag_serial, nbytes);
	start->is_record = !start->arg;
	if (start->is_record)
		start->arg = snag_record_new(NULL, nbytes);
	if (hooks->copy)
		hooks->copy(hooks->ctx, start->arg, copy, nbytes, kind & SNAG_SERIAL_UNSEEN);
	else
		memcpy(start->arg, copy, nbytes);
}

void snag_serial_create(snag_task_function *function, void *arg, const void *copy, size_t nbytes,
			unsigned kind)
{
	struct serial_start start = {.function = function, .arg = arg};
	struct serial_self self = self_save();
	struct serial_block *block = now->block;
	if (copy)
		argument_copy(&start, copy, nbytes, kind);
	if (kind & SNAG_SERIAL_SPAWNED) {
		if (!block->is_reported)
			snag_task_frame_begin(snag_serial);
		block->is_reported = block->has_spawned = true;
		snag_task_spawn(snag_serial, task_main, &start);
	} else {
		snag_task_async(snag_serial, task_main, &start);
	}
	self_restore(&self);
}

void snag_serial_sync(void)
{
	block_sync(now->block);
}

static void block_begin(bool is_finish)
{
	struct serial_block *block = snag_record_new(NULL, sizeof(*block));
	*block = (struct serial_block){.outer = now->block, .is_finish = is_finish};
	now->block = block;
}

static void block_end(bool is_finish)
{
	struct serial_block *block = now->block;
	assert(block != &now->base && block->is_finish == is_finish &&
	       "no such block of this task is open");
	block_sync(block);
	if (block->is_reported)
		snag_task_frame_end(snag_serial);
	now->block = block->outer;
	snag_record_free(NULL, block);
}

void snag_serial_finish_begin(void)
{
	block_begin(true);
	snag_task_finish_begin(snag_serial);
}

void snag_serial_finish_end(void)
{
	block_end(true);
	struct serial_self self = self_save();
	snag_task_finish_end(snag_serial);
	self_restore(&self);
}

void snag_serial_frame_begin(void)
{
	block_begin(false);
}

void snag_serial_frame_end(void)
{
	block_end(false);
}

/* A promise gets its number when it is first used: it may have been made before the run. */
static uint32_t promise_number(struct snag_promise *promise)
{
	if (promise->number == 0)
		promise->number = snag_task_promise_new(snag_serial) + 1;
	return promise->number - 1;
}

void snag_serial_get(struct snag_promise *promise)
{
	struct serial_self self = self_save();
	snag_task_promise_get(snag_serial, promise_number(promise));
	self_restore(&self);
}

void snag_serial_set(struct snag_promise *promise)
{
	struct serial_self self = self_save();
	snag_task_promise_set(snag_serial, promise_number(promise));
	self_restore(&self);
}

void snag_serial_isolated_begin(void)
{
	struct serial_self self = self_save();
	snag_task_isolated_begin(snag_serial);
	self_restore(&self);
}

void snag_serial_isolated_end(void)
{
	struct serial_self self = self_save();
	snag_task_isolated_end(snag_serial);
	self_restore(&self);
}

bool __snag_task_wait(bool (*is_over)(void *arg), void *arg)
{
	struct serial_self self = self_save();
	bool has_waited = snag_serial && snag_task_wait(snag_serial, is_over, arg);
	self_restore(&self);
	return has_waited;
}

void __snag_task_poll(void)
{
	struct serial_self self = self_save();
	if (snag_serial)
		snag_tasks_poll(snag_serial);
	self_restore(&self);
}

void __snag_task_enter(void)
{
	struct serial_self self = self_save();
	if (snag_serial)
		snag_task_enter(snag_serial);
	self_restore(&self);
}

uint32_t __snag_task_promise(void)
{
	return snag_task_promise_new(snag_serial);
}

void snag_serial_obstacle(enum snag_task_obstacle what)
{
	if (hooks->obstacle)
		hooks->obstacle(hooks->ctx, what);
}

void snag_serial_memory(const void *at, size_t nbytes)
{
	if (hooks->memory)
		hooks->memory(hooks->ctx, at, nbytes);
}

bool snag_serial_is_wanted(void)
{
	return __snag_task_hooks && __snag_task_hooks();
}

int snag_serial_launch(const struct snag_launch_options *options, snag_task_function *function,
		       void *arg, const void *place)
{
	enum { DEFAULT_STACK = 1 << 20, SHOWN_WAITS = 100 };
	hooks = __snag_task_hooks();
	struct snag_tasks_options core = {
		.event = hooks->event,
		.runs = hooks->runs,
		.may_enter = hooks->may_enter,
		.stuck = hooks->stuck,
		.ctx = hooks->ctx,
		.stack_bytes = options->stack_bytes ? options->stack_bytes : DEFAULT_STACK,
	};
	struct serial_start start = {.function = function, .arg = arg};
	snag_serial = snag_tasks_new(&core);
	if (!snag_serial)
		return SNAG_NO_MEMORY;
	snag_serial_place = hooks->place ? hooks->place : &unused_place;
	*snag_serial_place = place;
	enum snag_tasks_end end = snag_tasks_run(snag_serial, task_main, &start);
	static struct snag_waiting waiting[SHOWN_WAITS];
	size_t n = end == SNAG_TASKS_DEADLOCK
			   ? snag_tasks_waiting(snag_serial, waiting, SHOWN_WAITS)
			   : 0;
	if (hooks->end)
		hooks->end(hooks->ctx, end, waiting, n < SHOWN_WAITS ? n : SHOWN_WAITS);
	snag_tasks_free(snag_serial);
	snag_serial = NULL;
	return end == SNAG_TASKS_DEADLOCK    ? SNAG_DEADLOCK
	       : end == SNAG_TASKS_EXHAUSTED ? SNAG_NO_MEMORY
					     : 0;
}
