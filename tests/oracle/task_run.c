/* SPDX-License-Identifier: Apache-2.0
 *
 * task_run.c - run a small task program, one statement at a time
 */
#include "task_run.h"

#include <assert.h>
#include <string.h>

enum { TASKS = TASK_TOKENS + 1, SCOPES = TASK_TOKENS + 2, NONE = -1 };

/* A frame or a finish that is or was open; scope 0 is the finish around the first task. */
struct scope {
	bool is_finish;
	int outer;     /* of the same task, or NONE */
	unsigned live; /* finish: tasks it waits for; frame: spawned ones */
};

struct task {
	unsigned pc, end; /* the next token, and the end of its body */
	bool has_ended, was_blocked, is_waiting;
	unsigned gets_blocked;
	int scope;  /* innermost */
	int finish; /* inherited: who waits for it */
	int frame;  /* that spawned it, or NONE */
};

struct lock {
	int holder;	/* alone ... */
	unsigned depth; /* ... so often, shared inside too; 0: nobody */
	unsigned shares[TASKS];
};

struct machine {
	const struct task_program *p;
	struct task_run *run;
	struct task task[TASKS];
	struct scope scope[SCOPES];
	int nscopes;
	bool is_set[TASK_PROMISES];
	struct lock lock[TASK_LOCKS];
	int control[4 * TASKS]; /* who gets control back, the running task last */
	int ncontrol;
};

static void emit(struct machine *m, int task, enum snag_op op, int operand, unsigned loc)
{
	static const char prefix[SNAG_SPACES] = {[SNAG_SPACE_THREAD] = 't',
						 [SNAG_SPACE_VARIABLE] = 'x',
						 [SNAG_SPACE_PROMISE] = 'p',
						 [SNAG_SPACE_LOCK] = 'm'};
	char thread[16], name[16] = "", location[16];
	enum snag_space space = snag_op_info[op].space;
	snprintf(thread, sizeof(thread), "t%d", task);
	snprintf(location, sizeof(location), "%u", loc);
	if (space != SNAG_SPACE_NONE)
		snprintf(name, sizeof(name), "%c%d", prefix[space], operand);
	snag_trace_add(&m->run->trace, thread, op, name, location);
}

static int scope_open(struct machine *m, int task, bool is_finish)
{
	int s = m->nscopes++;
	assert(s < SCOPES);
	m->scope[s] = (struct scope){.is_finish = is_finish, .outer = m->task[task].scope};
	return m->task[task].scope = s;
}

/* The innermost scope of one kind, or NONE; a procedure does not hide a finish. */
static int scope_of(const struct machine *m, int task, bool is_finish)
{
	int s = m->task[task].scope;
	while (s != NONE && m->scope[s].is_finish != is_finish)
		s = m->scope[s].outer;
	return s == NONE ? m->task[task].finish : s;
}

static int task_new(struct machine *m, unsigned pc, unsigned end, int finish, int frame)
{
	int t = (int)m->run->tasks++;
	m->task[t] = (struct task){
		.pc = pc, .end = end, .scope = NONE, .finish = finish, .frame = frame};
	scope_open(m, t, false);
	m->scope[finish].live++;
	if (frame != NONE)
		m->scope[frame].live++;
	return t;
}

/* The block a T_END closes. */
static struct task_token block_of(const struct task_program *p, unsigned close)
{
	return p->token[task_program_open(p, close)];
}

/* A task may take a lock it has, in the same way or a weaker one. */
static bool can_lock(const struct machine *m, int t, struct task_token token)
{
	const struct lock *lock = &m->lock[token.arg];
	unsigned others = 0;
	for (int i = 0; i < TASKS; i++)
		others += i != t && lock->shares[i];
	if (lock->depth)
		return lock->holder == t;
	return token.kind == T_SHARE || (others == 0 && lock->shares[t] == 0);
}

static bool can_go_on(const struct machine *m, int t)
{
	const struct task *task = &m->task[t];
	if (task->has_ended)
		return false;
	if (task->pc == task->end)
		return true;
	struct task_token token = m->p->token[task->pc];
	if (token.kind == T_GET)
		return m->is_set[token.arg];
	if (token.kind == T_LOCK || token.kind == T_SHARE)
		return can_lock(m, t, token);
	if (token.kind == T_SYNC)
		return m->scope[scope_of(m, t, false)].live == 0;
	if (token.kind == T_END && block_of(m->p, task->pc).kind == T_FINISH)
		return m->scope[task->scope].live == 0;
	return true;
}

static void task_end(struct machine *m, int t)
{
	struct task *task = &m->task[t];
	emit(m, t, SNAG_OP_TASK_END, 0, task->end);
	task->has_ended = true;
	m->scope[task->finish].live--;
	if (task->frame != NONE)
		m->scope[task->frame].live--;
}

static int task_create(struct machine *m, int t, bool is_spawned)
{
	struct task *task = &m->task[t];
	unsigned open = task->pc, close = task_program_close(m->p, open);
	int child = task_new(m, open + 1, close, scope_of(m, t, true),
			     is_spawned ? scope_of(m, t, false) : NONE);
	emit(m, t, is_spawned ? SNAG_OP_TASK_SPAWN : SNAG_OP_TASK_CREATE, child, open);
	task->pc = close + 1;
	return child;
}

static void scope_close(struct machine *m, int t, enum snag_op op)
{
	struct task *task = &m->task[t];
	emit(m, t, op, 0, task->pc++);
	task->scope = m->scope[task->scope].outer;
}

static const enum snag_op op_of[] = {[T_READ] = SNAG_OP_READ,
				     [T_WRITE] = SNAG_OP_WRITE,
				     [T_ATOMIC_READ] = SNAG_OP_ATOMIC_READ,
				     [T_ATOMIC_WRITE] = SNAG_OP_ATOMIC_WRITE,
				     [T_SET] = SNAG_OP_PROMISE_SET,
				     [T_GET] = SNAG_OP_PROMISE_GET,
				     [T_SYNC] = SNAG_OP_SYNC};

static void isolated(struct machine *m, int t)
{
	struct task *task = &m->task[t];
	emit(m, t, SNAG_OP_ISOLATED_BEGIN, 0, task->pc++);
	for (; m->p->token[task->pc].kind != T_END; task->pc++) {
		struct task_token token = m->p->token[task->pc];
		emit(m, t, op_of[token.kind], token.arg, task->pc);
	}
	emit(m, t, SNAG_OP_ISOLATED_END, 0, task->pc++);
}

static void lock(struct machine *m, int t, struct task_token token, bool takes)
{
	struct lock *l = &m->lock[token.arg];
	bool is_shared = token.kind == T_SHARE;
	static const enum snag_op op[2][2] = {{SNAG_OP_RELEASE, SNAG_OP_ACQUIRE},
					      {SNAG_OP_RELEASE_SHARED, SNAG_OP_ACQUIRE_SHARED}};
	if (is_shared && !l->depth)
		l->shares[t] += takes ? 1 : -1u;
	else
		l->depth += takes ? 1 : -1u;
	l->holder = t;
	emit(m, t, op[is_shared][takes], token.arg, m->task[t].pc++);
}

/* The end of a finish, a procedure or a lock. */
static void block_end(struct machine *m, int t)
{
	struct task_token block = block_of(m->p, m->task[t].pc);
	if (block.kind == T_LOCK || block.kind == T_SHARE)
		lock(m, t, block, false);
	else
		scope_close(m, t, block.kind == T_CALL ? SNAG_OP_FRAME_END : SNAG_OP_FINISH_END);
}

/* One statement of a task that can go on; returns a child it created, or NONE. */
static int statement(struct machine *m, int t)
{
	struct task *task = &m->task[t];
	if (task->pc == task->end) {
		task_end(m, t);
		return NONE;
	}
	struct task_token token = m->p->token[task->pc];
	switch (token.kind) {
	case T_ASYNC:
	case T_SPAWN:
		return task_create(m, t, token.kind == T_SPAWN);
	case T_FINISH:
	case T_CALL:
		emit(m, t, token.kind == T_CALL ? SNAG_OP_FRAME_BEGIN : SNAG_OP_FINISH_BEGIN, 0,
		     task->pc++);
		scope_open(m, t, token.kind == T_FINISH);
		return NONE;
	case T_END:
		block_end(m, t);
		return NONE;
	case T_LOCK:
	case T_SHARE:
		lock(m, t, token, true);
		return NONE;
	case T_ISOLATED:
		isolated(m, t);
		return NONE;
	case T_SET:
		m->is_set[token.arg] = true;
		break;
	}
	emit(m, t, op_of[token.kind], token.arg, task->pc++);
	return NONE;
}

/* A task that can go on: any, or the first from `from` on. */
static int pick(const struct machine *m, int from, struct prng *random)
{
	int n = (int)m->run->tasks;
	if (random)
		from = (int)prng_below(random, (unsigned)n);
	for (int i = 0; i < n; i++)
		if (can_go_on(m, (from + i) % n))
			return (from + i) % n;
	return NONE;
}

static int pick_waiting(const struct machine *m, unsigned promise)
{
	for (int t = 0; t < (int)m->run->tasks; t++) {
		const struct task *task = &m->task[t];
		if (task->is_waiting && task->pc < task->end &&
		    m->p->token[task->pc].kind == T_GET && m->p->token[task->pc].arg == promise)
			return t;
	}
	return NONE;
}

/* Who runs next: the last with control that can; if none has it, any. */
static int next_task(struct machine *m, enum task_policy policy, struct prng *random)
{
	if (policy == TASK_RANDOM)
		return pick(m, 0, random);
	while (m->ncontrol) {
		int t = m->control[m->ncontrol - 1];
		if (can_go_on(m, t))
			return t;
		m->task[t].is_waiting = !m->task[t].has_ended;
		m->ncontrol--;
	}
	int t = pick(m, 0, NULL);
	if (t != NONE)
		m->control[m->ncontrol++] = t;
	return t;
}

static void note_blocked(struct machine *m)
{
	for (int t = 0; t < (int)m->run->tasks; t++)
		if (!m->task[t].has_ended && !can_go_on(m, t))
			m->task[t].was_blocked = true;
}

void task_run(struct task_run *run, const struct task_program *p, enum task_policy policy,
	      struct prng *random)
{
	struct machine m = {.p = p, .run = run};
	memset(run, 0, sizeof(*run));
	snag_trace_init(&run->trace);
	m.scope[m.nscopes++] = (struct scope){.is_finish = true, .outer = NONE};
	m.control[m.ncontrol++] = task_new(&m, 0, p->n, 0, NONE);
	for (int t; (t = next_task(&m, policy, random)) != NONE; note_blocked(&m)) {
		struct task *task = &m.task[t];
		if (task->was_blocked) {
			run->blocked++;
			run->reblocked += p->token[task->pc].kind == T_GET && task->gets_blocked++;
			task->was_blocked = task->is_waiting = false;
		}
		unsigned pc = task->pc;
		int child = statement(&m, t);
		if (child == NONE && policy == TASK_EAGER && pc < task->end &&
		    p->token[pc].kind == T_SET)
			child = pick_waiting(&m, p->token[pc].arg);
		if (child != NONE && policy != TASK_RANDOM) {
			assert(m.ncontrol < (int)(sizeof(m.control) / sizeof(m.control[0])));
			m.control[m.ncontrol++] = child;
		}
	}
	for (unsigned t = 0; t < run->tasks; t++)
		run->deadlock |= !m.task[t].has_ended;
}

void task_run_done(struct task_run *run)
{
	snag_trace_done(&run->trace);
}
