/* SPDX-License-Identifier: Apache-2.0
 *
 * object.h - what threads wait for: mutexes, condition variables and so on, by address
 *
 * Idea.   The runtime uses only the address of the program's mutex.  It keeps the state of the
 *         mutex in an object, so that threads wait in the scheduler and not in the kernel.
 *         The first use makes the object, and destroying the mutex removes it.
 * Rules.  Only the thread that has the baton uses objects.  Their queues also need the scheduler's
 *         lock.
 */
#ifndef SNAG_RUNTIME_OBJECT_H
#define SNAG_RUNTIME_OBJECT_H

#include "runtime/rt.h"

struct rt_reader { /* a thread that holds a rwlock shared */
	struct rt_reader *next;
	struct rt_thread *thread;
	uint32_t depth;
	bool is_hidden; /* no event says that the thread holds it */
};

struct rt_object {
	uintptr_t addr;
	enum rt_kind kind;
	uint32_t slot; /* its slot in the table */
	struct rt_thread *first_waiter, *last_waiter;

	struct rt_thread *owner; /* mutex, rwlock: the thread that holds it alone */
	uint32_t depth;		 /* how often the owner holds it */
	uint32_t lock;		 /* mutex, rwlock: its number in the trace */
	uint32_t taken_at;	 /* the location where it was last locked alone; 0: never */
	uint32_t taken_by;	 /* the thread that last locked it alone */
	uint32_t made_with;	 /* annotated: flags of __tsan_mutex_create */
	uint64_t users;		 /* threads that have used it: bits 1 << tid % 64 */
	struct rt_reader *readers;
	bool is_spin;		/* mutex: a spin lock */
	bool is_hidden;		/* mutex, rwlock: its lock and unlock are no events */
	bool is_foreign;	/* mutex: the kernel knows which thread holds it */
	bool is_robust;		/* mutex: if the owner ends, the next one gets EOWNERDEAD */
	bool is_dead;		/* robust: the owner has ended; once: the function has run */
	bool is_inconsistent;	/* robust: locked after its owner ended */
	bool is_lost;		/* robust: unlocked while inconsistent */
	bool is_running;	/* once */
	uint32_t token;		/* barrier: of this round; once, sync: of the events before */
	uint32_t need, arrived; /* barrier */
	int64_t value;		/* semaphore; cond: the mutex of those who wait */
	uint32_t *tokens;	/* semaphore: of the posts not yet waited for, a ring */
	uint32_t tokens_at, ntokens, tokens_cap;
};

/* Returns the object at this address.  get makes it if there is none; find returns NULL then. */
struct rt_object *rt_object_get(uintptr_t addr, enum rt_kind kind);
struct rt_object *rt_object_find(uintptr_t addr, enum rt_kind kind);
void rt_object_forget(uintptr_t addr, enum rt_kind kind);
void rt_object_each(void (*f)(struct rt_object *o));

/* The queue of the threads that wait.  The caller holds the scheduler's lock. */
void rt_object_enqueue(struct rt_object *o, struct rt_thread *t);
void rt_object_dequeue(struct rt_object *o, struct rt_thread *t);
/* Wakes the thread that has waited longest, or all threads, and gives each the token.  Returns the
 * thread, or how many there were.  Nothing is random here: only the scheduler chooses. */
struct rt_thread *rt_object_wake_one(struct rt_object *o, uint32_t token);
uint32_t rt_object_wake_all(struct rt_object *o, uint32_t token);

#endif
