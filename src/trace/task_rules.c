/* SPDX-License-Identifier: Apache-2.0
 *
 * task_rules.c - the rules of traces of tasks
 */
#include "trace/task_rules.h"

#include "base/memory.h"

enum { OUTERMOST = 1 }; /* the finish around the first task */

/* What an isolated block may contain. */
#define INSIDE (SNAG_OPS_COMMON | SNAG_OPS_OF_LOCKS | SNAG_OPS_OF_ATOMICS | SNAG_OPS_OF_UPDATES)

void snag_task_rules_init(struct snag_task_rules *r)
{
	*r = (struct snag_task_rules){.nscopes = OUTERMOST + 1};
	r->scope = snag_grow(r->scope, &r->scope_cap, r->nscopes, sizeof(*r->scope));
	r->scope[OUTERMOST] = (struct snag_ruled_scope){.finish = OUTERMOST, .is_open = true};
}

void snag_task_rules_done(struct snag_task_rules *r)
{
	snag_huge_free(r->task, r->task_cap, sizeof(*r->task));
	snag_huge_free(r->set, r->set_cap, sizeof(*r->set));
	free(r->scope);
}

void snag_task_rules_reserve(struct snag_task_rules *r, const struct snag_counts *counts)
{
	const uint32_t *n = counts->n;
	r->task = snag_huge_grow(r->task, &r->task_cap, n[SNAG_SPACE_THREAD], sizeof(*r->task));
	r->set = snag_huge_grow(r->set, &r->set_cap, n[SNAG_SPACE_PROMISE], sizeof(*r->set));
}

static bool fault(struct snag_task_fault *f, const char *why, uint64_t since)
{
	*f = (struct snag_task_fault){why, since};
	return false;
}

static uint32_t scope_new(struct snag_task_rules *r, struct snag_ruled_scope scope)
{
	uint32_t s = r->free_scopes;
	if (s) {
		r->free_scopes = r->scope[s].below;
	} else {
		r->scope = snag_grow(r->scope, &r->scope_cap, r->nscopes + 1, sizeof(*r->scope));
		s = (uint32_t)r->nscopes++;
	}
	scope.is_open = true;
	r->scope[s] = scope;
	return s;
}

static void scope_free_if_done(struct snag_task_rules *r, uint32_t s)
{
	if (r->scope[s].is_open || r->scope[s].live)
		return;
	r->scope[s].below = r->free_scopes;
	r->free_scopes = s;
}

static uint32_t scope_close(struct snag_task_rules *r, uint32_t s) /* returns the one below */
{
	uint32_t below = r->scope[s].below;
	r->scope[s].is_open = false;
	scope_free_if_done(r, s);
	return below;
}

static void begin(struct snag_task_rules *r, snag_tid t, uint32_t finish, uint32_t frame)
{
	uint32_t s = scope_new(r, (struct snag_ruled_scope){.finish = finish});
	r->scope[s].frame = s;
	r->scope[finish].live++;
	if (frame)
		r->scope[frame].live++;
	r->task[t] = (struct snag_ruled_task){.scope = s, .finish = finish, .frame = frame};
}

void snag_task_rules_first(struct snag_task_rules *r, snag_tid task)
{
	begin(r, task, OUTERMOST, 0);
}

static void open_scope(struct snag_task_rules *r, snag_tid t, bool is_finish)
{
	uint32_t below = r->task[t].scope;
	struct snag_ruled_scope scope = r->scope[below];
	scope.below = below;
	scope.live = 0;
	uint32_t s = scope_new(r, scope);
	*(is_finish ? &r->scope[s].finish : &r->scope[s].frame) = s;
	r->task[t].scope = s;
}

static bool check_finish_end(struct snag_task_rules *r, snag_tid t, struct snag_task_fault *f)
{
	uint32_t s = r->task[t].scope;
	if (r->scope[s].finish != s)
		return fault(f, "it has no finish open, or a procedure inside", SNAG_NO_PLACE);
	if (r->scope[s].live)
		return fault(f, "a task it waits for has not ended", SNAG_NO_PLACE);
	r->task[t].scope = scope_close(r, s);
	return true;
}

static bool check_frame_end(struct snag_task_rules *r, snag_tid t, struct snag_task_fault *f)
{
	uint32_t s = r->task[t].scope;
	if (r->scope[s].frame != s || !r->scope[s].below)
		return fault(f, "it is in no procedure, or in a finish inside", SNAG_NO_PLACE);
	r->task[t].scope = scope_close(r, s);
	return true;
}

static bool check_end(struct snag_task_rules *r, snag_tid t, struct snag_task_fault *f)
{
	struct snag_ruled_task *task = &r->task[t];
	if (r->scope[task->scope].below)
		return fault(f, "it is still in a finish or a procedure", SNAG_NO_PLACE);
	scope_close(r, task->scope);
	r->scope[task->finish].live--;
	scope_free_if_done(r, task->finish);
	if (task->frame) {
		r->scope[task->frame].live--;
		scope_free_if_done(r, task->frame);
	}
	task->scope = 0;
	return true;
}

static bool check_promise(struct snag_task_rules *r, const struct snag_event *ev, uint64_t place,
			  struct snag_task_fault *f)
{
	uint64_t *set = &r->set[ev->target];
	if (ev->op == SNAG_OP_PROMISE_GET)
		return *set || fault(f, "the promise is not set", SNAG_NO_PLACE);
	if (*set)
		return fault(f, "the promise was set before", *set - 1);
	*set = place + 1;
	return true;
}

static bool check_isolated(struct snag_task_rules *r, const struct snag_event *ev, uint64_t place,
			   struct snag_task_fault *f)
{
	bool is_own = r->isolated == ev->thread + 1;
	if (r->isolated && !is_own)
		return fault(f, "another task is in an isolated block", r->isolated_since);
	if (ev->op == SNAG_OP_ISOLATED_END) {
		r->isolated = 0;
		return is_own || fault(f, "no isolated block is open", SNAG_NO_PLACE);
	}
	if (is_own && !(INSIDE >> ev->op & 1))
		return fault(f, "it is in an isolated block", r->isolated_since);
	if (ev->op == SNAG_OP_ISOLATED_BEGIN) {
		r->isolated = ev->thread + 1;
		r->isolated_since = place;
	}
	return true;
}

bool snag_task_rules_check(struct snag_task_rules *r, const struct snag_event *ev, uint64_t place,
			   struct snag_task_fault *ret_fault)
{
	snag_tid t = ev->thread;
	const struct snag_ruled_scope *top = &r->scope[r->task[t].scope];
	if (!check_isolated(r, ev, place, ret_fault))
		return false;
	switch (ev->op) {
	case SNAG_OP_TASK_CREATE:
		begin(r, ev->target, top->finish, 0);
		return true;
	case SNAG_OP_TASK_SPAWN:
		begin(r, ev->target, top->finish, top->frame);
		return true;
	case SNAG_OP_TASK_END:
		return check_end(r, t, ret_fault);
	case SNAG_OP_FINISH_BEGIN:
	case SNAG_OP_FRAME_BEGIN:
		open_scope(r, t, ev->op == SNAG_OP_FINISH_BEGIN);
		return true;
	case SNAG_OP_FINISH_END:
		return check_finish_end(r, t, ret_fault);
	case SNAG_OP_FRAME_END:
		return check_frame_end(r, t, ret_fault);
	case SNAG_OP_SYNC:
		return r->scope[top->frame].live == 0 ||
		       fault(ret_fault, "a task it spawned has not ended", SNAG_NO_PLACE);
	case SNAG_OP_PROMISE_SET:
	case SNAG_OP_PROMISE_GET:
		return check_promise(r, ev, place, ret_fault);
	default:
		return true;
	}
}
