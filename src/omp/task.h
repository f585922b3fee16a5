/* SPDX-License-Identifier: Apache-2.0
 *
 * task.h - explicit tasks: run.c, task.c; their dependences and reductions
 */
#ifndef SNAG_OMP_TASK_H
#define SNAG_OMP_TASK_H

#include "omp/core.h"

/* The kinds of depend clauses, as in SNAG_OMP_DEPEND_IN and so on. */
enum mp_depend_kind { MP_DEPEND_IN, MP_DEPEND_OUT, MP_DEPEND_MUTEX, MP_DEPEND_SET };

struct mp_depend {
	const void *at;
	enum mp_depend_kind kind;
};

enum { MP_TASK_UNDEFERRED = 1, MP_TASK_FINAL = 2, MP_TASK_DETACHED = 4 };

enum { MP_TASK_SMALL = 320, MP_STACK_BYTES = 1 << 20 };
void mp_tasks_begin(void); /* once */

/* Returns the record of a task, with room for so many bytes of arguments behind it.  Then
 * mp_task_create() creates the task: runs it, or lets it wait. */
static inline struct mp_task *mp_task_new(mp_body *body, void *arg, unsigned flags, size_t room)
{
	typedef uint64_t zeros __attribute__((vector_size(16), may_alias));
	struct mp_task *parent = mp.now->task;
	bool is_pooled = room <= MP_TASK_SMALL - MP_TASK_BYTES;
	struct mp_task *t =
		is_pooled ? snag_pool_take(&mp.tasks) : mp_alloc_used(MP_TASK_BYTES + room);
	if (!t)
		mp_fail("OpenMP: out of memory");
	zeros *zero = (zeros *)((char *)t + MP_TASK_ZERO);
	_Static_assert(MP_TASK_BYTES - MP_TASK_ZERO == 7 * sizeof(*zero), "all are set");
	zero[0] = zero[1] = zero[2] = zero[3] = zero[4] = zero[5] = zero[6] = (zeros){0};
	t->parent = parent;
	t->team = parent->team;
	t->group = parent->group;
	t->number = parent->number;
	t->known = 1;
	t->body = body;
	t->arg = arg;
	t->nbytes = 0;
	t->place = mp.place;
	t->is_pooled = is_pooled;
	t->is_part = mp_team_is_alone(t->team);
	if (flags | parent->is_final) {
		t->is_final = parent->is_final || flags & MP_TASK_FINAL;
		t->is_undeferred = parent->is_final || flags & MP_TASK_UNDEFERRED;
		t->is_detached = flags & MP_TASK_DETACHED;
		t->known += t->is_detached;
		mp.ndetached += t->is_detached;
	}
	parent->known++;
	return t;
}

static inline void *mp_task_room(struct mp_task *t) /* from a multiple of 16 on */
{
	return (char *)t + MP_TASK_BYTES;
}

void mp_task_create(struct mp_task *t, const struct mp_depend *depend, size_t n);
/* An undeferred task whose body the caller calls in between. */
void mp_task_begin(struct mp_task *t, const struct mp_depend *depend, size_t n);
void mp_task_end(struct mp_task *t);
void mp_task_fulfil(struct mp_task *t); /* Fulfils its detach event. */
void mp_task_forget(struct mp_task *t); /* Gives up a reference to the task. */
void mp_task_ready(struct mp_task *t);	/* all it depends on has ended */

/* run.c, for tasks that do not run on a fiber, or end later. */
void mp_task_counted(struct mp_task *t, const struct mp_depend *depend,
		     size_t n); /* it is created */
void mp_body_begin(struct mp_task *t);
bool mp_body_end(struct mp_task *t); /* Returns false if its event was not fulfilled. */
/* Its event was fulfilled: reports the promises that the task sets. */
void mp_promises_report(const struct mp_task *t);
void mp_task_over(struct mp_task *t);	      /* Reports that the task ends. */
void mp_gets_report(const struct mp_task *t); /* the promises it depends on */

/* outside.c: the first function is for a thread outside of OpenMP that fulfils an event. The
 * second waits, when no context is ready, until a thread has fulfilled one. It returns false if
 * none will. */
void mp_outside_fulfil(struct mp_task *t);
bool mp_outside_wait(void);

/* target.c: of a region with nowait, before it is created; in a team of one thread, t has
 * waited. */
void mp_target_task(struct mp_task *t);
void mp_targets_joined(struct mp_task *t);

/* copies.c: private copies of the calling task on the heap.  A copy begins; ends; all of t's
 * become new memory; its thread combines t's (`begins`), or has done so. */
void mp_copy_add(const void *at, size_t nbytes);
void mp_copy_gone(const void *at);
void mp_copies_renewed(const struct mp_task *t);
void mp_copies_unseen(const struct mp_task *t, bool begins);
void mp_copies_free(struct mp_task *t);

void mp_taskwait(void);
void mp_taskwait_depend(const struct mp_depend *depend, size_t n);

/* Gives the task its arguments. Its creator does not wait for it. */
static inline void mp_task_handed(struct mp_task *t)
{
	t->is_lent = mp.hooks && mp.hooks->lends(t->arg, t->nbytes);
	own_loans_lend(&t->parent->loans, t->is_lent);
}

struct mp_group {
	struct mp_group *outer;
	unsigned live;
	struct mp_context *waiter;
	struct mp_reduced *reduced;
	uintptr_t *table; /* gcc's reductions; NULL: none */
	bool is_cancelled, is_reported;
	struct own_loans before; /* the loans of the task when the group began */
};
void mp_group_begin(void);
void mp_group_end(void);
/* The phase of an implicit task ends inside of its groups, and the next one begins: so do they. */
void mp_groups_leave(struct mp_task *t);
void mp_groups_enter(struct mp_task *t);
/* A group that the detector does not hear of, because a barrier ends it. */
void mp_group_push(void);
void mp_group_pop(void);

/* The tasks of a taskloop: calls part() for n iterations from number `from` on. */
enum mp_grain_kind { MP_GRAIN_NONE, MP_GRAIN_SIZE, MP_GRAIN_TASKS };
struct mp_grain {
	enum mp_grain_kind kind;
	uint64_t n;
	bool is_strict; /* exactly this many */
};
typedef void mp_part(const void *loop, uint64_t from, uint64_t n);
void mp_taskloop(uint64_t count, struct mp_grain grain, mp_part *part, const void *loop);

/* depend.c */
struct mp_dependent {	    /* the effect of depend clauses on a task */
	unsigned waits_for; /* tasks it depends on that have not ended */
	uint32_t *get;	    /* promises to get first, those of all it depends on */
	unsigned nget;
	struct mp_successor *successors;
	uint32_t promise; /* set at its end */
	bool has_ended;
	/* mutexinoutset: the locks that it takes, with a reference to each */
	struct mp_lock **exclusive;
	unsigned nexclusive;
};
static inline bool mp_task_waits(const struct mp_task *t)
{
	return t->dependent && t->dependent->waits_for;
}
/* The promises that t depends on; those not yet ended know it as successor. */
void mp_depend_add(struct mp_task *t, const struct mp_depend *depend, size_t n);
void mp_depend_look(struct mp_task *t, const struct mp_depend *depend,
		    size_t n);		/* No task depends on t. */
void mp_depend_done(struct mp_task *t); /* t has ended: its successors may begin */
void mp_dependent_free(struct mp_task *t);
void mp_depends_free(struct mp_task *parent); /* the table of its children */
/* A segment of an implicit task has siblings of its own, which come after those of the phase. */
void mp_depends_enter(struct mp_task *t);
void mp_depends_leave(struct mp_task *t);

/* reduction.c: of tasks */
struct mp_reduction {
	void *shared;
	size_t nbytes;
	void (*init)(void *copy, void *original); /* NULL: zeros */
	void *original;
	void (*fini)(void *copy);
	void (*combine)(void *to, void *from);
};
void mp_reduced_add(struct mp_group *g, const struct mp_reduction *item, size_t n);
void *mp_reduced_copy(struct mp_task *t, void *at); /* the copy of the task that runs */
void mp_reduced_end(struct mp_reduced *r);	    /* combines them; accepts NULL */

#endif
