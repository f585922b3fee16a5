/* SPDX-License-Identifier: Apache-2.0
 *
 * team.c - parallel regions: teams, their barriers; phases and segments
 *
 * Idea.   The thread that meets a region becomes its thread 0.  The others are made ready, and run
 *         when it waits.  A thread that comes to a barrier ends its phase at once, and begins the
 *         next one when it goes on.  So the tasks of the detector run one after the other, and few
 *         are alive at a time.
 *
 * Rules.  [phase]    The task that met the region creates the phase, inside the present finish.
 *         [barrier]  When all threads have come and no task of the team is left, the finish
 *                    ends and the next one begins.  At the last barrier only thread 0 goes on.
 *         [segment]  A segment is a child of the phase.  While a thread is in it, the thread
 *                    is that task for the detector.
 *         [combine]  Combining is a segment like a phase of its own.  It gets the promise of the
 *                    combining before, and sets its own: so it comes after that one.  But what its
 *                    thread did before does not come before the combining of others, and what the
 *                    thread does next does not come after it.  A team of a league combines
 *                    likewise, but its segment goes on as another one.  Accesses to its copies
 *                    on the heap come after what it did before, and are not reported (copies.c).
 */
#include "omp/task.h"

#include <pthread.h>

enum { UNKNOWN_STACK = 64 << 20 };

struct mp_task *mp_implicit(struct mp_task *t)
{
	while (!t->is_implicit)
		t = t->parent;
	return t;
}

struct mp_task *mp_task_reported(struct mp_task *t)
{
	while (t->parent && (t->is_part || (t->is_implicit && !t->team->is_reported)))
		t = t->parent;
	return t;
}

/* Makes a new task of the detector, created by `creator`, the one that t speaks as. */
static void task_created(struct mp_task *t, uint32_t creator)
{
	t->id = mp_number();
	mp_become(creator);
	mp_report(SNAG_OP_TASK_CREATE, t->id);
	mp_become(t->id);
	mp_locks_report(t, true);
}

static void task_ended(struct mp_task *t)
{
	mp_locks_report(t, false);
	mp_report(SNAG_OP_TASK_END, 0);
}

void mp_phase_begin(struct mp_task *t) /* [phase] */
{
	mp.place = t->team->place;
	task_created(t, t->team->id);
	mp_label(t->id, SNAG_OMP_THREAD, (uint64_t)t->number);
	t->base_id = t->id;
	t->has_spawned = false;
	t->loop.is_cancelled &= t->loop.is_open;
}

/* The lowest address of the stack that the calling context is on. */
static const char *stack_low(const struct mp_task *t)
{
	const struct snag_stack *stack = &mp.now->stack;
	return stack->base ? stack->base : t->frame - UNKNOWN_STACK;
}

static void segment_report(const struct mp_task *t, enum snag_omp_segment what)
{
	if (mp.hooks)
		mp.hooks->segment(what, t->id, t->loans.has_lent, mp.place);
}

void mp_segment_begin(struct mp_task *t)
{
	if (!t->team->is_reported || t->knows_number || !t->is_implicit || !mp.hooks)
		return;
	mp_locks_report(t, false);
	t->id = t->spare_id ? t->spare_id : mp_number();
	t->spare_id = 0;
	t->has_spawned = false;
	mp_depends_enter(t);
	segment_report(t, SNAG_OMP_SEGMENT_NEW);
	mp_locks_report(t, true);
}

bool mp_segment_end(struct mp_task *t)
{
	if (t->id == t->base_id)
		return true;
	bool was_reported = mp_asks(SNAG_OMP_WAS_REPORTED);
	if (was_reported)
		task_ended(t);
	t->spare_id = !was_reported || mp_asks(SNAG_OMP_MAY_REUSE)
			      ? t->id
			      : 0; /* or the detector never heard of the segment */
	mp_segment_leave(t);
	return was_reported;
}

void mp_segment_enter(struct mp_task *t, uint32_t id)
{
	mp_locks_report(t, false);
	t->id = id;
	t->has_spawned = false;
	mp_depends_enter(t);
	segment_report(t, SNAG_OMP_SEGMENT_AGAIN);
	mp_locks_report(t, true);
}

void mp_segment_leave(struct mp_task *t)
{
	if (t->id == t->base_id)
		return;
	mp_depends_leave(t);
	if (t->has_spawned && mp.hooks)
		mp_copies_renewed(t);
	t->id = t->base_id;
	segment_report(t, SNAG_OMP_SEGMENT_OVER);
	mp_locks_report(t, true);
}

void mp_number_read(struct mp_task *t)
{
	mp_obstacle(SNAG_OMP_OBSTACLE_THREAD_NUMBER);
	t = mp_implicit(t);
	if (t->knows_number || !t->team->is_reported || t->team->nteams)
		return;
	t->knows_number = true;
	if (mp.now->task == t)
		mp_chunk_end(t);
}

/* Ends the phase, which continues as another one afterwards: so no parallel task is left. */
void mp_combine_begin(void) /* [combine] */
{
	struct mp_task *t = mp.now->task;
	if (!t->team->is_reported || !t->is_implicit)
		return;
	t->is_combining = true;
	t->before = mp_promise();
	mp_report(SNAG_OP_PROMISE_SET, t->before);
	if (t->team->nteams) {
		mp_segment_end(t);
		mp_segment_begin(t);
	} else {
		mp_groups_leave(t);
		task_ended(t);
		task_created(t, t->team->id);
		mp_label(t->id, SNAG_OMP_COMBINE, (uint64_t)t->number);
		segment_report(t, SNAG_OMP_SEGMENT_AGAIN);
	}
	if (t->team->combined)
		mp_report(SNAG_OP_PROMISE_GET, t->team->combined - 1);
	mp_copies_unseen(t, true);
}

void mp_combine_end(void)
{
	struct mp_task *t = mp.now->task;
	if (!t->is_combining)
		return;
	t->is_combining = false;
	mp_copies_unseen(t, false);
	uint32_t promise = mp_promise();
	mp_report(SNAG_OP_PROMISE_SET, promise);
	t->team->combined = promise + 1;
	if (t->team->nteams) {
		mp_segment_end(t);
		mp_segment_begin(t);
	} else {
		segment_report(t, SNAG_OMP_SEGMENT_OVER);
		task_ended(t);
		mp_phase_begin(t);
		mp_groups_enter(t);
	}
	mp_report(SNAG_OP_PROMISE_GET, t->before);
}

static bool all_arrived(const struct mp_team *team)
{
	return team->arrived + team->joined == team->n && team->live == 0;
}

static void statics_end(struct mp_team *team)
{
	while (team->statics) {
		struct mp_static *s = team->statics;
		for (size_t i = 0; i < s->cap; i++)
			if (s->segment[i]) {
				mp_become(s->segment[i]);
				mp_report(SNAG_OP_TASK_END, 0);
			}
		team->statics = s->next;
		mp_free(s->segment);
		mp_free(s->ndone);
		mp_free(s);
	}
}

static void finish_next(struct mp_team *team) /* [barrier] */
{
	statics_end(team);
	mp_deals_end(team);
	mp_become(team->id);
	mp_report(SNAG_OP_FINISH_END, 0);
	if (team->joined < team->n)
		mp_report(SNAG_OP_FINISH_BEGIN, 0);
	team->place = mp.place;
	team->arrived = 0;
	team->combined = 0;
}

/* The first of the queue's contexts by the numbers of their threads. */
static struct mp_context *lowest_take(struct mp_queue *q)
{
	struct mp_context **lowest = &q->first, *taken;
	for (struct mp_context **at = lowest; *at; at = &(*at)->next)
		if ((*at)->task->number < (*lowest)->task->number)
			lowest = at;
	taken = *lowest;
	*lowest = taken->next;
	return taken;
}

/* With an order of sections, the order of arrival depends on it. So the numbers of the threads
 * decide who is next. */
static void waiting_ready(struct mp_team *team)
{
	struct mp_queue sorted = {0};
	while (mp.has_order && team->waiting.first)
		mp_queue_add(&sorted, lowest_take(&team->waiting));
	mp_queue_ready(mp.has_order ? &sorted : &team->waiting);
}

static void barrier_open(struct mp_team *team)
{
	finish_next(team);
	if (team->joined == team->n && team->first)
		mp_ready(team->first);
	waiting_ready(team);
}

void mp_team_check(struct mp_team *team)
{
	uint32_t id = mp.now->task->id;
	if (mp_team_is_alone(team))
		waiting_ready(team);
	else if (all_arrived(team)) {
		barrier_open(team);
		mp_become(id);
	}
}

/* Explicit tasks of a team of one thread, t, have all ended, but for detached ones. */
static void alone_wait(struct mp_task *t)
{
	while (t->team->live) {
		mp_queue_add(&t->team->waiting, mp.now);
		mp_block();
	}
	mp_targets_joined(t);
}

void mp_barrier(void)
{
	struct mp_task *t = mp_implicit(mp.now->task);
	struct mp_team *team = t->team;
	if (mp_team_is_alone(team)) {
		alone_wait(t);
		return;
	}
	mp_segment_end(t);
	mp_groups_leave(t);
	task_ended(t);
	team->arrived++;
	bool is_open = all_arrived(team);
	if (mp.has_order || !is_open)
		mp_queue_add(&team->waiting, mp.now);
	if (is_open)
		barrier_open(team);
	if (mp.has_order || !is_open)
		mp_block();
	mp.now->implicit.phase = ++mp.nphases;
	mp_implicit_set(mp.now->implicit);
	mp_deal_barrier(t);
	own_loans_barrier(&t->loans);
	mp_phase_begin(t);
	mp_groups_enter(t);
}

/* Thread 0 comes back as the task that met the region. */
void mp_join(struct mp_task *t)
{
	struct mp_team *team = t->team;
	if (!team->is_reported) {
		alone_wait(t);
		return;
	}
	mp_segment_end(t);
	task_ended(t);
	team->joined++;
	bool is_last = all_arrived(team);
	if (is_last)
		barrier_open(team);
	if (t->number == 0 && (!is_last || team->joined < team->n)) {
		team->first = mp.now;
		mp_block();
	}
}

struct snag_omp_implicit mp_implicit_set(struct snag_omp_implicit who)
{
	struct snag_omp_implicit was = mp.now->implicit;
	mp.now->implicit = who;
	if (mp.hooks)
		mp.hooks->phase(&who);
	return was;
}

struct snag_omp_implicit mp_implicit_new(const struct mp_task *t)
{
	return t->team->is_reported ? (struct snag_omp_implicit){++mp.nimplicit, ++mp.nphases,
								 stack_low(t), t->frame}
				    : mp.now->implicit;
}

static void implicit_run(struct mp_team *team, int number, const char *frame)
{
	struct mp_context *c = mp.now;
	struct mp_task *outer = c->task;
	int limit = c->limit;
	struct mp_task *t = mp_alloc(sizeof(*t));
	t->parent = team->parent;
	t->team = team;
	t->number = number;
	t->is_implicit = true;
	t->known = 1;
	t->frame = frame;
	t->own_settings = *mp_settings(team->parent);
	t->settings = &t->own_settings;
	t->id = t->base_id = team->id;
	c->task = t;
	c->limit = 0; /* the team's counts */
	struct snag_omp_implicit was = mp_implicit_set(mp_implicit_new(t));
	if (team->is_reported)
		mp_phase_begin(t);
	mp_call(team->body, team->arg, team->place);
	mp_join(t);
	mp_implicit_set(was);
	c->task = outer;
	c->limit = limit;
	mp_copies_free(t);
	mp_depends_free(t);
	mp_task_forget(t);
}

void *mp_thread_main(void *arg)
{
	struct mp_thread *self = arg;
	pthread_attr_t attr;
	const char *frame = __builtin_frame_address(0);
	mp_become(self->team->id);
	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstack(&attr, &self->base.stack.base, &self->base.stack.nbytes);
		pthread_attr_destroy(&attr);
	}
	for (;;) {
		if (mp.hooks)
			mp.hooks->stack(self->base.stack.base, frame, self->team->id);
		implicit_run(self->team, self->number,
			     (char *)self->base.stack.base + self->base.stack.nbytes);
		self->next = mp.idle;
		mp.idle = self;
		mp_block();
	}
}

struct mp_team mp_team_of(struct mp_task *parent, int n)
{
	const struct mp_team *outer = parent->team;
	int room = mp_room_here();
	return (struct mp_team){
		.n = n,
		.level = outer->level + 1,
		.active_level = outer->active_level + (n > 1),
		.is_reported = n > 1,
		.parent = parent,
		.id = parent->id,
		.place = mp.place,
		.limit = mp_thread_limit(),
		.room = room > n ? room - n + 1 : room > 0,
	};
}

void mp_launch(bool begins)
{
	mp.launched += begins ? 1 : -1;
	if (mp.hooks && mp.launched == (begins ? 1 : 0))
		mp.hooks->launch(begins);
}

void mp_region_begin(struct mp_team *team)
{
	if (!team->is_reported)
		return;
	mp_launch(true);
	mp_report(SNAG_OP_FINISH_BEGIN, 0);
	const struct mp_task *t = mp_task_reported(team->parent);
	if (t->id != t->base_id && mp.hooks)
		mp.hooks->lends(NULL, 0);
}

void mp_region_end(struct mp_team *team)
{
	mp_loops_free(team);
	mp_deals_free(team);
	mp_become(team->parent->id);
	if (!team->is_reported)
		return;
	struct mp_task *t = mp_task_reported(team->parent);
	t->has_spawned |= t->id != t->base_id; /* other tasks had access to its stack */
	mp_launch(false);
}

void mp_parallel(mp_body *body, void *arg, int n)
{
	struct mp_task *parent = mp.now->task;
	bool is_simd = n == MP_SIMD;
	n = is_simd ? 1 : n;
	struct mp_team team = mp_team_of(parent, n);
	team.body = body;
	team.arg = arg;
	team.is_reported |= is_simd && mp.hooks;
	team.lockstep = is_simd ? mp_lockstep_new() : NULL;
	mp_region_begin(&team);
	for (int i = n - 1; i > 0; i--)
		mp_ready(&mp_thread_take(&team, i)->base);
	implicit_run(&team, 0, __builtin_frame_address(0));
	mp_lockstep_free(team.lockstep);
	mp_region_end(&team);
}

void mp_serial_begin(void)
{
	struct mp_task *parent = mp.now->task;
	struct mp_team *team = mp_alloc(sizeof(*team));
	struct mp_task *t = mp_alloc(sizeof(*t));
	*team = mp_team_of(parent, 1);
	*t = (struct mp_task){.parent = parent,
			      .team = team,
			      .is_implicit = true,
			      .known = 1,
			      .id = parent->id,
			      .base_id = parent->id,
			      .own_settings = *mp_settings(parent)};
	t->settings = &t->own_settings;
	mp.now->task = t;
}

void mp_serial_end(void)
{
	struct mp_task *t = mp.now->task;
	struct mp_team *team = t->team;
	alone_wait(t);
	mp.now->task = t->parent;
	mp_copies_free(t);
	mp_depends_free(t);
	mp_task_forget(t);
	mp_loops_free(team);
	mp_free(team);
}
