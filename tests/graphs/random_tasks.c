/* SPDX-License-Identifier: Apache-2.0
 *
 * random_tasks.c - random traces of tasks; see random_tasks.h
 */
#include "random_tasks.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TASKS = 24, MAX_SCOPES = 96, MAX_PROMISES = 8, MAX_DEPTH = 6 };

enum action { ACCESS, ASYNC, SPAWN, SYNC, FINISH, FRAME, CLOSE, ISOLATED, SET, GET, END, ACTIONS };

struct scope {
	bool is_finish;
	unsigned running; /* tasks it waits for */
};

struct task {
	bool has_ended;
	unsigned stack[MAX_DEPTH + 1], depth; /* of scopes; [0] is its first frame */
	unsigned finish;		      /* inherited */
	unsigned spawned_in;		      /* a frame; 0: nobody syncs for it */
	bool is_waiting;		      /* the action below is yet to be done */
	enum action waiting;
	unsigned promise;
};

struct world {
	struct prng *random;
	struct snag_trace *trace;
	struct random_shape *shape;
	unsigned budget; /* of events */
	unsigned nvariables, npromises;
	unsigned weight[ACTIONS];
	unsigned writes;    /* percent of the accesses */
	unsigned switching; /* percent: another task goes on */
	struct task task[MAX_TASKS];
	struct scope scope[MAX_SCOPES];
	unsigned ntasks, nscopes;
	bool is_set[MAX_PROMISES];
};

static void emit(struct world *w, unsigned t, enum snag_op op, char prefix, unsigned operand)
{
	char task[16], target[16], loc[16];
	snprintf(task, sizeof(task), "%u", t);
	snprintf(target, sizeof(target), "%.1s%u", &prefix, operand);
	snprintf(loc, sizeof(loc), "%zu", w->trace->n);
	snag_trace_add(w->trace, task, op, prefix == ' ' ? target + 1 : target, loc);
}

static void emit_access(struct world *w, unsigned t)
{
	emit(w, t, prng_chance(w->random, w->writes) ? SNAG_OP_WRITE : SNAG_OP_READ, 'x',
	     prng_below(w->random, w->nvariables));
}

static struct scope *innermost(struct world *w, const struct task *task)
{
	return &w->scope[task->stack[task->depth]];
}

static unsigned finish_of(const struct world *w, const struct task *task)
{
	for (unsigned d = task->depth + 1; d-- > 0;)
		if (w->scope[task->stack[d]].is_finish)
			return task->stack[d];
	return task->finish;
}

static unsigned frame_of(const struct world *w, const struct task *task)
{
	unsigned d = task->depth;
	while (w->scope[task->stack[d]].is_finish)
		d--;
	return task->stack[d];
}

static bool scope_open(struct world *w, struct task *task, bool is_finish)
{
	if (w->nscopes == MAX_SCOPES || task->depth == MAX_DEPTH)
		return false;
	task->stack[++task->depth] = w->nscopes;
	w->scope[w->nscopes++] = (struct scope){.is_finish = is_finish};
	return true;
}

static void create(struct world *w, unsigned t, bool is_spawn)
{
	if (w->ntasks == MAX_TASKS || w->nscopes == MAX_SCOPES)
		return;
	unsigned child = w->ntasks++;
	struct task *new = &w->task[child];
	*new = (struct task){.finish = finish_of(w, &w->task[t])};
	new->stack[0] = w->nscopes;
	w->scope[w->nscopes++] = (struct scope){0};
	w->scope[new->finish].running++;
	if (is_spawn) {
		new->spawned_in = frame_of(w, &w->task[t]);
		w->scope[new->spawned_in].running++;
		w->shape->has_spawns = true;
	}
	emit(w, t, is_spawn ? SNAG_OP_TASK_SPAWN : SNAG_OP_TASK_CREATE, ' ', child);
}

static void isolated(struct world *w, unsigned t)
{
	emit(w, t, SNAG_OP_ISOLATED_BEGIN, 0, 0);
	for (unsigned n = prng_below(w->random, 3); n > 0; n--)
		emit_access(w, t);
	emit(w, t, SNAG_OP_ISOLATED_END, 0, 0);
	w->shape->has_isolated = true;
}

static void end(struct world *w, unsigned t)
{
	struct task *task = &w->task[t];
	task->has_ended = true;
	w->scope[task->finish].running--;
	if (task->spawned_in)
		w->scope[task->spawned_in].running--;
	emit(w, t, SNAG_OP_TASK_END, 0, 0);
}

/* Whether the task can do what it waits for. */
static bool can(struct world *w, struct task *task)
{
	if (task->has_ended)
		return false;
	if (!task->is_waiting)
		return true;
	if (task->waiting == GET)
		return w->is_set[task->promise];
	if (task->waiting == SYNC)
		return w->scope[frame_of(w, task)].running == 0;
	return innermost(w, task)->running == 0;
}

static void finish_wait(struct world *w, unsigned t)
{
	struct task *task = &w->task[t];
	task->is_waiting = false;
	if (task->waiting == GET) {
		emit(w, t, SNAG_OP_PROMISE_GET, 'p', task->promise);
	} else if (task->waiting == SYNC) {
		emit(w, t, SNAG_OP_SYNC, 0, 0);
	} else {
		task->depth--;
		emit(w, t, SNAG_OP_FINISH_END, 0, 0);
	}
}

/* Does it at once, or waits until it can be done. */
static void wait_for(struct world *w, unsigned t, enum action what)
{
	struct task *task = &w->task[t];
	task->waiting = what;
	task->is_waiting = true;
	if (can(w, task))
		finish_wait(w, t);
	else
		w->shape->has_waits |= what == GET;
}

static void close_scope(struct world *w, unsigned t)
{
	struct task *task = &w->task[t];
	if (task->depth == 0)
		return;
	if (innermost(w, task)->is_finish) {
		wait_for(w, t, FINISH);
	} else if (innermost(w, task)->running && prng_chance(w->random, 90)) {
		wait_for(w, t, SYNC); /* as procedures do before they end */
	} else {
		task->depth--;
		emit(w, t, SNAG_OP_FRAME_END, 0, 0);
	}
}

static void set(struct world *w, unsigned t)
{
	unsigned p = prng_below(w->random, w->npromises);
	if (w->is_set[p])
		return;
	w->is_set[p] = true;
	emit(w, t, SNAG_OP_PROMISE_SET, 'p', p);
	w->shape->has_promises = true;
}

static enum action choose(struct world *w, const struct task *task)
{
	unsigned sum = 0, a = 0;
	if (w->trace->n >= w->budget) { /* come to an end */
		if (task->depth > 0)
			return CLOSE;
		bool should_sync = w->scope[task->stack[0]].running && prng_chance(w->random, 90);
		return should_sync ? SYNC : END;
	}
	for (unsigned i = 0; i < ACTIONS; i++)
		sum += w->weight[i];
	unsigned at = prng_below(w->random, sum);
	while (at >= w->weight[a])
		at -= w->weight[a++];
	return (enum action)a;
}

static void act(struct world *w, unsigned t)
{
	struct task *task = &w->task[t];
	enum action a = choose(w, task);
	switch (a) {
	case ACCESS:
		emit_access(w, t);
		break;
	case ASYNC:
	case SPAWN:
		create(w, t, a == SPAWN);
		break;
	case SYNC:
		wait_for(w, t, SYNC);
		break;
	case FINISH:
		if (scope_open(w, task, true))
			emit(w, t, SNAG_OP_FINISH_BEGIN, 0, 0);
		break;
	case FRAME:
		if (scope_open(w, task, false))
			emit(w, t, SNAG_OP_FRAME_BEGIN, 0, 0);
		break;
	case CLOSE:
		close_scope(w, t);
		break;
	case ISOLATED:
		isolated(w, t);
		break;
	case SET:
		set(w, t);
		break;
	case GET:
		task->promise = prng_below(w->random, w->npromises);
		wait_for(w, t, GET);
		break;
	default:
		if (task->depth == 0 && t > 0)
			end(w, t);
	}
}

static void draw(struct world *w, unsigned events)
{
	struct prng *r = w->random;
	bool has_spawns = prng_chance(r, 30), has_promises = prng_chance(r, 30);
	bool has_isolated = prng_chance(r, 70), has_frames = has_spawns && prng_chance(r, 50);
	unsigned weight[ACTIONS] = {
		[ACCESS] = prng_range(r, 4, 16),
		[ASYNC] = !has_spawns || prng_chance(r, 40) ? prng_range(r, 2, 5) : 0,
		[SPAWN] = has_spawns ? prng_range(r, 2, 5) : 0,
		[SYNC] = has_spawns ? prng_range(r, 1, 4) : 0,
		[FINISH] = prng_below(r, 4),
		[FRAME] = has_frames ? 2 : 0,
		[CLOSE] = 2,
		[ISOLATED] = has_isolated ? prng_range(r, 1, 6) : 0,
		[SET] = has_promises ? prng_range(r, 1, 3) : 0,
		[GET] = has_promises ? prng_range(r, 1, 3) : 0,
		[END] = prng_range(r, 0, 3),
	};
	memcpy(w->weight, weight, sizeof(weight));
	w->budget = events;
	w->nvariables = prng_chance(r, 50) ? prng_range(r, 1, 4) : prng_range(r, 5, 20);
	w->npromises = prng_range(r, 1, MAX_PROMISES);
	w->writes = prng_range(r, 15, 60);
	w->switching = prng_chance(r, 30) ? 2 : prng_range(r, 5, 100);
	w->ntasks = 1; /* task 0, its first frame, and the finish around it */
	w->nscopes = 2;
	w->scope[0].is_finish = true;
	w->task[0].stack[0] = 1;
}

/* Which task goes on; the newest that can, unless the trace switches.  MAX_TASKS: none can. */
static unsigned pick(struct world *w, unsigned current)
{
	unsigned some = MAX_TASKS, ncan = 0;
	bool is_switch = prng_chance(w->random, w->switching);
	for (unsigned t = 0; t < w->ntasks; t++) {
		if (!can(w, &w->task[t]))
			continue;
		ncan++;
		if (!is_switch || prng_below(w->random, ncan) == 0)
			some = t;
	}
	if (!is_switch && current < w->ntasks && current > some && can(w, &w->task[current]))
		return current;
	return some;
}

void random_tasks(struct prng *random, unsigned events, struct snag_trace *ret_trace,
		  struct random_shape *ret_shape)
{
	struct world w = {.random = random, .trace = ret_trace, .shape = ret_shape};
	unsigned t = 0;
	snag_trace_init(ret_trace);
	*ret_shape = (struct random_shape){0};
	draw(&w, events);
	while ((t = pick(&w, t)) < MAX_TASKS && ret_trace->n < RANDOM_MAX_EVENTS - 8) {
		if (w.task[t].is_waiting)
			finish_wait(&w, t);
		else
			act(&w, t);
		if (t == 0 && ret_trace->n >= events && w.task[0].depth == 0 &&
		    !w.task[0].is_waiting)
			w.task[0].has_ended = true; /* no event shows the end of the first task */
	}
}
