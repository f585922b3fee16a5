/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c - run a program of the small task language depth first, as a source of events
 *
 * Idea.   Every task of the program is a task of task/task.h, whose body drives a machine
 *         (lang/machine.h): accesses become events here, everything else is asked of the
 *         executor, which tells its events to us.  All of this runs on fibers; whenever a
 *         batch is full, whichever of them is running is left for the reader, and
 *         next() goes on there.
 *
 * State.  shared, cell  the value of each slot, and its number among those accessed
 *         loc[t]        where task t is: the place of the events that the executor tells
 *         created[t]    by whom and where
 * Cost.   A few dozen nanoseconds for an access.  12 bytes for each task that ever was, and its
 *         name; 24 for each variable used.  A task that has ended leaves its machine to the next.
 */
#include "lang/run.h"

#include "base/memory.h"
#include "lang/bytecode.h"
#include "lang/machine.h"
#include "task/fiber.h"

#include <stdio.h>
#include <string.h>

enum { EXECUTOR_STACK = 1 << 18, DEFAULT_STEPS = 100000000 };

struct slot {
	struct snag_value value;
	uint32_t variable; /* 1 + number; 0: not accessed yet */
};

struct cell {
	struct slot slot;
	uint32_t line, n; /* made by the n-th alloc of that line */
};

struct run_task { /* what a body needs; one for each task alive */
	struct run *run;
	struct snag_machine machine;
	struct run_task *next; /* in the list of those not in use */
	struct run_task *all;  /* every one */
};

struct run {
	struct snag_source base;
	const struct snag_program *program;
	uint64_t steps_given, steps;
	struct snag_names names;

	struct snag_tasks *tasks;
	struct snag_stack stack;
	struct snag_fiber inside, outside; /* the run and its reader, whichever is suspended */
	bool has_begun, has_ended, is_closing;
	struct snag_error err; /* why it ended; code 0: it did not fail */

	struct slot *shared; /* as declared; a page that is never accessed takes no memory */
	uint32_t nshared;
	struct cell *cell;
	size_t ncells, cell_cap;
	uint32_t *cells_on, *promises_on; /* [line]: how many it has made */
	snag_loc *set_at;		  /* of each promise that was set */
	size_t set_cap;
	snag_loc *loc;
	size_t loc_cap;
	struct {
		snag_tid creator;
		snag_loc loc;
	} * created;
	size_t created_cap;
	struct run_task *idle, *all;

	struct snag_run_end end;
	struct snag_waiting *waiting;
	struct snag_place *where;

	uint64_t first; /* events before this batch */
	size_t n;
	struct snag_event batch[SNAG_BATCH_EVENTS];
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

static void name_add(struct run *r, enum snag_space space, const char *name)
{
	snag_strtab_intern(&r->names.space[space], name, strlen(name));
}

/* A task comes into being. */
static void task_add(struct run *r, snag_tid task, snag_tid creator)
{
	char name[16];
	snprintf(name, sizeof(name), "%u", task);
	name_add(r, SNAG_SPACE_THREAD, name);
	r->loc = snag_grow(r->loc, &r->loc_cap, (size_t)task + 1, sizeof(*r->loc));
	r->created = snag_grow(r->created, &r->created_cap, (size_t)task + 1, sizeof(*r->created));
	r->created[task].creator = creator;
	r->created[task].loc = r->loc[creator];
}

/* What the executor tells. */
static void on_event(void *ctx, uint8_t op, snag_tid task, uint32_t target)
{
	if (op == SNAG_OP_TASK_CREATE || op == SNAG_OP_TASK_SPAWN)
		task_add(ctx, target, task);
	tell(ctx, (enum snag_op)op, task, target);
}

_Noreturn static void fail(struct run *r)
{
	snag_tasks_stop(r->tasks);
}

static struct slot *slot_at(struct run *r, uint32_t slot)
{
	return slot < r->nshared ? &r->shared[slot] : &r->cell[slot - r->nshared].slot;
}

/* The first access to a slot gives it its number and its name. */
static void variable_add(struct run *r, uint32_t slot)
{
	char name[SNAG_SLOT_NAME];
	if (slot < r->nshared) {
		snag_program_slot_name(r->program, slot, name);
	} else {
		const struct cell *cell = &r->cell[slot - r->nshared];
		int n = snprintf(name, sizeof(name), "@%u", cell->line);
		if (cell->n > 1)
			snprintf(name + n, sizeof(name) - (size_t)n, "#%u", cell->n);
	}
	name_add(r, SNAG_SPACE_VARIABLE, name);
	slot_at(r, slot)->variable = r->names.space[SNAG_SPACE_VARIABLE].n;
}

/* Says the access, and returns where the value is. */
static struct snag_value *access_slot(struct run *r, enum snag_op op, snag_tid self, uint32_t slot)
{
	if (!slot_at(r, slot)->variable)
		variable_add(r, slot);
	tell(r, op, self, slot_at(r, slot)->variable - 1);
	return &slot_at(r, slot)->value;
}

static struct snag_value alloc_cell(struct run *r, snag_loc loc)
{
	uint32_t line = snag_program_place(r->program, loc).line;
	size_t c = r->ncells++;
	r->cell = snag_grow(r->cell, &r->cell_cap, r->ncells, sizeof(*r->cell));
	r->cell[c].line = line;
	r->cell[c].n = ++r->cells_on[line];
	return (struct snag_value){.v = (int64_t)c, .kind = SNAG_CELL};
}

static struct snag_value new_promise(struct run *r, snag_loc loc)
{
	uint32_t line = snag_program_place(r->program, loc).line;
	char name[40];
	int n = snprintf(name, sizeof(name), "new@%u", line);
	if (++r->promises_on[line] > 1)
		snprintf(name + n, sizeof(name) - (size_t)n, "#%u", r->promises_on[line]);
	name_add(r, SNAG_SPACE_PROMISE, name);
	return (struct snag_value){.v = snag_task_promise_new(r->tasks), .kind = SNAG_PROMISE};
}

static void set_promise(struct run *r, const struct snag_action *act)
{
	uint32_t promise = act->target;
	r->set_at = snag_grow(r->set_at, &r->set_cap, (size_t)promise + 1, sizeof(*r->set_at));
	if (snag_task_promise_is_set(r->tasks, promise)) {
		struct snag_place before = snag_program_place(r->program, r->set_at[promise]);
		snag_program_fail(r->program, act->loc, &r->err,
				  "promise '%s' is set already, at %u:%u",
				  snag_name(&r->names, SNAG_SPACE_PROMISE, promise), before.line,
				  before.column);
		fail(r);
	}
	r->set_at[promise] = act->loc;
	snag_task_promise_set(r->tasks, promise);
}

static void body(void *arg);

static struct run_task *run_task_take(struct run *r)
{
	struct run_task *t = r->idle;
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
		snag_machine_give(&t->machine, *access_slot(r, SNAG_OP_READ, self, act->target));
		return true;
	case SNAG_ACT_WRITE:
		*access_slot(r, SNAG_OP_WRITE, self, act->target) = act->value;
		return true;
	case SNAG_ACT_ALLOC:
		snag_machine_give(&t->machine, alloc_cell(r, act->loc));
		return true;
	case SNAG_ACT_NEW:
		snag_machine_give(&t->machine, new_promise(r, act->loc));
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
}

static void deadlock(struct run *r)
{
	size_t n = snag_tasks_waiting(r->tasks, NULL, 0);
	r->waiting = snag_calloc(n + 1, sizeof(*r->waiting));
	r->where = snag_calloc(n + 1, sizeof(*r->where));
	snag_tasks_waiting(r->tasks, r->waiting, n);
	for (size_t i = 0; i < n; i++)
		r->where[i] = snag_program_place(r->program, r->loc[r->waiting[i].task]);
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
	for (uint32_t i = 0; i < snag_program_promises(r->program); i++) {
		name_add(r, SNAG_SPACE_PROMISE, snag_program_promise_name(r->program, i));
		snag_task_promise_new(r->tasks);
	}
	task_add(r, 0, 0);
	snag_machine_begin(&main_task->machine, r->program);
	enum snag_tasks_end end = snag_tasks_run(r->tasks, body, main_task);
	struct snag_tasks_stats stats = snag_tasks_stats(r->tasks);
	r->end.tasks = stats.tasks;
	r->end.promises = stats.promises;
	r->end.blocked = stats.blocked;
	r->end.steps = r->steps_given - r->steps;
	if (end == SNAG_TASKS_DEADLOCK)
		deadlock(r);
	if (end == SNAG_TASKS_EXHAUSTED)
		snag_fail(&r->err, SNAG_EINPUT,
			  "%s: no memory for another task after %llu, or too many", r->base.name,
			  (unsigned long long)stats.tasks);
	r->has_ended = true;
	snag_fiber_leave(&r->outside);
}

static int run_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	struct run *r = (struct run *)src;
	r->first += r->n;
	r->n = 0;
	if (!r->has_ended) {
		r->has_begun = true;
		snag_fiber_switch(&r->outside, &r->inside);
	}
	if (r->first + r->n >= SNAG_MAX_EVENTS)
		return snag_fail(err, SNAG_EINPUT, "%s: more than %d events", r->base.name,
				 SNAG_MAX_EVENTS);
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
	snag_names_done(&r->names);
	free(r->shared);
	free(r->cell);
	free(r->cells_on);
	free(r->promises_on);
	free(r->set_at);
	free(r->loc);
	free(r->created);
	free(r->waiting);
	free(r->where);
	free(r);
}

static int run_again(const struct snag_source *src, struct snag_source **ret_src,
		     struct snag_error *err)
{
	const struct run *r = (const struct run *)src;
	const struct snag_run_options options = {.steps = r->steps_given};
	int rc = snag_run_source(r->program, &options, ret_src, err);
	return rc < 0 ? rc : 1;
}

static const struct snag_source_ops run_ops = {
	.next = run_next, .progress = run_progress, .close = run_close, .again = run_again};

/* Names of locations, and memory as declared. */
static void run_begin(struct run *r)
{
	uint32_t nplaces = snag_program_locations(r->program), last_line = 0;
	for (uint32_t i = 0; i < nplaces; i++) {
		struct snag_place place = snag_program_place(r->program, i);
		char name[32];
		snprintf(name, sizeof(name), "%u:%u", place.line, place.column);
		name_add(r, SNAG_SPACE_LOCATION, name);
		last_line = place.line > last_line ? place.line : last_line;
	}
	r->cells_on = snag_calloc((size_t)last_line + 1, sizeof(*r->cells_on));
	r->promises_on = snag_calloc((size_t)last_line + 1, sizeof(*r->promises_on));
	r->nshared = snag_program_slots(r->program);
	r->shared = snag_calloc(r->nshared ? r->nshared : 1, sizeof(*r->shared));
	for (size_t i = 0; i < r->program->narrays; i++) {
		const struct array *array = &r->program->array[i];
		if (array->initial)
			r->shared[array->slot].value = snag_integer(array->initial);
	}
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
	snag_names_init(&r->names);
	r->tasks = snag_tasks_new(&tasks);
	if (!r->tasks || snag_stack_map(&r->stack, EXECUTOR_STACK) < 0) {
		run_close(&r->base);
		return snag_fail(err, SNAG_EIO, "%s: no memory to run it",
				 snag_program_name(program));
	}
	snag_fiber_prepare(&r->inside, &r->stack, executor, r);
	run_begin(r);
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
