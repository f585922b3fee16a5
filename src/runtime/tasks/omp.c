/* SPDX-License-Identifier: Apache-2.0
 *
 * omp.c - programs that use OpenMP: their contexts are fibers, their structure events of tasks
 *
 * Idea.   The library (omp/core.h) runs one context at a time and reports which task runs.  A
 *         context is a fiber, or a thread that gets the baton.  There is no fork and no join.  A
 *         task is only a number, which the running context has (rt_thread.as).
 *
 * Rules.  [launch]  Outside of regions with several threads the program is alone.
 *         [own]     The runtime records no access to memory that is private to a context
 *                   (omp_own.h).
 *         [alone]   The runtime reports no access to fresh memory to a listener that does not need
 *                   it: memory just given to a context, and the stack and the arguments of a new
 *                   task until its first event (omp/core.h).
 *         [stack]   When the next task of a context begins, its stack is new memory: from the
 *                   lowest place up that was recorded, or that another context could have seen.
 *         [patience]  A context may wait for other contexts without saying so: it has run for long,
 *                   or has locked and unlocked often, while other contexts could run.  Then these
 *                   run first; next time the context may run for longer, within limits.
 *         Every event ends the epoch of the filter (access.h).
 */
#include "runtime/tasks/omp.h"

#include "omp/hooks.h"
#include "runtime/access/access.h"
#include "runtime/sched/deadlock.h"
#include "runtime/fail.h"
#include "runtime/tasks/omp_done.h"
#include "runtime/tasks/omp_flags.h"
#include "runtime/tasks/omp_own.h"
#include "runtime/tasks/omp_sections.h"
#include "runtime/tasks/omp_segments.h"
#include "runtime/options.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched_context.h"
#include "runtime/sched/sections.h"
#include "runtime/access/stack.h"
#include "runtime/tasks/tasks.h"
#include "runtime/interpose/thread.h"
#include "runtime/sched/server.h"
#include "trace/event.h"

enum {
	LEAST_PATIENCE = 1 << 22,
	MOST_PATIENCE = 1 << 25,
	LOCK_PATIENCE = 1 << 12,
	MAIN_STACK = 64 << 20
};

static uint32_t made;	  /* numbers taken: of tasks, of contexts */
static uint32_t contexts; /* beside the first */
static uint64_t ran;	  /* events since another context ran, or had nothing to do */
static uint64_t patience = LEAST_PATIENCE;

/* The context stops running: other contexts see nothing of its stack below here. */
static void stack_left(struct rt_thread *self)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	if (here < self->omp.low_water && here >= self->omp.stack_low)
		self->omp.low_water = here;
}

static void *context_first(void)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	rt_hot.self->omp.is_of_team = true;
	rt_hot.self->omp.stack_low = here - MAIN_STACK;
	rt_hot.self->omp.stack_high = rt_hot.self->omp.low_water = here;
	return rt_hot.self;
}

static void *context(const void *low, const void *high)
{
	if (!low)
		return context_first();
	struct rt_thread *t = rt_thread_new_fiber();
	made++;
	contexts++;
	t->omp.stack_low = t->omp.low_water =
		(uintptr_t)low; /* another stack may have had this memory before */
	t->omp.stack_high = (uintptr_t)high;
	return t;
}

/* The running thread switches to another of its contexts. */
static void context_switch(void *context, uint32_t as)
{
	struct rt_thread *self = rt_entered(), *to = context;
	if (!self)
		return;
	bool begins = as != SNAG_OMP_SAME;
	as = begins ? as : to->as;
	ran = 0;
	stack_left(self);
	self->parked.beyond = rt_hot.beyond;
	rt_hot.beyond = begins ? 0 : to->parked.beyond;
	to->parked.top = begins ? to->frames : to->parked.top;
	rt.listener.switches(self, to, as);
}

static void *thread_start(void *(*run)(void *), void *arg)
{
	made++;
	contexts++;
	struct rt_thread *t = rt_thread_new_worker(run, arg);
	if (t)
		t->omp.is_of_team = true;
	return t;
}

static void thread_hand(void *to)
{
	struct rt_thread *self = rt_entered();
	ran = 0;
	if (!self)
		return;
	stack_left(self);
	rt_sched_hand(self, to);
}

uint32_t rt_omp_task_new(void)
{
	made++;
	return rt_thread_number();
}

static void become(uint32_t task)
{
	struct rt_thread *self = rt_entered();
	if (self)
		rt_sched_speak_as(self, task);
}

static inline void event_put(uint8_t op, uint32_t target, const void *place)
{
	rt_epoch_end();
	rt_record_settle();
	rt_omp_put(op, target, rt_event_location((uintptr_t)place));
}

static void event(uint8_t op, uint32_t target, const void *place)
{
	if (rt_entered())
		event_put(op, target, place);
}

static void launch(bool begins) /* [launch] */
{
	if (!rt_entered())
		return;
	if (begins && rt_sched.nthreads != 1 + made)
		rt_fail("a parallel region in a program that created threads before cannot be "
			"judged");
	rt_server_tasks();
	rt_sections_order_all(false);
	rt_flags_forget();
	own_launch(&rt_own);
	if (begins)
		rt_thread_begun_fibers(contexts);
	else
		rt_thread_joined_fibers(contexts);
	rt_put(RT_NOTE, 0, 0, 0, begins ? RT_NOTE_LAUNCH : RT_NOTE_LAUNCHED);
}

static void enter(const void *place)
{
	if (place)
		__tsan_func_entry((void *)place);
	else
		__tsan_func_exit();
}

static uint32_t number(enum snag_omp_number kind)
{
	switch (kind) {
	case SNAG_OMP_NUMBER_TASK:
		return rt_omp_task_new();
	case SNAG_OMP_NUMBER_PROMISE:
		return rt_promise_new();
	default:
		return rt_new_lock();
	}
}

static void lock(uint32_t number, const void *at, bool is_acquired, const void *place)
{
	struct rt_thread *self = rt_entered();
	if (!self)
		return;
	uint32_t loc = rt_location((uintptr_t)place);
	rt_epoch_end();
	if (!is_acquired)
		rt_section_end(number, loc);
	rt_put(is_acquired ? RT_ACQUIRE : RT_RELEASE, 0, (uintptr_t)at, loc, number);
	if (!is_acquired) {
		ran += LOCK_PATIENCE;
		return;
	}
	if (!self->section.depth && rt_omp_has_order)
		rt_sections_entered(self->as);
	rt_section_begin(number);
}

static bool may_enter(void)
{
	struct rt_thread *self = rt_entered();
	if (!self || self->section.depth)
		return true;
	rt_record_settle(); /* so that the task of the next record is known */
	return rt_sections_may_enter(self->as);
}

static void stuck(bool is_deadlock)
{
	if (is_deadlock) {
		rt_deadlock();
		rt_fail("OpenMP: deadlock: every thread and task waits for another");
	}
	if (rt_entered())
		rt_sections_stuck();
}

static void memory(const void *at, size_t nbytes, const void *place)
{
	if (!rt_entered())
		return;
	own_args(&rt_own, (uintptr_t)at, nbytes);
	rt_record_settle();
	if (!rt.listener.needs_fresh)
		rt_fresh_mark(OWN_FRESH_BLOCK, (uintptr_t)at, nbytes);
	rt.listener.block((uintptr_t)at, nbytes, (uintptr_t)place);
}

/* The context has this stack from now on: all of it or, as the thread of a region, the part below
 * `high`.  Only the part that was used since last time is reported as new. */
static void stack_new(struct rt_thread *self, uintptr_t low, uintptr_t high, uint32_t task)
{
	uintptr_t from = self->omp.stack_high ? self->omp.low_water & ~(uintptr_t)7 : low;
	if (from < high)
		rt.listener.stack(from, high, task);
	self->omp.stack_low = low;
	if (high > self->omp.stack_high)
		self->omp.stack_high = high;
	self->omp.low_water = high;
}

static void stack_renew(struct rt_thread *self, uintptr_t low, uintptr_t high, uint32_t task)
{
	rt_epoch_end();
	stack_new(self, low, high, task);
}

static void stack(const void *low, const void *high, uint32_t task)
{
	struct rt_thread *self = rt_entered();
	if (self)
		stack_renew(self, (uintptr_t)low, (uintptr_t)high, task);
}

static void alone_with(const struct rt_thread *self, const void *at, size_t nbytes) /* [alone] */
{
	rt_fresh_mark(OWN_FRESH_STACK, self->omp.stack_low,
		      self->omp.stack_high - self->omp.stack_low);
	rt_fresh_mark(OWN_FRESH_BLOCK, (uintptr_t)at, nbytes);
}

static void fresh(const void *at, size_t nbytes)
{
	const struct rt_thread *self = rt_entered();
	if (self && !rt.listener.needs_fresh)
		alone_with(self, at, nbytes);
}

static void segment(enum snag_omp_segment what, uint32_t task, bool has_loans, const void *place)
{
	struct rt_thread *self = rt_entered();
	if (!self)
		return;
	if (what == SNAG_OMP_SEGMENT_OVER) {
		if (rt_own_segment_over(self))
			stack_renew(self, self->omp.own.low, self->omp.own.high, task);
		rt_sched_speak_as(self, task);
		return;
	}
	if (what == SNAG_OMP_SEGMENT_NEW)
		rt_segment_begin(task, place);
	else
		rt_sched_speak_as(self, task);
	rt_own_segment(self, has_loans);
}

static void child_recorded(struct rt_thread *to, uint32_t task, const void *place)
{
	event(SNAG_OP_TASK_SPAWN, task, place);
	context_switch(to, task);
	stack((void *)to->omp.stack_low, (void *)to->omp.stack_high, task);
	enter(place);
}

static uint32_t child(void *context, uint32_t task, const void *place, const void *at,
		      size_t nbytes, bool is_new)
{
	struct rt_thread *self = rt_entered(), *to = context;
	task = task ? task : rt_omp_task_new();
	if (!self)
		return task;
	if (!rt.listener.child) {
		if (is_new && nbytes)
			memory(at, nbytes, place);
		child_recorded(to, task, place);
		return task;
	}
	rt_record_settle();
	rt_omp_made(SNAG_OP_TASK_SPAWN, task);
	ran = 0;
	stack_left(self);
	rt.listener.child(self, to, SNAG_OP_TASK_SPAWN, task);
	stack_new(to, to->omp.stack_low, to->omp.stack_high, task);
	if (is_new)
		rt.listener.renewed((uintptr_t)at, nbytes);
	alone_with(to, at, nbytes);
	return task;
}

static void ended(void *context, const void *place)
{
	struct rt_thread *self = rt_entered(), *to = context;
	if (!self)
		return;
	if (!rt.listener.ended) {
		event(SNAG_OP_TASK_END, 0, place);
		context_switch(to, SNAG_OMP_SAME);
		return;
	}
	rt_record_settle();
	ran = 0;
	rt.listener.ended(self, to);
}

static bool answer(enum snag_omp_question question)
{
	switch (question) {
	case SNAG_OMP_IS_SEEN:
		return rt_self();
	case SNAG_OMP_IS_APART:
		return rt.listener.needs_parts || rt_options.apart;
	case SNAG_OMP_IS_LOCKSTEP:
		return rt_entered() && rt.listener.simd();
	case SNAG_OMP_HAS_ORDER:
		return rt_omp_has_order = rt_sections_are_ordered();
	case SNAG_OMP_MAY_ENTER:
		return may_enter();
	case SNAG_OMP_WAS_REPORTED:
		return rt_segment_was_reported();
	default:
		return rt_segment_may_reuse();
	}
}

static void before_write(void (*f)(void))
{
	if (!rt_entered())
		return;
	rt_epoch_end();
	rt.before_write = f;
}

static void obstacle(const void *place, enum snag_omp_obstacle what)
{
	static const bool is_answer[] = {
#define OBSTACLE(name, kind, is_judged, is_answer, words) [SNAG_OMP_OBSTACLE_##name] = is_answer,
#include "trace/obstacles.def"
#undef OBSTACLE
	};
	struct rt_thread *self = rt_entered();
	if (!self)
		return;
	if (what == SNAG_OMP_OBSTACLE_THREAD_NUMBER)
		rt_done_number_read(self);
	rt_tasks_obstacle((enum rt_obstacle)what, (uintptr_t)place); /* of one list */
	if (is_answer[what])
		rt_sections_order_all(true);
}

void rt_omp_turn(uint64_t events) /* [patience] */
{
	ran += events;
	if (!__snag_omp_yield || ran < patience)
		return;
	ran = 0;
	if (__snag_omp_yield() && patience < MOST_PATIENCE)
		patience *= 2;
}

static void flush(const void *place)
{
	if (rt_entered() && !rt.is_alone)
		rt_flags_flush(rt_location((uintptr_t)place));
}

bool rt_omp_may_launch(void)
{
	return __snag_omp_yield;
}

void rt_omp_report(void)
{
	if (rt_omp_may_launch())
		rt_tasks_are(RT_DIALECT_OPENMP);
}

RT_EXPORT const struct snag_omp_hooks *__snag_omp_hooks(void)
{
	static const struct snag_omp_hooks hooks = {
		.answer = answer,
		.number = number,
		.done = rt_omp_done,
		.context = context,
		.context_switch = context_switch,
		.thread_start = thread_start,
		.thread_hand = thread_hand,
		.launch = launch,
		.become = become,
		.event = event,
		.child = child,
		.ended = ended,
		.label = rt_segment_label,
		.phase = rt_omp_phase,
		.segment = segment,
		.segment_next = rt_segment_next,
		.memory = memory,
		.stack = stack,
		.lends = rt_omp_lends,
		.fresh = fresh,
		.copy = rt_omp_copy,
		.lock = lock,
		.stuck = stuck,
		.flush = flush,
		.enter = enter,
		.before_write = before_write,
		.obstacle = obstacle,
		.fail = rt_fail,
	};
	rt_begin_once();
	if (!rt_self())
		return NULL;
	rt_own_begin();
	return &hooks;
}
