/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.c - programs written with <snag/task.h>: their tasks are fibers, their structure is events
 *
 * Idea.   The library runs the tasks one at a time and reports their events (task/hooks.h).  A
 *         task is a fiber (fiber.c) with a thread number of its own.  There is no fork and no join:
 *         events of tasks order tasks.
 *
 * Rules.  [launch]  The first task is the thread that launches: a launch is a finish in it.
 *         [create]  A created task is a new fiber, which runs next.
 *         [runs]    The thread becomes the fiber of that task.  The first time, its stack is new
 *                   memory.
 *         [end]     The fiber is freed when another one has taken over.
 *         [alone]   While no task is parallel to the first one, the runtime does not look at its
 *                   accesses, as at those of main outside of launches: until it creates a task, and
 *                   again at the end of a finish in which it created all tasks since.  (Raman et
 *                   al., section 6.1)
 *         For some listeners, one report contains such an event and the switch to the other fiber
 *         (listener.h).
 *         Each of them ends the epoch of the filter (access.h).
 *         [fresh]   Only the task itself can reach its stack, at whose end is the copy of its
 *                   argument, before its first event.  To a listener that does not need fresh
 *                   memory, the runtime reports no access there until then; nor, if the task ends
 *                   before, that the memory is new.
 *
 * State.  tid[task]  the thread number of each task of this launch, if the listener needs it; 0 is
 *                    the launcher
 *         fresh      [fresh] the stack of the running task, while rt.is_fresh
 */
#include "runtime/tasks/tasks.h"

#include "runtime/access/access.h"
#include "runtime/fail.h"
#include "runtime/memory.h"
#include "runtime/tasks/omp_flags.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched_context.h"
#include "runtime/sched/sections.h"
#include "runtime/interpose/signals.h"
#include "runtime/access/stack.h"
#include "runtime/interpose/thread.h"
#include "runtime/sched/server.h"
#include "task/hooks.h"

#include <string.h>

enum { PAGE = 4096 };

__attribute__((weak)) int snag_launch(void (*function)(void *), void *arg); /* <snag/task.h> */

extern char __libc_single_threaded __attribute__((weak)); /* glibc 2.32 */

static uint32_t made; /* fibers, in all launches */
static uint32_t *tid;
static uint32_t ntasks, tid_cap;

/* [alone] For the first task: how many finishes are open; in how many of them it has created
 * tasks, at least; how many tasks were created since it was alone. */
static uint32_t depth, least_depth, nparallel;

/* the promises of all launches so far; those of the launches before this one */
static uint32_t promises, first_promise;
static struct rt_thread *ended;	  /* is freed when another fiber runs */
static struct rt_thread *created; /* the fiber that was just created and runs next */
static uint8_t created_by;	  /* the kind of event that created it */
static struct rt_thread *launcher;
static bool is_launched; /* tasks run */
static struct snag_stack fresh;
/* the argument of the task that runs next, which is new memory; arg 0: it has none */
static struct rt_record argument;

/* The shadow stack of the launcher: it continues there, also if its task does not end. */
static struct rt_frame *launch_top;
static uint64_t launch_beyond;

static void task_add(uint32_t thread)
{
	if (!rt.listener.needs_places && !rt_sections_are_ordered()) {
		ntasks++;
		return;
	}
	if (ntasks == tid_cap) {
		uint32_t cap = tid_cap ? 2 * tid_cap : 1024;
		tid = rt_grow(tid, tid_cap * sizeof(*tid), cap * sizeof(*tid));
		tid_cap = cap;
	}
	tid[ntasks++] = thread;
}

static inline void tell(uint8_t op, uint32_t target)
{
	rt.listener.task(op, target, rt_event_location((uintptr_t)rt_tasks_place));
}

void rt_tasks_known(void) /* [fresh] */
{
	rt.is_fresh = false;
	rt.listener.renewed((uintptr_t)fresh.base, fresh.nbytes);
}

static void fresh_begin(const struct snag_stack *stack)
{
	fresh = *stack;
	rt_fresh_mark(OWN_FRESH_STACK, (uintptr_t)stack->base, stack->nbytes);
	rt.is_fresh = true;
}

static void create(struct rt_thread *self, uint8_t op) /* [create] */
{
	created = rt_thread_new_fiber();
	created_by = op;
	made++;
	nparallel++;
	if (self == launcher && depth < least_depth)
		least_depth = depth;
	task_add(created->tid);
	if (rt_sections_are_ordered())
		rt_sections_created(self->tid, created->tid);
}

/* A finish of the first task begins or has ended. */
static void finish_look(bool begins) /* [alone] */
{
	if (begins) {
		depth++;
		return;
	}
	if (depth-- > least_depth || !nparallel)
		return;
	rt_flags_forget();
	rt_thread_joined_fibers(nparallel);
	nparallel = 0;
	least_depth = UINT32_MAX;
}

/* Returns whether the listener gets the event when the other task runs ([merged] of listener.h). */
static inline bool is_reported_later(uint8_t op)
{
	const uint32_t ops =
		SNAG_OP_BIT(TASK_CREATE) | SNAG_OP_BIT(TASK_SPAWN) | SNAG_OP_BIT(TASK_END);
	return rt.listener.child && ops >> op & 1;
}

static void on_event(void *ctx, uint8_t op, snag_tid task, uint32_t target)
{
	bool is_later = is_reported_later(op);
	rt.is_fresh &= op != SNAG_OP_TASK_END; /* [fresh] */
	struct rt_thread *self = is_later ? rt_entered() : NULL;
	if (!self || rt_signals_pending(self))
		self = rt_sched_point();
	if (!self)
		return;
	switch (op) {
	case SNAG_OP_TASK_CREATE:
	case SNAG_OP_TASK_SPAWN:
		create(self, op);
		target = created->tid;
		break;
	case SNAG_OP_ISOLATED_BEGIN:
		if (rt_sections_are_ordered())
			rt_sections_began(self->tid);
		break;
	case SNAG_OP_ISOLATED_END:
		if (rt_sections_are_ordered())
			rt_sections_ended(self->tid);
		break;
	case SNAG_OP_TASK_END:
		if (task == 0)
			return; /* the launcher continues */
		ended = self;
		break;
	case SNAG_OP_PROMISE_SET:
	case SNAG_OP_PROMISE_GET:
		target += first_promise;
		promises = promises > target ? promises : target + 1;
		break;
	default:
		break;
	}
	if (!is_later)
		tell(op, target);
	if (op == SNAG_OP_ISOLATED_BEGIN || op == SNAG_OP_ISOLATED_END) {
		rt_flags_isolated(op == SNAG_OP_ISOLATED_BEGIN,
				  rt_event_location((uintptr_t)rt_tasks_place));
	}
	if (task == 0 && (op == SNAG_OP_FINISH_BEGIN || op == SNAG_OP_FINISH_END))
		finish_look(op == SNAG_OP_FINISH_BEGIN);
}

uint32_t rt_tasks_promise_new(void)
{
	uint32_t promise = first_promise + __snag_task_promise();
	promises = promises > promise ? promises : promise + 1;
	return promise;
}

static void launch(struct rt_thread *self)
{
	if (rt_sched.nthreads != 1 + made)
		rt_fail("snag_launch() in a program that created threads before cannot be judged");
	ntasks = depth = 0;
	least_depth = UINT32_MAX;
	launcher = self;
	rt_server_tasks();
	task_add(self->tid);
	first_promise = promises;
	rt_flags_forget();
	is_launched = true;
	rt_epoch_end();
	launch_top = rt_hot.top;
	launch_beyond = rt_hot.beyond;
	__tsan_func_entry((void *)rt_tasks_place); /* the call that launches */
	rt_put(RT_NOTE, 0, 0, 0, RT_NOTE_LAUNCH);
	if (&__libc_single_threaded) /* libstdc++ would count references without atomics */
		__libc_single_threaded = 0;
	tell(SNAG_OP_FINISH_BEGIN, 0);
}

/* A task begins on this stack; the argument at its end is a block of its own. */
static void stack_report(const struct snag_stack *stack, uint32_t thread)
{
	uintptr_t top = (uintptr_t)stack->base + stack->nbytes;
	rt_put(RT_FORGET, 0, (uintptr_t)stack->base, 0,
	       (uint32_t)((stack->nbytes + PAGE - 1) / PAGE));
	rt_put(RT_STACK, 0, argument.arg ? argument.what : top, 0, thread);
	if (argument.arg)
		rt_put(RT_ALLOC, 0, argument.what, argument.loc, argument.arg);
	argument.arg = 0;
}

/* The thread continues as that fiber. */
static void become(struct rt_thread *self, struct rt_thread *to)
{
	self->parked.beyond = rt_hot.beyond;
	rt_hot.beyond = to->parked.beyond;
	if (to == created && rt.listener.child)
		rt.listener.child(self, to, created_by, to->as);
	else if (self == ended && rt.listener.ended)
		rt.listener.ended(self, to);
	else
		rt.listener.switches(self, to, to->as);
}

static void on_runs(void *ctx, snag_tid task, void **own, const struct snag_stack *stack)
{
	/* Without turns, the event or swap that comes with it ends the epoch. */
	struct rt_thread *self = rt.listener.needs_turns ? rt_sched_point() : rt_entered();
	if (!self)
		return;
	if (rt.listener.needs_places)
		self->wait.at = rt_location((uintptr_t)rt_tasks_place);
	if (task == 0 && stack)
		launch(self);
	if (stack && task)
		*own = created;
	struct rt_thread *to = *own ? *own : launcher;
	self->parked.called_at = rt_tasks_place;
	if (to != self)
		become(self, to);
	if (to != created) /* its call continues */
		rt_tasks_place = to->parked.called_at;
	created = NULL;
	if (ended && ended != rt_hot.self) {
		rt_thread_end_fiber(ended);
		ended = NULL;
	}
	if (stack && rt.listener.needs_fresh)
		stack_report(stack, tid[task]);
	else if (stack && task)
		fresh_begin(stack);
	else if (stack)
		rt.listener.renewed((uintptr_t)stack->base, stack->nbytes);
}

static bool on_may_enter(void *ctx, snag_tid task)
{
	return !rt_sections_are_ordered() || rt_sections_is_inside(tid[task]) ||
	       rt_sections_may_enter(tid[task]);
}

static void on_stuck(void *ctx)
{
	if (rt_sched_point())
		rt_sections_stuck();
}

static void on_memory(void *ctx, const void *at, size_t nbytes)
{
	if (!(rt.listener.needs_turns ? rt_sched_point() : rt_entered()))
		return;
	rt_epoch_end();
	rt.listener.block((uintptr_t)at, nbytes, (uintptr_t)rt_tasks_place);
}

static void on_copy(void *ctx, void *to, const void *from, size_t nbytes, bool is_unseen)
{
	const uintptr_t pc = (uintptr_t)rt_tasks_place;
	if (!is_unseen)
		rt_access_range((uintptr_t)from, nbytes, false, pc);
	if (rt.listener.needs_places && rt_self())
		argument = (struct rt_record){(uintptr_t)to, rt_location(pc), (uint32_t)nbytes};
	memcpy(to, from, nbytes);
}

static void on_obstacle(void *ctx, enum snag_task_obstacle what)
{
	if (rt_sched_point())
		rt_tasks_obstacle((enum rt_obstacle)what,
				  (uintptr_t)rt_tasks_place); /* of one list */
}

/* Reports what a task waits for, and where. */
static void waiting_report(const struct snag_waiting *w)
{
	_Static_assert((int)RT_WAIT_OTHER == (int)SNAG_WAIT_OTHER, "as channel.h says");
	const struct rt_thread *t = rt_thread_at(tid[w->task]);
	uint32_t target = w->why == SNAG_WAIT_PROMISE ? w->target + first_promise
			  : w->why == SNAG_WAIT_OTHER ? 0
						      : tid[w->target];
	rt_put(RT_WAITS, (uint8_t)w->why, target, t ? t->wait.at : 0, tid[w->task]);
}

/* The thread that launched continues as itself. */
static void on_end(void *ctx, enum snag_tasks_end end, const struct snag_waiting *waiting, size_t n)
{
	if (!rt_sched_point())
		return;
	is_launched = false;
	rt_hot.top = launch_top;
	rt_hot.beyond = launch_beyond;
	if (end == SNAG_TASKS_DONE) {
		tell(SNAG_OP_FINISH_END, 0);
		rt_thread_joined_fibers(nparallel);
		nparallel = 0;
		rt_put(RT_NOTE, 0, 0, 0, RT_NOTE_LAUNCHED);
	}
	for (size_t i = 0; i < n && rt.listener.needs_places; i++)
		waiting_report(&waiting[i]);
}

bool rt_tasks_may_launch(void)
{
	return snag_launch;
}

void rt_tasks_report(void)
{
	if (rt_tasks_may_launch())
		rt_tasks_are(RT_DIALECT_SNAG);
}

void rt_tasks_are(enum rt_dialect dialect)
{
	rt.is_of_tasks = true;
	rt.orders_blocks = dialect == RT_DIALECT_SNAG && rt_sections_are_of_all();
	rt_put(RT_NOTE, 0, dialect, 0, RT_NOTE_TASKS);
}

bool rt_tasks_wait(bool (*is_free)(void *lock), void *lock)
{
	return is_launched && __snag_task_wait && __snag_task_wait(is_free, lock);
}

void rt_tasks_freed(void)
{
	if (is_launched && __snag_task_poll)
		__snag_task_poll();
}

void rt_tasks_block_enter(void)
{
	const struct rt_thread *self = rt_entered();
	if (is_launched && self && !self->ignoring.accesses && __snag_task_enter &&
	    !rt_sections_is_inside(self->tid))
		__snag_task_enter();
}

void rt_tasks_obstacle(enum rt_obstacle what, uintptr_t pc)
{
	if (rt.is_of_tasks && !(rt.listener.obstacle && rt.listener.obstacle(what, pc)))
		rt_put(RT_NOTE, 0, what, rt_location(pc), RT_NOTE_OBSTACLE);
}

RT_EXPORT const struct snag_task_hooks *__snag_task_hooks(void)
{
	static const struct snag_task_hooks hooks = {
		.event = on_event,
		.runs = on_runs,
		.may_enter = on_may_enter,
		.stuck = on_stuck,
		.memory = on_memory,
		.copy = on_copy,
		.obstacle = on_obstacle,
		.end = on_end,
		.place = &rt_tasks_place,
	};
	rt_begin_once();
	return rt_self() ? &hooks : NULL;
}
