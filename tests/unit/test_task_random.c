/* SPDX-License-Identifier: Apache-2.0
 *
 * test_task_random.c - random programs of tasks, against a model of the executor
 *
 * The model knows nothing of fibers, counters and queues.  It keeps for each task where it
 * is in the text of its program, and a list of who has control; whether something may go
 * on it finds out by looking at all tasks.  Both must tell the same events in the
 * same order, end the same way, and leave the same tasks waiting.
 */
#include "unit.h"

#include "task/task.h"
#include "task_programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 20000, MAX_TASKS = MAX_STMTS, MAX_LOG = 8192 };

struct told {
	uint8_t op;
	snag_tid task;
	uint32_t target;
};

struct outcome {
	enum snag_tasks_end end;
	size_t nlog, nwaiting;
	struct told log[MAX_LOG];
	struct snag_waiting waiting[MAX_TASKS];
	uint64_t blocked;
};

static void outcome_report(struct outcome *out, uint8_t op, snag_tid task, uint32_t target)
{
	assert_true(out->nlog < MAX_LOG);
	out->log[out->nlog++] = (struct told){op, task, target};
}

static struct snag_tasks *ts;

static void block_run(void *arg)
{
	for (const struct stmt *s = arg; s; s = s->next)
		switch (s->kind) {
		case ASYNC:
			snag_task_async(ts, block_run, s->body);
			break;
		case SPAWN:
			snag_task_spawn(ts, block_run, s->body);
			break;
		case FINISH:
			snag_task_finish_begin(ts);
			block_run(s->body);
			snag_task_finish_end(ts);
			break;
		case FRAME:
			snag_task_frame_begin(ts);
			block_run(s->body);
			snag_task_frame_end(ts);
			break;
		case SYNC:
			snag_task_sync(ts);
			break;
		case SET:
			snag_task_promise_set(ts, s->promise);
			break;
		case GET:
			snag_task_promise_get(ts, s->promise);
			break;
		case ISOLATED:
			snag_task_isolated_begin(ts);
			snag_task_isolated_end(ts);
			break;
		case KINDS:
			break;
		}
}

static void program_run(void *arg)
{
	for (int i = 0; i < PROMISES; i++)
		snag_task_promise_new(ts);
	block_run(arg);
}

static void executor_event(void *ctx, uint8_t op, snag_tid task, uint32_t target)
{
	outcome_report(ctx, op, task, target);
}

static void executor(struct stmt *program, struct outcome *out)
{
	struct snag_tasks_options options = {
		.event = executor_event, .ctx = out, .stack_bytes = 64 << 10};
	out->nlog = 0;
	ts = snag_tasks_new(&options);
	assert_non_null(ts);
	out->end = snag_tasks_run(ts, program_run, program);
	out->nwaiting = snag_tasks_waiting(ts, out->waiting, MAX_TASKS);
	out->blocked = snag_tasks_stats(ts).blocked;
	snag_tasks_free(ts);
}

struct place {
	const struct stmt *next; /* to be done */
	enum kind inside;	 /* FINISH, FRAME, or ASYNC: the body of the task */
	int outer;		 /* the finish or frame around it */
};

struct model_task {
	struct place place[2 * DEPTH + 2];
	int depth;
	int finish, frame;	 /* innermost */
	int in_finish, in_frame; /* where it was created; -1: not spawned */
	bool has_ended, waits, may_go_on;
	enum snag_wait why;
	uint32_t promise;
	int wake[MAX_TASKS], nwake, woken; /* tasks to resume, by a set */
};

static struct model_task task[MAX_TASKS];
static int ntasks, nscopes, control[MAX_TASKS], ncontrol;
static bool is_set[PROMISES];
static int queue[PROMISES][MAX_TASKS], nqueue[PROMISES];

static int model_create(const struct stmt *body, int finish, int frame)
{
	struct model_task *t = &task[ntasks];
	assert_true(ntasks < MAX_TASKS);
	memset(t, 0, sizeof(*t));
	t->place[0] = (struct place){body, ASYNC, 0};
	t->depth = 1;
	t->finish = t->in_finish = finish;
	t->in_frame = frame;
	t->frame = nscopes++;
	control[ncontrol++] = ntasks;
	return ntasks++;
}

/* The oldest task that has not ended and counts in this scope; -1: none. */
static int model_pending(int scope)
{
	for (int i = 0; i < ntasks; i++)
		if (!task[i].has_ended && (task[i].in_finish == scope || task[i].in_frame == scope))
			return i;
	return -1;
}

static int model_scope(const struct model_task *t)
{
	return t->why == SNAG_WAIT_FINISH ? t->finish : t->frame;
}

/* Returns whether the wait is over; otherwise the task has given control back. */
static bool model_wait(struct outcome *out, struct model_task *t, enum snag_wait why, bool is_over)
{
	if (is_over || t->may_go_on) {
		t->may_go_on = false;
		return true;
	}
	t->waits = true;
	t->why = why;
	out->blocked++;
	ncontrol--;
	return false;
}

static void model_end(struct outcome *out, int id)
{
	outcome_report(out, SNAG_OP_TASK_END, (snag_tid)id, 0);
	task[id].has_ended = true;
	ncontrol--;
	for (int i = 0; i < ntasks; i++)
		if (task[i].waits && task[i].why != SNAG_WAIT_PROMISE &&
		    model_pending(model_scope(&task[i])) < 0) {
			task[i].waits = false;
			task[i].may_go_on = true;
			control[ncontrol++] = i;
		}
}

/* The end of a block. */
static void model_leave(struct outcome *out, int id)
{
	struct model_task *t = &task[id];
	struct place *p = &t->place[t->depth - 1];
	switch (p->inside) {
	case FINISH:
		if (!model_wait(out, t, SNAG_WAIT_FINISH, model_pending(t->finish) < 0))
			return;
		outcome_report(out, SNAG_OP_FINISH_END, (snag_tid)id, 0);
		t->finish = p->outer;
		break;
	case FRAME:
		outcome_report(out, SNAG_OP_FRAME_END, (snag_tid)id, 0);
		t->frame = p->outer;
		break;
	default:
		model_end(out, id);
	}
	t->depth--;
}

static void model_step(struct outcome *out, int id)
{
	struct model_task *t = &task[id];
	struct place *p = &t->place[t->depth - 1];
	const struct stmt *s = p->next;
	snag_tid self = (snag_tid)id;
	int child;

	if (t->woken < t->nwake) { /* a set goes on with the next one that waited */
		struct model_task *w = &task[t->wake[t->woken]];
		w->waits = false;
		w->may_go_on = true;
		control[ncontrol++] = t->wake[t->woken++];
		return;
	}
	if (!s) {
		model_leave(out, id);
		return;
	}
	switch (s->kind) {
	case ASYNC:
	case SPAWN:
		child = model_create(s->body, t->finish, s->kind == SPAWN ? t->frame : -1);
		outcome_report(out, s->kind == SPAWN ? SNAG_OP_TASK_SPAWN : SNAG_OP_TASK_CREATE,
			       self, (uint32_t)child);
		break;
	case FINISH:
		outcome_report(out, SNAG_OP_FINISH_BEGIN, self, 0);
		t->place[t->depth++] = (struct place){s->body, FINISH, t->finish};
		t->finish = nscopes++;
		break;
	case FRAME:
		outcome_report(out, SNAG_OP_FRAME_BEGIN, self, 0);
		t->place[t->depth++] = (struct place){s->body, FRAME, t->frame};
		t->frame = nscopes++;
		break;
	case SYNC:
		if (!model_wait(out, t, SNAG_WAIT_SYNC, model_pending(t->frame) < 0))
			return;
		outcome_report(out, SNAG_OP_SYNC, self, 0);
		break;
	case SET:
		if (is_set[s->promise])
			break;
		is_set[s->promise] = true;
		outcome_report(out, SNAG_OP_PROMISE_SET, self, s->promise);
		t->woken = 0;
		t->nwake = nqueue[s->promise];
		memcpy(t->wake, queue[s->promise], sizeof(t->wake));
		break;
	case GET:
		if (!model_wait(out, t, SNAG_WAIT_PROMISE, is_set[s->promise])) {
			t->promise = s->promise;
			queue[s->promise][nqueue[s->promise]++] = id;
			return;
		}
		outcome_report(out, SNAG_OP_PROMISE_GET, self, s->promise);
		break;
	case ISOLATED:
		outcome_report(out, SNAG_OP_ISOLATED_BEGIN, self, 0);
		outcome_report(out, SNAG_OP_ISOLATED_END, self, 0);
		break;
	case KINDS:
		break;
	}
	p->next = s->next;
}

static void model(const struct stmt *program, struct outcome *out)
{
	out->nlog = out->nwaiting = out->blocked = 0;
	ntasks = ncontrol = 0;
	nscopes = 1; /* scope 0: the finish around all */
	memset(is_set, 0, sizeof(is_set));
	memset(nqueue, 0, sizeof(nqueue));
	model_create(program, 0, -1);
	while (ncontrol > 0)
		model_step(out, control[ncontrol - 1]);

	for (int i = 0; i < ntasks; i++) {
		const struct model_task *t = &task[i];
		if (t->has_ended)
			continue;
		assert_true(t->waits);
		out->waiting[out->nwaiting++] = (struct snag_waiting){
			(snag_tid)i, t->why,
			t->why == SNAG_WAIT_PROMISE ? t->promise
						    : (uint32_t)model_pending(model_scope(t))};
	}
	out->end = out->nwaiting ? SNAG_TASKS_DEADLOCK : SNAG_TASKS_DONE;
}

static void expect_equal(const struct outcome *a, const struct outcome *b)
{
	assert_int_equal(a->nlog, b->nlog);
	for (size_t i = 0; i < a->nlog; i++) {
		assert_int_equal(a->log[i].op, b->log[i].op);
		assert_int_equal(a->log[i].task, b->log[i].task);
		assert_int_equal(a->log[i].target, b->log[i].target);
	}
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->blocked, b->blocked);
	assert_int_equal(a->nwaiting, b->nwaiting);
	for (size_t i = 0; i < a->nwaiting; i++) {
		assert_int_equal(a->waiting[i].task, b->waiting[i].task);
		assert_int_equal(a->waiting[i].why, b->waiting[i].why);
		assert_int_equal(a->waiting[i].target, b->waiting[i].target);
	}
}

static void random_programs_do_what_the_model_says(void **state)
{
	static struct outcome real, expected;
	int resumed = 0, deadlocks = 0, complete = 0;
	snag_random_init(&rng, 4);
	for (int i = 0; i < PROGRAMS; i++) {
		nstmts = 0;
		struct stmt *program = block_random(DEPTH);
		model(program, &expected);
		executor(program, &real);
		expect_equal(&real, &expected);
		resumed += real.blocked > real.nwaiting;
		deadlocks += real.end == SNAG_TASKS_DEADLOCK;
		complete += real.end == SNAG_TASKS_DONE;
	}
	print_message("%d programs: %d resumed a task, %d ended, %d in a deadlock\n", PROGRAMS,
		      resumed, complete, deadlocks);
	assert_true(resumed >= PROGRAMS / 5);
	assert_true(complete >= PROGRAMS / 5);
	assert_true(deadlocks >= PROGRAMS / 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs_do_what_the_model_says),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
