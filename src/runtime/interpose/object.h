/* SPDX-License-Identifier: Apache-2.0
 *
 * object.h - what threads wait for: mutexes, condition variables and so on, by address
 *
 * Idea.   The program's own mutex is only a name: its address.  Its state is here, so
 *         that a thread that waits is the scheduler's business and not the kernel's.
 *         An object is made when first met, and forgotten when destroyed.
 * Rules.  Touched only by the thread that has the baton (queues: also under the
 *         scheduler's lock).
 */
#ifndef SNAG_RUNTIME_OBJECT_H
#define SNAG_RUNTIME_OBJECT_H

#include "runtime/rt.h"

struct rt_reader { /* a thread that holds a rwlock shared */
	struct rt_reader *next;
	struct rt_thread *thread;
	uint32_t depth;
	bool is_hidden; /* no event says that it does */
};

struct rt_object {
	uintptr_t addr;
	enum rt_kind kind;
	uint32_t slot; /* in the table */
	struct rt_thread *first_waiter, *last_waiter;

	struct rt_thread *owner; /* mutex, rwlock: who holds it alone */
	uint32_t depth;		 /* how often */
	uint32_t lock;		 /* mutex, rwlock: its number in the trace */
	uint32_t taken_at;	 /* node: where it was locked last, alone; 0: never ... */
	uint32_t taken_by;	 /* ... and by which thread */
	uint32_t made_with;	 /* annotated: flags of __tsan_mutex_create */
	uint64_t users;		 /* threads that have used it: bits 1 << tid % 64 */
	struct rt_reader *readers;
	bool is_spin;		/* mutex: a spin lock */
	bool is_hidden;		/* mutex, rwlock: no event says who holds it */
	bool is_foreign;	/* mutex: the kernel knows who holds it */
	bool is_robust;		/* mutex: the next owner is told if this one ends */
	bool is_dead;		/* robust: the owner ended; once: it has run */
	bool is_inconsistent;	/* robust: locked after its owner ended */
	bool is_lost;		/* robust: unlocked like that */
	bool is_running;	/* once */
	uint32_t token;		/* barrier: of this round; once, sync: of what happened before */
	uint32_t need, arrived; /* barrier */
	int64_t value;		/* semaphore; cond: the mutex of those who wait */
	uint32_t *tokens;	/* semaphore: of the posts not yet waited for, a ring */
	uint32_t tokens_at, ntokens, tokens_cap;
};

/* The object at that address, made if need be / or NULL. */
struct rt_object *rt_object_get(uintptr_t addr, enum rt_kind kind);
struct rt_object *rt_object_find(uintptr_t addr, enum rt_kind kind);
void rt_object_forget(uintptr_t addr, enum rt_kind kind);
void rt_object_each(void (*f)(struct rt_object *o));

/* The queue of those who wait.  The caller of enqueue and dequeue has the scheduler's lock. */
void rt_object_enqueue(struct rt_object *o, struct rt_thread *t);
void rt_object_dequeue(struct rt_object *o, struct rt_thread *t);
/* Wakes the one who waits longest, giving it a token, or all; returns the one / how many.
 * There is no choice here: the schedule alone says what happens. */
struct rt_thread *rt_object_wake_one(struct rt_object *o, uint32_t token);
uint32_t rt_object_wake_all(struct rt_object *o, uint32_t token);

#endif
