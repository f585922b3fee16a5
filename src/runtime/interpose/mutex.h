/* SPDX-License-Identifier: Apache-2.0
 *
 * mutex.h - locking and unlocking mutexes, for condition variables and other callers
 */
#ifndef SNAG_RUNTIME_MUTEX_H
#define SNAG_RUNTIME_MUTEX_H

#include "runtime/interpose/object.h"

/* Locks the mutex, until the deadline (RT_NEVER: none); or unlocks it.  Returns as
 * pthread_mutex_lock and pthread_mutex_unlock do. */
int rt_mutex_take(struct rt_thread *self, pthread_mutex_t *mutex, rt_time deadline, uintptr_t pc);
int rt_mutex_give(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc);
/* Returns whether unlocking returns EPERM: the mutex checks its owner, which is not this thread. */
bool rt_mutex_refuses(struct rt_thread *self, const pthread_mutex_t *mutex);
/* Unlocks all levels of a recursive mutex and returns how many; or locks as many again. */
uint32_t rt_mutex_give_all(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc);
void rt_mutex_take_all(struct rt_thread *self, pthread_mutex_t *mutex, uint32_t depth,
		       uintptr_t pc);
/* The thread ends: unlocks the robust mutexes that it holds.  The next owner gets EOWNERDEAD. */
void rt_mutex_owner_ends(void);
/* Returns whether other processes share the mutex: only the kernel knows its owner. */
bool rt_mutex_is_foreign(const pthread_mutex_t *mutex);
/* The real function has locked such a mutex and returned `rc`; or is about to unlock it. */
int rt_mutex_foreign_taken(struct rt_thread *self, pthread_mutex_t *mutex, int rc, uintptr_t pc);
void rt_mutex_foreign_given(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc);

#endif
