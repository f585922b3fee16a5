/* SPDX-License-Identifier: Apache-2.0
 *
 * truth.c - the order of events of tasks by its definition; see truth.h
 *
 * Every question (what does this finish wait for, what this sync?) is answered by reading
 * the trace backwards from the event in question; nothing is kept.
 */
#include "truth.h"

#include <string.h>

#define NOWHERE UINT32_MAX

static bool is_of(const struct snag_event *ev, snag_tid t, uint8_t op)
{
	return ev->thread == t && ev->op == op;
}

/* The event that creates t. */
static uint32_t creation(const struct snag_trace *trace, snag_tid t)
{
	for (uint32_t i = 0; i < trace->n; i++)
		if ((trace->ev[i].op == SNAG_OP_TASK_CREATE ||
		     trace->ev[i].op == SNAG_OP_TASK_SPAWN) &&
		    trace->ev[i].target == t)
			return i;
	return NOWHERE;
}

/* The begin of the innermost finish that waits for what is created by event e. */
static uint32_t finish_around(const struct snag_trace *trace, uint32_t e)
{
	snag_tid t = trace->ev[e].thread;
	unsigned closed = 0;
	for (uint32_t i = e; i-- > 0;) {
		if (is_of(&trace->ev[i], t, SNAG_OP_FINISH_END))
			closed++;
		else if (is_of(&trace->ev[i], t, SNAG_OP_FINISH_BEGIN) && closed-- == 0)
			return i;
	}
	uint32_t created = creation(trace, t);
	return created == NOWHERE ? NOWHERE : finish_around(trace, created);
}

static void join(struct truth *truth, uint32_t b, uint32_t a)
{
	truth->before[b][a / 64] |= 1ULL << a % 64;
	for (unsigned w = 0; w < RANDOM_MAX_EVENTS / 64; w++)
		truth->before[b][w] |= truth->before[a][w];
}

/* The last event of t before b comes before b. */
static void join_task(struct truth *truth, uint32_t b, snag_tid t)
{
	for (uint32_t i = b; i-- > 0;)
		if (truth->trace->ev[i].thread == t) {
			join(truth, b, i);
			return;
		}
	uint32_t created = creation(truth->trace, t);
	if (created < b)
		join(truth, b, created);
}

static void join_finish(struct truth *truth, uint32_t b)
{
	const struct snag_trace *trace = truth->trace;
	uint32_t begin = finish_around(trace, b);
	for (uint32_t i = 0; i < b; i++)
		if ((trace->ev[i].op == SNAG_OP_TASK_CREATE ||
		     trace->ev[i].op == SNAG_OP_TASK_SPAWN) &&
		    finish_around(trace, i) == begin)
			join_task(truth, b, trace->ev[i].target);
}

static void join_sync(struct truth *truth, uint32_t b)
{
	const struct snag_trace *trace = truth->trace;
	snag_tid t = trace->ev[b].thread;
	unsigned closed = 0;
	for (uint32_t i = b; i-- > 0;) {
		if (is_of(&trace->ev[i], t, SNAG_OP_FRAME_END))
			closed++;
		else if (is_of(&trace->ev[i], t, SNAG_OP_FRAME_BEGIN) && closed-- == 0)
			return;
		else if (is_of(&trace->ev[i], t, SNAG_OP_TASK_SPAWN) && closed == 0)
			join_task(truth, b, trace->ev[i].target);
	}
}

/* The last event before b with that operation, on that promise. */
static void join_last(struct truth *truth, uint32_t b, uint8_t op, uint32_t target)
{
	for (uint32_t i = b; i-- > 0;)
		if (truth->trace->ev[i].op == op && truth->trace->ev[i].target == target) {
			join(truth, b, i);
			return;
		}
}

void truth_init(struct truth *truth, const struct snag_trace *trace, bool has_isolated)
{
	memset(truth, 0, sizeof(*truth));
	truth->trace = trace;
	for (uint32_t b = 0; b < trace->n; b++) {
		const struct snag_event *ev = &trace->ev[b];
		join_task(truth, b, ev->thread);
		if (ev->op == SNAG_OP_FINISH_END)
			join_finish(truth, b);
		else if (ev->op == SNAG_OP_SYNC)
			join_sync(truth, b);
		else if (ev->op == SNAG_OP_PROMISE_GET)
			join_last(truth, b, SNAG_OP_PROMISE_SET, ev->target);
		else if (ev->op == SNAG_OP_ISOLATED_BEGIN && has_isolated)
			join_last(truth, b, SNAG_OP_ISOLATED_END, 0);
	}
}

bool truth_is_race(const struct truth *truth, uint32_t a, uint32_t b)
{
	const struct snag_event *x = &truth->trace->ev[a], *y = &truth->trace->ev[b];
	return snag_op_is_access(x->op) && snag_op_is_access(y->op) && x->target == y->target &&
	       (x->op == SNAG_OP_WRITE || y->op == SNAG_OP_WRITE) && a != b &&
	       !truth_precedes(truth, a, b) && !truth_precedes(truth, b, a);
}

uint64_t truth_racy_variables(const struct truth *truth)
{
	uint64_t racy = 0;
	for (uint32_t b = 0; b < truth->trace->n; b++)
		for (uint32_t a = 0; a < b; a++)
			if (truth_is_race(truth, a, b))
				racy |= 1ULL << truth->trace->ev[b].target;
	return racy;
}
