/* SPDX-License-Identifier: Apache-2.0
 *
 * draft.c - a trace in the making
 */
#include "draft.h"

#include <string.h>

enum { IDS = 10 }; /* threads, variables and locks of a draft are below this: one digit */

struct lock_use {
	uint8_t depth[IDS];  /* by thread */
	bool is_shared[IDS]; /* by thread: how it holds it */
	unsigned nholders, nshared;
};

struct thread_use {
	bool has_acted, is_forked, is_joined;
};

static bool lock_acquire(struct lock_use *l, struct snag_event *ev)
{
	bool is_shared = ev->op == SNAG_OP_ACQUIRE_SHARED;
	uint8_t *depth = &l->depth[ev->thread];
	if (*depth) {
		if (l->is_shared[ev->thread] != is_shared)
			return false;
		ev->flags |= SNAG_NESTED;
	} else {
		if (l->nholders > (is_shared ? l->nshared : 0))
			return false;
		l->nholders++;
		l->nshared += is_shared;
		l->is_shared[ev->thread] = is_shared;
	}
	(*depth)++;
	return true;
}

static bool lock_release(struct lock_use *l, struct snag_event *ev)
{
	bool is_shared = ev->op == SNAG_OP_RELEASE_SHARED;
	uint8_t *depth = &l->depth[ev->thread];
	if (!*depth || l->is_shared[ev->thread] != is_shared)
		return false;
	if (--*depth) {
		ev->flags |= SNAG_NESTED;
	} else {
		l->nholders--;
		l->nshared -= is_shared;
	}
	return true;
}

static bool thread_fork(struct thread_use *threads, const struct snag_event *ev)
{
	struct thread_use *child = &threads[ev->target];
	bool ok = ev->target != ev->thread && !child->has_acted && !child->is_forked &&
		  !child->is_joined;
	child->is_forked = true;
	return ok;
}

static bool thread_join(struct thread_use *threads, const struct snag_event *ev)
{
	struct thread_use *child = &threads[ev->target];
	bool ok = ev->target != ev->thread;
	child->is_joined = true;
	return ok;
}

bool draft_check(struct draft *d)
{
	struct lock_use lock[IDS];
	struct thread_use thread[IDS];
	memset(lock, 0, sizeof(lock));
	memset(thread, 0, sizeof(thread));
	for (unsigned e = 0; e < d->n; e++) {
		struct snag_event *ev = &d->ev[e];
		if (ev->thread >= IDS || ev->target >= IDS || thread[ev->thread].is_joined)
			return false;
		ev->flags &= (uint8_t)~SNAG_NESTED;
		thread[ev->thread].has_acted = true;
		bool ok = true;
		if (ev->op == SNAG_OP_ACQUIRE || ev->op == SNAG_OP_ACQUIRE_SHARED)
			ok = lock_acquire(&lock[ev->target], ev);
		else if (ev->op == SNAG_OP_RELEASE || ev->op == SNAG_OP_RELEASE_SHARED)
			ok = lock_release(&lock[ev->target], ev);
		else if (ev->op == SNAG_OP_FORK)
			ok = thread_fork(thread, ev);
		else if (ev->op == SNAG_OP_JOIN)
			ok = thread_join(thread, ev);
		if (!ok)
			return false;
	}
	return true;
}

void draft_to_trace(const struct draft *d, struct snag_trace *ret_trace)
{
	static const char letter[SNAG_SPACES] = {
		[SNAG_SPACE_THREAD] = 'T', [SNAG_SPACE_VARIABLE] = 'x', [SNAG_SPACE_LOCK] = 'l'};
	snag_trace_init(ret_trace);
	for (unsigned e = 0; e < d->n; e++) {
		const struct snag_event *ev = &d->ev[e];
		enum snag_space space = snag_op_info[ev->op].space;
		char thread[] = {'T', (char)('0' + ev->thread % 10), '\0'};
		char operand[] = {space < SNAG_SPACES ? letter[space] : '-',
				  (char)('0' + ev->target % 10), '\0'};
		char loc[] = {(char)('A' + ev->loc % 26), '\0'};
		snag_trace_add(ret_trace, thread, (enum snag_op)ev->op, operand, loc);
		ret_trace->ev[e].flags = ev->flags;
		ret_trace->ev[e].size = ev->size;
	}
}

void draft_from_trace(const struct snag_trace *trace, struct draft *ret_draft)
{
	ret_draft->n = (unsigned)trace->n;
	memcpy(ret_draft->ev, trace->ev, trace->n * sizeof(*trace->ev));
}

/* The digit of a name, or its letter counted from the end of the alphabet. */
static uint32_t name_number(const char *name)
{
	return name[1] ? (uint32_t)(name[1] - '0') : (uint32_t)('z' - name[0]) % 10;
}

bool draft_parse(const char *text, struct draft *ret_draft)
{
	char line[32], thread[8], op[8], operand[8];
	ret_draft->n = 0;
	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ";");
		snprintf(line, sizeof(line), "%.*s", (int)len, at);
		at += len + (at[len] == ';');
		strcpy(operand, "z");
		if (sscanf(line, "%7s %7s %7s", thread, op, operand) < 2 ||
		    ret_draft->n == MAX_EVENTS)
			return false;
		unsigned k = 0;
		while (k < SNAG_OPS && strcmp(snag_op_info[k].text, op) != 0)
			k++;
		if (k == SNAG_OPS)
			return false;
		bool is_atomic = snag_op_is_atomic((uint8_t)k); /* none waits */
		ret_draft->ev[ret_draft->n] = (struct snag_event){.thread = name_number(thread),
								  .op = (uint8_t)k,
								  .size = is_atomic ? 4 : 0,
								  .target = name_number(operand),
								  .loc = ret_draft->n};
		ret_draft->n++;
	}
	return draft_check(ret_draft);
}

void trace_print(FILE *to, const struct snag_trace *trace, const char *indent)
{
	for (size_t e = 0; e < trace->n; e++) {
		const struct snag_event *ev = &trace->ev[e];
		enum snag_space space = snag_op_info[ev->op].space;
		fprintf(to, "%s%s|%s(%s)|%s\n", indent,
			snag_name(&trace->names, SNAG_SPACE_THREAD, ev->thread),
			snag_op_info[ev->op].text,
			space == SNAG_SPACE_NONE ? "0"
						 : snag_name(&trace->names, space, ev->target),
			snag_name(&trace->names, SNAG_SPACE_LOCATION, ev->loc));
	}
}
