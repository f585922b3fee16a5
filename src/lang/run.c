/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - run a program of the small task language depth first, as a source of events
 *
 * Idea.   Every task of the program is a task of task/task.h, whose body drives a machine
 *         (lang/machine.h).  Accesses become events here.  For everything else the body calls
 *         the executor, which reports its events to this file.  All of this runs on fibers.
 *         When a batch is full, the running fiber switches to the reader, and next() continues
 *         it.
 *
 * Cost.   A few dozen nanoseconds per access.  12 bytes and a name for each task that ever
 *         existed; 24 for each used variable.  A task that has ended leaves its machine to the
 *         next.
 */
#include "lang/run.h"

#include "base/memory.h"
#include "lang/run_state.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	EXECUTOR_STACK = 1 << 18,
	DEFAULT_STEPS = 100000000,
	MAX_ALIVE = 1 << 20,  /* tasks at once */
	TASK_BYTES = 8 << 10, /* what one of them takes, about */
};

static void to_reader(struct run *r)
{
	snag_fiber_switch(&r->inside, &r->outside);
	if (r->is_closing)
		snag_tasks_stop(r->tasks);
}

static void tell(struct run *r, enum snag_op op, snag_tid task, uint32_t target)
{
	r->batch[r->n++] = (struct snag_event){
		.thread = task, .target = target, .loc = r->loc[task], .op = (uint8_t)op};
	if (r->n == SNAG_BATCH_EVENTS)
		to_reader(r);
}

/* What the executor tells. */
static void on_event(void *ctx, uint8_t op, snag_tid task, uint32_t target)
{
	if (op == SNAG_OP_TASK_CREATE || op == SNAG_OP_TASK_SPAWN)
		run_task_add(ctx, target, task);
	else if (op == SNAG_OP_PROMISE_SET || op == SNAG_OP_PROMISE_GET)
		target = run_promise_id(ctx, target);
	tell(ctx, (enum snag_op)op, task, target);
}

_Noreturn static void fail(struct run *r)
{
	snag_tasks_stop(r->tasks);
}

/* Says the access, and returns where the value is. */
static struct snag_value *access_slot(struct run_task *t, enum snag_op op, snag_tid self,
				      const struct snag_action *act)
{
	struct run *r = t->run;
	struct run_slot *slot = run_slot(r, act->target);
	bool is_update = act->update && t->machine.isolated;
	if (!slot->variable)
		run_variable_add(r, act->target);
	if (is_update)
		tell(r, SNAG_OP_UPDATE_BEGIN, self, run_update_id(r, act->update));
	tell(r, op, self, slot->variable - 1);
	if (is_update)
		tell(r, SNAG_OP_UPDATE_END, self, run_update_id(r, act->update));
	return &slot->value;
}

static void set_promise(struct run *r, const struct snag_action *act)
{
	uint32_t number = act->target;
	if (snag_task_promise_is_set(r->tasks, number)) {
		struct snag_place before =
			snag_program_place(r->program, r->promise[number].set_at);
		snag_program_fail(
			r->program, act->loc, &r->err, "promise '%s' is set already, at %u:%u",
			snag_name(&r->names, SNAG_SPACE_PROMISE, run_promise_id(r, number)),
			before.line, before.column);
		fail(r);
	}
	r->promise[number].set_at = act->loc;
	snag_task_promise_set(r->tasks, number);
}

static void body(void *arg);

static struct run_task *run_task_take(struct run *r)
{
	struct run_task *t = r->idle;
	r->nalive++;
	if (t) {
		r->idle = t->next;
		return t;
	}
	t = snag_calloc(1, sizeof(*t));
	t->run = r;
	t->all = r->all;
	r->all = t;
	return t;
}

static void create(struct run_task *parent, const struct snag_action *act)
{
	struct run *r = parent->run;
	if (r->nalive == r->max_alive) {
		snag_program_fail(r->program, act->loc, &r->err,
				  "more than %zu tasks alive at once", r->max_alive);
		fail(r);
	}
	struct run_task *child = run_task_take(r);
	snag_machine_fork(&parent->machine, act, &child->machine);
	if (act->kind == SNAG_ACT_ASYNC)
		snag_task_async(r->tasks, body, child);
	else
		snag_task_spawn(r->tasks, body, child);
}

/* What concerns memory and values. */
static bool do_access(struct run_task *t, snag_tid self, const struct snag_action *act)
{
	struct run *r = t->run;
	switch ((enum snag_action_kind)act->kind) {
	case SNAG_ACT_READ:
		snag_machine_give(&t->machine, *access_slot(t, SNAG_OP_READ, self, act));
		return true;
	case SNAG_ACT_WRITE:
		*access_slot(t, SNAG_OP_WRITE, self, act) = act->value;
		return true;
	case SNAG_ACT_ALLOC:
		snag_machine_give(&t->machine, run_cell_new(r, act->loc));
		return true;
	case SNAG_ACT_NEW:
		snag_machine_give(&t->machine, run_promise_new(r, act->loc));
		return true;
	default:
		return false;
	}
}

/* What concerns other tasks.  False: the task has ended. */
static bool do_task(struct run_task *t, const struct snag_action *act)
{
	struct snag_tasks *ts = t->run->tasks;
	switch ((enum snag_action_kind)act->kind) {
	case SNAG_ACT_ASYNC:
	case SNAG_ACT_SPAWN:
		create(t, act);
		return true;
	case SNAG_ACT_FINISH_BEGIN:
		snag_task_finish_begin(ts);
		return true;
	case SNAG_ACT_FINISH_END:
		snag_task_finish_end(ts);
		return true;
	case SNAG_ACT_FRAME_BEGIN:
		snag_task_frame_begin(ts);
		return true;
	case SNAG_ACT_FRAME_END:
		snag_task_frame_end(ts);
		return true;
	case SNAG_ACT_SYNC:
		snag_task_sync(ts);
		return true;
	case SNAG_ACT_SET:
		set_promise(t->run, act);
		return true;
	case SNAG_ACT_GET:
		snag_task_promise_get(ts, act->target);
		return true;
	case SNAG_ACT_ISOLATED_BEGIN:
		snag_task_isolated_begin(ts);
		return true;
	case SNAG_ACT_ISOLATED_END:
		snag_task_isolated_end(ts);
		return true;
	case SNAG_ACT_FAULT:
		snag_machine_fault(t->run->program, act, &t->run->err);
		fail(t->run);
	case SNAG_ACT_LIMIT:
		t->run->end.cut = t->run->may_cut;
		if (t->run->may_cut)
			fail(t->run);
		snag_program_fail(t->run->program, act->loc, &t->run->err,
				  "more than %llu steps, see --steps",
				  (unsigned long long)t->run->steps_given);
		fail(t->run);
	default:
		return false;
	}
}

/* The body of a task. */
static void body(void *arg)
{
	struct run_task *t = arg;
	struct run *r = t->run;
	struct snag_action act;
	const snag_tid self = snag_task_self(r->tasks);
	do {
		snag_machine_step(&t->machine, r->program, &r->steps, &act);
		r->loc[self] = act.loc;
	} while (do_access(t, self, &act) || do_task(t, &act));
	t->next = r->idle;
	r->idle = t;
	r->nalive--;
}

static void deadlock(struct run *r)
{
	size_t n = snag_tasks_waiting(r->tasks, NULL, 0);
	r->waiting = snag_calloc(n + 1, sizeof(*r->waiting));
	r->where = snag_calloc(n + 1, sizeof(*r->where));
	snag_tasks_waiting(r->tasks, r->waiting, n);
	for (size_t i = 0; i < n; i++) {
		struct snag_waiting *w = &r->waiting[i];
		r->where[i] = snag_program_place(r->program, r->loc[w->task]);
		if (w->why == SNAG_WAIT_PROMISE)
			w->target = run_promise_id(r, w->target);
	}
	r->end.deadlock = true;
	r->end.nwaiting = n;
	r->end.waiting = r->waiting;
	r->end.where = r->where;
}

/* On a fiber of its own: the whole run. */
static void executor(void *arg)
{
	struct run *r = arg;
	struct run_task *main_task = run_task_take(r);
	for (uint32_t i = 0; i < snag_program_promises(r->program); i++)
		run_promise_declare(r);
	run_task_add(r, 0, 0);
	snag_machine_begin(&main_task->machine, r->program);
	enum snag_tasks_end end = snag_tasks_run(r->tasks, body, main_task);
	if (end == SNAG_TASKS_DEADLOCK)
		deadlock(r);
	if (end == SNAG_TASKS_EXHAUSTED)
		snag_fail(&r->err, SNAG_EINPUT,
			  "%s: no memory for another task after %llu, or too many", r->base.name,
			  (unsigned long long)snag_tasks_stats(r->tasks).tasks);
	r->has_ended = true;
	snag_fiber_leave(&r->outside);
}

static void end_update(struct run *r)
{
	struct snag_tasks_stats stats = snag_tasks_stats(r->tasks);
	r->end.tasks = stats.tasks;
	r->end.promises = stats.promises;
	r->end.blocked = stats.blocked;
	r->end.steps = r->steps_given - r->steps;
}

static int run_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	struct run *r = (struct run *)src;
	r->first += r->n;
	r->n = 0;
	if (!r->has_ended) {
		r->has_begun = true;
		snag_fiber_switch(&r->outside, &r->inside);
		end_update(r);
	}
	if (r->first + r->n >= SNAG_MAX_EVENTS)
		return snag_fail(err, SNAG_EINPUT, "%s: more than %d events", r->base.name,
				 SNAG_MAX_EVENTS);
	if (r->n == 0 && r->may_fail) {
		r->end.error = r->err;
		return 0;
	}
	if (r->n == 0) {
		if (r->err.code && err)
			*err = r->err;
		return r->err.code;
	}
	*ret_batch = (struct snag_batch){.ev = r->batch,
					 .n = r->n,
					 .first = r->first,
					 .counts = snag_names_counts(&r->names)};
	return 1;
}

static double run_progress(const struct snag_source *src)
{
	return -1;
}

static void run_close(struct snag_source *src)
{
	struct run *r = (struct run *)src;
	if (r->has_begun && !r->has_ended) {
		r->is_closing = true;
		snag_fiber_switch(&r->outside, &r->inside);
	}
	snag_tasks_free(r->tasks);
	snag_stack_unmap(&r->stack);
	for (struct run_task *t = r->all, *next; t; t = next) {
		next = t->all;
		snag_machine_done(&t->machine);
		free(t);
	}
	run_things_done(r);
	free(r->waiting);
	free(r->where);
	free(r);
}

static int run_again(const struct snag_source *src, struct snag_source **ret_src,
		     struct snag_error *err)
{
	const struct run *r = (const struct run *)src;
	const struct snag_run_options options = {.steps = r->steps_given,
						 .may_cut = r->may_cut,
						 .may_fail = r->may_fail,
						 .alive = r->max_alive};
	int rc = snag_run_source(r->program, &options, ret_src, err);
	return rc < 0 ? rc : 1;
}

static const struct snag_source_ops run_ops = {
	.next = run_next, .progress = run_progress, .close = run_close, .again = run_again};

/* So many tasks that half of the machine's memory is enough for their stacks. */
static size_t default_alive(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
	size_t fit =
		pages > 0 && bytes > 0 ? (size_t)pages * (size_t)bytes / 2 / TASK_BYTES : MAX_ALIVE;
	return fit < MAX_ALIVE ? fit : MAX_ALIVE;
}

int snag_run_source(const struct snag_program *program, const struct snag_run_options *options,
		    struct snag_source **ret_src, struct snag_error *err)
{
	struct run *r = snag_calloc(1, sizeof(*r));
	const struct snag_tasks_options tasks = {.event = on_event, .ctx = r};
	r->base.ops = &run_ops;
	r->base.name = snag_program_name(program);
	r->base.names = &r->names;
	r->program = program;
	r->steps_given = r->steps = options->steps ? options->steps : DEFAULT_STEPS;
	r->may_cut = options->may_cut;
	r->may_fail = options->may_fail;
	snag_names_init(&r->names);
	r->max_alive = options->alive ? options->alive : default_alive();
	r->tasks = snag_tasks_new(&tasks);
	if (!r->tasks || snag_stack_map(&r->stack, EXECUTOR_STACK) < 0) {
		run_close(&r->base);
		return snag_fail(err, SNAG_EIO, "%s: no memory to run it",
				 snag_program_name(program));
	}
	snag_fiber_prepare(&r->inside, &r->stack, executor, r);
	run_things_init(r);
	*ret_src = &r->base;
	return 0;
}

const struct snag_run_end *snag_run_end(const struct snag_source *src)
{
	return &((const struct run *)src)->end;
}

struct snag_run_creation snag_run_created(const struct snag_source *src, snag_tid task)
{
	const struct run *r = (const struct run *)src;
	struct snag_run_creation c = {.creator = r->created[task].creator};
	if (task > 0)
		c.place = snag_program_place(r->program, r->created[task].loc);
	return c;
}
