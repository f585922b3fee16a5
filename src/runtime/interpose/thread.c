/* SPDX-License-Identifier: Apache-2.0
 *
 * thread.c - the life of threads: main, created, joined, detached, ended
 *
 * Rules.  [create]  fork(t); the new thread is ready at once.  The policy decides whether it runs
 *                   before its creator continues
 *         [end]     after the last round of thread-specific destructors: wakes the thread that
 *                   joins it
 *         [join]    waits until the thread has ended, then join(t)
 *         [joinable]  Joining or detaching a thread that is detached or was joined is a mistake
 *                   (misuse.h): the C library may give its number to another thread
 *         A thread's stack is new memory when the thread begins.
 *
 * State.  table[tid]: the threads that can run or be joined.  A fiber that is used again keeps its
 *         place: millions of tasks begin and end.  Only a detector in this process uses such fibers
 */
#include "runtime/interpose/thread.h"

#include "runtime/access/access.h"
#include "runtime/fail.h"
#include "runtime/interpose/cancel.h"
#include "runtime/interpose/fork.h"
#include "runtime/channel/lane.h"
#include "runtime/memory.h"
#include "runtime/interpose/misuse.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/mutex.h"
#include "runtime/interpose/object.h"
#include "runtime/sched/policy.h"
#include "runtime/interpose/real.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"
#include "runtime/interpose/signals.h"
#include "runtime/access/stack.h"
#include "runtime/options.h"
#include "runtime/sched/server.h"
#include "runtime/sched/walk.h"
#include "runtime/sched/names.h"
#include "runtime/sys.h"
#include "runtime/sched/watchdog.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum { PAGE = 4096, SPARE_FRAMES = 64 };

static struct rt_thread **table;
static uint32_t table_cap;
static uint32_t unjoined;	  /* threads and fibers that were created and not joined */
static struct rt_thread *zombies; /* detached threads that have ended */
static struct rt_frame *spare[SPARE_FRAMES];
static unsigned nspare;
static struct rt_thread *spare_threads; /* linked by wait.next */
static struct rt_thread *spare_fibers;	/* likewise; with their frames */
static pthread_key_t end_key;		/* the destructor of this key runs at the end of a thread */

struct rt_thread *rt_thread_at(uint32_t tid)
{
	return tid < table_cap ? table[tid] : NULL;
}

/* Frames of threads that have ended, and their state, are used again, because tasks begin and end
 * often. */
static struct rt_frame *frames_take(void)
{
	return nspare ? spare[--nspare] : rt_alloc(RT_FRAMES * sizeof(struct rt_frame));
}

static void frames_give(struct rt_frame *frames)
{
	if (nspare < SPARE_FRAMES)
		spare[nspare++] = frames;
	else
		rt_free(frames, RT_FRAMES * sizeof(*frames));
}

static void thread_free(struct rt_thread *t)
{
	table[t->place] = NULL;
	frames_give(t->frames);
	t->lane = (struct rt_lane){0};
	t->wait.next = spare_threads;
	spare_threads = t;
}

/* All zero, except the notes of its sections and its pending signals. */
static struct rt_thread *thread_take(void)
{
	struct rt_thread *t = spare_threads;
	if (!t)
		return rt_alloc(sizeof(*t));
	spare_threads = t->wait.next;
	memset(t, 0, offsetof(struct rt_thread, section.noted));
	memset(&t->signals, 0, offsetof(struct rt_signals, pending));
	return t;
}

static void zombies_bury(void)
{
	for (struct rt_thread *t = zombies, *next; t; t = next) {
		next = t->wait.next;
		thread_free(t);
	}
	zombies = NULL;
}

/* A number that is only the name of a task needs no place in the table. */
static void table_put(struct rt_thread *t)
{
	if (t->tid >= table_cap) {
		uint32_t cap = table_cap ? 2 * table_cap : 256;
		while (cap <= t->tid)
			cap *= 2;
		table = rt_grow(table, table_cap * sizeof(*table), cap * sizeof(*table));
		table_cap = cap;
	}
	table[t->tid] = t;
	t->place = t->tid;
}

static struct rt_thread *thread_new(void)
{
	zombies_bury();
	struct rt_thread *t = thread_take();
	t->tid = t->as = t->name = rt_thread_number();
	t->wait.deadline = RT_NEVER;
	t->frames = frames_take();
	table_put(t);
	return t;
}

static void alone_set(bool is_alone)
{
	rt.is_alone = is_alone;
	rt.is_unheard = is_alone || rt.is_mute;
	rt_filter.is_idle = is_alone && !rt.listener.needs_turns;
}

static void alone_no_more(void)
{
	unjoined++;
	alone_set(false);
}

/* Takes a lane for a context that pthread_create did not make: no caller can handle a failure. */
static void lane_take(struct rt_thread *t)
{
	if (rt.is_free && !rt_lane_take(t))
		rt_fail("too many threads live at the same time");
}

struct rt_thread *rt_thread_new_fiber(void)
{
	struct rt_thread *t = spare_fibers;
	if (t) {
		spare_fibers = t->wait.next;
		t->wait.next = NULL;
		t->tid = t->as = t->name = rt_thread_number();
	} else {
		t = thread_new();
	}
	alone_no_more();
	lane_take(t);
	t->state = RT_BLOCKED; /* until a thread switches to it */
	t->life.is_detached = true;
	t->parked.top = t->frames;
	return t;
}

/* Returns whether the fiber can be used again without being reset. For a listener that needs no
 * turns, a new fiber sets again all that most fibers leave behind. */
static bool is_clean(const struct rt_thread *fiber)
{
	const struct rt_section *section = &fiber->section;
	return !rt.listener.needs_turns && !fiber->ignoring.accesses && !fiber->omp.is_of_team &&
	       !fiber->omp.stack_high && !fiber->life.joiners &&
	       !(section->depth | section->got | section->nnoted) && !section->has_promise &&
	       fiber->signals.kept == fiber->signals.run;
}

void rt_thread_end_fiber(struct rt_thread *fiber)
{
	if (fiber == rt_hot.self)
		return;
	if (rt.is_free)
		rt_lane_end(fiber);
	if (!is_clean(fiber)) {
		thread_free(fiber);
		return;
	}
	fiber->parked.beyond = 0;
	fiber->wait.next = spare_fibers;
	spare_fibers = fiber;
}

void rt_thread_begun_fibers(uint32_t n)
{
	unjoined += n;
	alone_set(false);
}

void rt_thread_joined_fibers(uint32_t n)
{
	unjoined -= n;
	alone_set(unjoined == 0 && rt_hot.self->tid == 0);
}

/* Makes the calling thread `t`. */
static void thread_attach(struct rt_thread *t)
{
	rt_hot.self = t;
	rt_hot.top = t->frames;
	rt_hot.end = t->frames + RT_FRAMES;
	rt_hot.has_read = true; /* so that its first block shows that branches are recorded */
	rt_hot.places = t->lane.places ? t->lane.places : rt_places;
	t->hot = &rt_hot;
	t->life.handle = pthread_self();
	t->kernel_tid = rt_sys_gettid();
}

static void thread_ended(void *self);

void rt_thread_begin(void)
{
	struct rt_thread *t = thread_new();
	thread_attach(t);
	pthread_key_create(&end_key, thread_ended);
	pthread_setspecific(end_key, t);
	rt_sched_first(t);
	rt_put(RT_STACK, 0, (uintptr_t)__builtin_frame_address(0), 0, t->tid);
	alone_set(true);
}

void rt_thread_created(struct rt_thread *t, uintptr_t pc)
{
	rt_names_created(rt_hot.self, t);
	t->life.created_at = rt_location(pc);
	t->life.created_by = rt_hot.self->tid;
	rt_put(RT_FORK, 0, 0, t->life.created_at, t->tid);
}

struct rt_thread *rt_thread_new_stranger(uintptr_t pc)
{
	struct rt_thread *t = thread_new();
	alone_no_more();
	lane_take(t);
	t->state = RT_OUT;
	t->life.is_detached = true;
	rt_thread_created(t, pc);
	return t;
}

/* The memory of a new thread, also its thread-local storage, is new. */
static void stack_forget(struct rt_thread *self)
{
	pthread_attr_t attr;
	void *at;
	size_t n;
	rt_hot.is_own = true;
	if (pthread_getattr_np(self->life.handle, &attr) == 0) {
		if (pthread_attr_getstack(&attr, &at, &n) == 0) {
			rt_put(RT_FORGET, 0, (uintptr_t)at, 0, (uint32_t)(n / PAGE));
			rt_put(RT_STACK, 0, (uintptr_t)at + n, 0, self->tid);
		}
		pthread_attr_destroy(&attr);
	}
	rt_hot.is_own = false;
}

static void *thread_run(void *p)
{
	struct rt_thread *self = p;
	thread_attach(self);
	rt_signals_mask(&self->life.mask, NULL);
	rt_scope_begin(); /* until the pause: the C library allocates before it */
	rt_sched_wait_first(self);
	stack_forget(self);
	rt_branch_begin();
	pthread_setspecific(end_key, self);
	rt_scope_pause();
	return self->life.start(self->life.start_arg);
}

void rt_thread_is_here(struct rt_thread *self)
{
	thread_attach(self);
	rt_sched_comes(self);
	stack_forget(self);
	rt_branch_begin();
	pthread_setspecific(end_key, self);
}

static void *worker_run(void *p)
{
	struct rt_thread *self = p;
	thread_attach(self);
	rt_sched_wait_first(self);
	return self->life.start(self->life.start_arg);
}

struct rt_thread *rt_thread_new_worker(void *(*run)(void *), void *arg)
{
	pthread_t handle;
	struct rt_thread *t = thread_new();
	alone_no_more();
	t->state = RT_BLOCKED;
	t->life.is_detached = true;
	t->life.start = run;
	t->life.start_arg = arg;
	return rt_real.pthread_create(&handle, NULL, worker_run, t) == 0 ? t : NULL;
}

/* [end] Called in every round of destructors; the last one is the end. */
static void thread_ended(void *p)
{
	struct rt_thread *self = p;
	if (!rt.on || rt_hot.self != self)
		return;
	if (++self->life.ending < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
		pthread_setspecific(end_key, self);
		return;
	}
	if (!rt_enter())
		return;
	rt_misuse_ignores(self);
	rt_mutex_owner_ends();
	if (self->life.joiners)
		rt_object_wake_all(self->life.joiners, 0);
	if (self->life.is_detached) {
		self->wait.next = zombies;
		zombies = self;
	}
	rt_sched_exit(self); /* another thread has the baton now, and may free self */
}

void rt_thread_forked(struct rt_thread *self)
{
	for (uint32_t i = 0; i < table_cap; i++)
		if (table[i] && table[i] != self)
			thread_free(table[i]);
	zombies = NULL;
	unjoined = 0;
	self->life.created_at = self->wait.at = 0;
	self->kernel_tid = rt_sys_gettid();
	alone_set(true);
}

/* Blocks signals while the new thread begins: no thread of the runtime could handle them yet. */
static int thread_create(pthread_t *ret_handle, const pthread_attr_t *attr, struct rt_thread *t)
{
	sigset_t all, mask;
	sigfillset(&all); /* except those of the C library */
	rt_signals_mask(&all, &mask);
	if (!attr || pthread_attr_getsigmask_np(attr, &t->life.mask) != 0)
		t->life.mask = mask;
	rt_hot.buries = true;
	int rc = rt_real.pthread_create(ret_handle, attr, thread_run, t);
	rt_hot.buries = false;
	rt_signals_mask(&mask, NULL);
	return rc;
}

RT_EXPORT int pthread_create(pthread_t *ret_handle, const pthread_attr_t *attr,
			     void *(*start)(void *), void *arg)
{
	RT_SCOPE;
	if (rt_unlikely(rt_options.server >= 0) && rt.is_alone && rt_enter())
		rt_server_begin(rt_hot.self);
	if (rt_unlikely(rt_fork_is_unobserved))
		rt_fork_observe();
	struct rt_thread *self = rt_sched_point();
	int detach = PTHREAD_CREATE_JOINABLE;
	if (!self)
		return rt_real.pthread_create(ret_handle, attr, start, arg);
	rt_watchdog_begin();
	struct rt_thread *t = thread_new();
	t->life.start = start;
	t->life.start_arg = arg;
	t->sched.aim = RT_AIM_UNKNOWN;
	if (attr)
		pthread_attr_getdetachstate(attr, &detach);
	t->life.is_detached = detach == PTHREAD_CREATE_DETACHED;
	int rc = rt.is_free && !rt_lane_take(t) ? EAGAIN : thread_create(ret_handle, attr, t);
	rt_enter(); /* the call may have taken long */
	if (rc != 0) {
		if (t->lane.ring)
			rt_lane_end(t);
		rt_sched.nthreads--;
		thread_free(t);
		return rc;
	}
	t->life.handle = *ret_handle;
	rt_thread_created(t, RT_CALLER);
	alone_no_more();
	rt_sched_add(t);
	if (!rt.is_free && rt_policy_child_first(self, t))
		rt_sched_prefer(self, t);
	return 0;
}

void rt_thread_leaks(void)
{
	for (uint32_t i = 0; i < table_cap; i++)
		if (table[i] && table[i]->state == RT_DONE && !table[i]->life.is_detached)
			rt_misuse_leak(table[i]);
}

struct rt_thread *rt_thread_find(pthread_t handle)
{
	for (uint32_t i = 0; i < table_cap; i++)
		if (table[i] && pthread_equal(table[i]->life.handle, handle) &&
		    !(table[i]->life.is_detached && table[i]->state == RT_DONE))
			return table[i];
	return NULL;
}

/* Waits until t has ended.  Returns false if the deadline passed first. */
static bool end_wait(struct rt_thread *self, struct rt_thread *t, rt_time deadline, uintptr_t pc)
{
	if (t->state != RT_DONE)
		self->wait.at = rt_location(pc);
	if (!t->life.joiners) {
		t->life.joiners = rt_object_get((uintptr_t)t, RT_THREAD);
		t->life.joiners->need = t->tid;
	}
	for (rt_cancel_point(self); t->state != RT_DONE; rt_cancel_point(self))
		if (!rt_sched_block(self, t->life.joiners, deadline))
			return false;
	rt_object_forget((uintptr_t)t, RT_THREAD);
	return true;
}

/* Joins t, which has ended: records that, and frees t. */
static int thread_joined(struct rt_thread *self, struct rt_thread *t, void **ret_value,
			 rt_time deadline, uintptr_t pc)
{
	rt_hot.buries = true;
	int rc = rt_real.pthread_join(t->life.handle, ret_value);
	rt_hot.buries = false;
	rt_enter(); /* the call may have taken long */
	rt_put(RT_JOIN, deadline != RT_NEVER, 0, rt_location(pc), t->tid);
	thread_free(t);
	alone_set(--unjoined == 0 && self->tid == 0);
	return rc;
}

static int join_until(struct rt_thread *self, struct rt_thread *t, void **ret_value,
		      rt_time deadline, uintptr_t pc)
{
	if (t == self)
		return EDEADLK;
	if (deadline == RT_INVALID && t->state != RT_DONE)
		return EINVAL;
	if (!end_wait(self, t, deadline, pc))
		return ETIMEDOUT;
	return thread_joined(self, t, ret_value, deadline, pc);
}

/* [joinable] */
static void joinable_look(const struct rt_thread *self, const struct rt_thread *t, pthread_t handle,
			  uintptr_t pc)
{
	if (!self || (t && !t->life.is_detached) || pthread_equal(handle, pthread_self()) ||
	    rt_stranger_may_come || rt.is_of_tasks)
		return;
	rt_misuse(RT_MISUSE_NOT_JOINABLE, t ? t->tid : RT_ADDRESS_MASK, pc);
}

RT_EXPORT int pthread_join(pthread_t handle, void **ret_value)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point(), *t = self ? rt_thread_find(handle) : NULL;
	joinable_look(self, t, handle, RT_CALLER);
	if (!t || t->life.is_detached)
		return rt_real.pthread_join(handle, ret_value);
	return join_until(self, t, ret_value, RT_NEVER, RT_CALLER);
}

RT_EXPORT int pthread_tryjoin_np(pthread_t handle, void **ret_value)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point(), *t = self ? rt_thread_find(handle) : NULL;
	if (!t || t->life.is_detached)
		return rt_real.pthread_tryjoin_np(handle, ret_value);
	if (t->state != RT_DONE) {
		rt_spin_look(self, (uintptr_t)t, 0);
		return EBUSY;
	}
	return thread_joined(self, t, ret_value, RT_NO_WAIT, RT_CALLER);
}

RT_EXPORT int pthread_timedjoin_np(pthread_t handle, void **ret_value, const struct timespec *at)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point(), *t = self ? rt_thread_find(handle) : NULL;
	if (!t || t->life.is_detached)
		return rt_real.pthread_timedjoin_np(handle, ret_value, at);
	return join_until(self, t, ret_value, at ? rt_deadline(CLOCK_REALTIME, at) : RT_NEVER,
			  RT_CALLER);
}

RT_EXPORT int pthread_clockjoin_np(pthread_t handle, void **ret_value, clockid_t clock,
				   const struct timespec *at)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point(), *t = self ? rt_thread_find(handle) : NULL;
	if (!t || t->life.is_detached)
		return rt_real.pthread_clockjoin_np(handle, ret_value, clock, at);
	return join_until(self, t, ret_value, at ? rt_deadline(clock, at) : RT_NEVER, RT_CALLER);
}

RT_EXPORT int pthread_detach(pthread_t handle)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point(), *t = self ? rt_thread_find(handle) : NULL;
	joinable_look(self, t, handle, RT_CALLER);
	if (t && t->state == RT_DONE)
		thread_free(t);
	else if (t)
		t->life.is_detached = true;
	return rt_real.pthread_detach(handle);
}
