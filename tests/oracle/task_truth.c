/* SPDX-License-Identifier: Apache-2.0
 *
 * task_truth.c - which variables of a trace of tasks race, by definition
 */
#include "task_truth.h"

#include <assert.h>
#include <string.h>

enum { LOCKS = 8, TASKS = 256, SCOPES = TRUTH_EVENTS + 1, NONE = -1 };

struct building {
	struct task_truth *truth;
	const struct snag_trace *trace;
	int last[TASKS];   /* event of the task, or the one that created it; NONE */
	int finish[TASKS]; /* the scope of the finish that waits for it */
	int frame[TASKS];  /* the scope of the frame whose sync waits for it, or NONE */
	int end[TASKS];	   /* its last event, once it has ended, or NONE */
	int top[TASKS];	   /* its innermost open scope */
	int outer[SCOPES];
	bool is_finish[SCOPES];
	int nscopes;
	int set[TASKS]; /* by promise */
	int isolated;	/* the last end of an isolated block */
	bool in_isolated[TASKS];
	unsigned alone[TASKS][LOCKS], shared[TASKS][LOCKS]; /* how often a task has a lock */
};

static void edge(struct building *b, int from, size_t to)
{
	if (from == NONE)
		return;
	for (size_t w = 0; w < TRUTH_EVENTS / 64; w++)
		b->truth->before[to][w] |= b->truth->before[from][w];
	b->truth->before[to][from / 64] |= UINT64_C(1) << from % 64;
}

static int open_scope(struct building *b, uint32_t task, bool is_finish)
{
	int s = b->nscopes++;
	b->is_finish[s] = is_finish;
	b->outer[s] = b->top[task];
	return b->top[task] = s;
}

static int innermost(const struct building *b, uint32_t task, bool is_finish)
{
	int s = b->top[task];
	while (s != NONE && b->is_finish[s] != is_finish)
		s = b->outer[s];
	return s == NONE ? b->finish[task] : s;
}

static void task_begin(struct building *b, uint32_t task, int created, int finish, int frame)
{
	assert(task < TASKS);
	b->last[task] = created;
	b->finish[task] = finish;
	b->frame[task] = frame;
	b->end[task] = b->top[task] = NONE;
	open_scope(b, task, false);
}

/* Edges from the ends of all tasks that the scope waits for. */
static void wait_for(struct building *b, const int *waiting, int scope, size_t at)
{
	for (uint32_t t = 0; t < b->trace->names.space[SNAG_SPACE_THREAD].n; t++)
		if (waiting[t] == scope)
			edge(b, b->end[t], at);
}

static void event_add(struct building *b, size_t at, bool blocks_in_order)
{
	const struct snag_event *ev = &b->trace->ev[at];
	uint32_t t = ev->thread;
	edge(b, b->last[t], at);
	b->last[t] = (int)at;
	b->truth->is_isolated[at] = b->in_isolated[t];
	for (unsigned l = 0; l < LOCKS; l++) {
		b->truth->alone[at] |= (uint32_t)(b->alone[t][l] > 0) << l;
		b->truth->held[at] |= (uint32_t)(b->alone[t][l] + b->shared[t][l] > 0) << l;
	}
	switch (ev->op) {
	case SNAG_OP_TASK_CREATE:
	case SNAG_OP_TASK_SPAWN:
		task_begin(b, ev->target, (int)at, innermost(b, t, true),
			   ev->op == SNAG_OP_TASK_SPAWN ? innermost(b, t, false) : NONE);
		break;
	case SNAG_OP_TASK_END:
		b->end[t] = (int)at;
		break;
	case SNAG_OP_FINISH_BEGIN:
	case SNAG_OP_FRAME_BEGIN:
		open_scope(b, t, ev->op == SNAG_OP_FINISH_BEGIN);
		break;
	case SNAG_OP_FINISH_END:
		wait_for(b, b->finish, b->top[t], at);
		b->top[t] = b->outer[b->top[t]];
		break;
	case SNAG_OP_FRAME_END:
		b->top[t] = b->outer[b->top[t]];
		break;
	case SNAG_OP_SYNC:
		wait_for(b, b->frame, innermost(b, t, false), at);
		break;
	case SNAG_OP_PROMISE_SET:
		b->set[ev->target] = (int)at;
		break;
	case SNAG_OP_PROMISE_GET:
		edge(b, b->set[ev->target], at);
		break;
	case SNAG_OP_ISOLATED_BEGIN:
		b->in_isolated[t] = true;
		if (blocks_in_order)
			edge(b, b->isolated, at);
		break;
	case SNAG_OP_ISOLATED_END:
		b->in_isolated[t] = false;
		b->isolated = (int)at;
		break;
	case SNAG_OP_ACQUIRE:
	case SNAG_OP_RELEASE:
		b->alone[t][ev->target] += ev->op == SNAG_OP_ACQUIRE ? 1 : -1u;
		break;
	case SNAG_OP_ACQUIRE_SHARED:
	case SNAG_OP_RELEASE_SHARED:
		b->shared[t][ev->target] += ev->op == SNAG_OP_ACQUIRE_SHARED ? 1 : -1u;
		break;
	}
}

static bool is_atomic(const struct snag_event *ev)
{
	return ev->op == SNAG_OP_ATOMIC_READ || ev->op == SNAG_OP_ATOMIC_WRITE;
}

static bool is_read(const struct snag_event *ev)
{
	return ev->op == SNAG_OP_READ || ev->op == SNAG_OP_ATOMIC_READ;
}

static bool is_parallel(const struct task_truth *truth, const struct snag_trace *trace, size_t a,
			size_t b)
{
	const struct snag_event *x = &trace->ev[a], *y = &trace->ev[b];
	return (snag_op_is_access(x->op) || is_atomic(x)) &&
	       (snag_op_is_access(y->op) || is_atomic(y)) && x->target == y->target &&
	       !(is_read(x) && is_read(y)) && !task_truth_is_before(truth, a, b);
}

static bool is_apart(const struct task_truth *truth, const struct snag_trace *trace, size_t a,
		     size_t b)
{
	return (truth->is_isolated[a] && truth->is_isolated[b]) ||
	       (is_atomic(&trace->ev[a]) && is_atomic(&trace->ev[b])) ||
	       (truth->alone[a] & truth->held[b]) || (truth->held[a] & truth->alone[b]);
}

bool task_truth_is_race(const struct task_truth *truth, const struct snag_trace *trace, size_t a,
			size_t b)
{
	return is_parallel(truth, trace, a, b) && !is_apart(truth, trace, a, b);
}

static void find_races(struct task_truth *truth, const struct snag_trace *trace)
{
	for (size_t k = 0; k < trace->n; k++)
		for (size_t i = 0; i < k; i++) {
			if (!is_parallel(truth, trace, i, k))
				continue;
			uint32_t variable = UINT32_C(1) << trace->ev[k].target;
			*(is_apart(truth, trace, i, k) ? &truth->excused : &truth->racy) |=
				variable;
		}
}

void task_truth(struct task_truth *truth, const struct snag_trace *trace, bool blocks_in_order)
{
	struct building b = {.truth = truth, .trace = trace, .isolated = NONE};
	memset(truth, 0, sizeof(*truth));
	assert(trace->n <= TRUTH_EVENTS);
	memset(b.finish, -1, sizeof(b.finish));
	memset(b.frame, -1, sizeof(b.frame));
	b.is_finish[b.nscopes++] = true; /* the one around the first task */
	b.outer[0] = NONE;
	if (trace->n)
		task_begin(&b, trace->ev[0].thread, NONE, 0, NONE);
	for (size_t i = 0; i < trace->n; i++)
		event_add(&b, i, blocks_in_order);
	find_races(truth, trace);
}
