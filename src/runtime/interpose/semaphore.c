/* SPDX-License-Identifier: Apache-2.0
 *
 * semaphore.c - semaphores
 *
 * Rules.  [post]  writes a token (sync.h), and adds it to the end of a queue
 *         [wait]  waits while the value is 0.  Then, unless the initial value suffices, it takes
 *                 the token at the head of the queue and reads it: that post comes before this
 *                 wait.  Another post could have let the thread pass, so the wait is not ordered
 *                 after other posts.
 *         The kernel handles semaphores that other processes share, and named ones: there a wait
 *         comes after all earlier posts.
 */
#include "runtime/interpose/cancel.h"
#include "runtime/memory.h"
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/real.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"
#include "runtime/access/stack.h"
#include "runtime/interpose/sync.h"

#include <errno.h>
#include <limits.h>

/* tokens[] is a ring of a power of two. */
static void token_push(struct rt_object *o, uint32_t token)
{
	if (o->ntokens == o->tokens_cap) {
		uint32_t cap = o->tokens_cap ? 2 * o->tokens_cap : 8;
		uint32_t *grown = rt_alloc(cap * sizeof(*grown));
		for (uint32_t i = 0; i < o->ntokens; i++)
			grown[i] = o->tokens[(o->tokens_at + i) & (o->tokens_cap - 1)];
		rt_free(o->tokens, o->tokens_cap * sizeof(*grown));
		o->tokens = grown;
		o->tokens_cap = cap;
		o->tokens_at = 0;
	}
	o->tokens[(o->tokens_at + o->ntokens++) & (o->tokens_cap - 1)] = token;
}

static uint32_t token_pop(struct rt_object *o)
{
	uint32_t token = o->tokens[o->tokens_at];
	o->tokens_at = (o->tokens_at + 1) & (o->tokens_cap - 1);
	o->ntokens--;
	return token;
}

static void take(struct rt_object *o, uintptr_t pc)
{
	/* The initial value is used up first, and needs no post. */
	bool is_posted = o->value-- <= (int64_t)o->ntokens;
	if (is_posted)
		rt_sync_receive(o->addr, rt_location(pc), token_pop(o));
}

static int failed(int why)
{
	errno = why;
	return -1;
}

static int sem_take(struct rt_thread *self, struct rt_object *o, rt_time deadline, uintptr_t pc)
{
	if (deadline == RT_INVALID)
		return failed(EINVAL);
	rt_cancel_point(self);
	while (o->value == 0) {
		self->wait.at = rt_location(pc);
		if (!rt_sched_block(self, o, deadline))
			return failed(ETIMEDOUT);
		rt_cancel_point(self);
		if (self->wait.was_interrupted && o->value == 0)
			return failed(EINTR);
	}
	take(o, pc);
	return 0;
}

RT_EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
	RT_SCOPE;
	int rc = rt_real.sem_init(sem, shared, value);
	if (rc != 0 || !rt_enter())
		return rc;
	rt_object_forget((uintptr_t)sem, RT_SEM);
	if (!shared)
		rt_object_get((uintptr_t)sem, RT_SEM)->value = value;
	return 0;
}

RT_EXPORT int sem_destroy(sem_t *sem)
{
	RT_SCOPE;
	if (rt_enter())
		rt_object_forget((uintptr_t)sem, RT_SEM);
	return rt_real.sem_destroy(sem);
}

static int foreign_taken(struct rt_thread *self, sem_t *sem, int rc, uintptr_t pc)
{
	if (rc == 0 && self)
		rt_sync_acquire((uintptr_t)sem, pc);
	return rc;
}

#define WAIT(name, deadline, parameters, arguments)                                               \
	RT_EXPORT int name parameters                                                             \
	{                                                                                         \
		RT_SCOPE;                                                                         \
		struct rt_thread *self = rt_sched_point();                                        \
		struct rt_object *o = self ? rt_object_find((uintptr_t)sem, RT_SEM) : NULL;       \
		if (!o)                                                                           \
			return foreign_taken(self, sem, RT_OUTSIDE(self, rt_real.name arguments), \
					     RT_CALLER);                                          \
		return sem_take(self, o, deadline, RT_CALLER);                                    \
	}
WAIT(sem_wait, RT_NEVER, (sem_t * sem), (sem))
WAIT(sem_timedwait, rt_deadline(CLOCK_REALTIME, at), (sem_t * sem, const struct timespec *at),
     (sem, at))
WAIT(sem_clockwait, rt_deadline(clock, at),
     (sem_t * sem, clockid_t clock, const struct timespec *at), (sem, clock, at))

RT_EXPORT int sem_trywait(sem_t *sem)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	struct rt_object *o = self ? rt_object_find((uintptr_t)sem, RT_SEM) : NULL;
	if (!o)
		return foreign_taken(self, sem, rt_real.sem_trywait(sem), RT_CALLER);
	if (o->value == 0) {
		rt_spin_look(self, (uintptr_t)sem, 0);
		return failed(EAGAIN);
	}
	take(o, RT_CALLER);
	return 0;
}

RT_EXPORT int sem_post(sem_t *sem)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	struct rt_object *o = self ? rt_object_find((uintptr_t)sem, RT_SEM) : NULL;
	if (!o) {
		if (self)
			rt_sync_release((uintptr_t)sem, RT_CALLER);
		return rt_real.sem_post(sem);
	}
	if (o->value == SEM_VALUE_MAX)
		return failed(EOVERFLOW);
	token_push(o, rt_sync_send(o->addr, rt_location(RT_CALLER)));
	o->value++;
	rt_object_wake_one(o, 0);
	return 0;
}

RT_EXPORT int sem_getvalue(sem_t *sem, int *ret_value)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	struct rt_object *o = self ? rt_object_find((uintptr_t)sem, RT_SEM) : NULL;
	if (!o)
		return rt_real.sem_getvalue(sem, ret_value);
	*ret_value = (int)o->value;
	return 0;
}
