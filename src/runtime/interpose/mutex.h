/* SPDX-License-Identifier: Apache-2.0
 *
 * mutex.h - taking and giving mutexes, for whoever does it as part of something else
 */
#ifndef SNAG_RUNTIME_MUTEX_H
#define SNAG_RUNTIME_MUTEX_H

#include "runtime/interpose/object.h"

/* 0, or as pthread_mutex_lock fails; deadline RT_NEVER: none. */
int rt_mutex_take(struct rt_thread *self, pthread_mutex_t *mutex, rt_time deadline, uintptr_t pc);
int rt_mutex_give(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc);
/* Gives back all levels of a recursive mutex and takes them again. */
uint32_t rt_mutex_give_all(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc);
void rt_mutex_take_all(struct rt_thread *self, pthread_mutex_t *mutex, uint32_t depth,
		       uintptr_t pc);
/* The thread ends: what it holds of the robust kind is free, and the next one is told. */
void rt_mutex_owner_ends(void);
/* Shared with other processes: only the kernel knows who holds it. */
bool rt_mutex_is_foreign(const pthread_mutex_t *mutex);
/* Such a one was taken by the real function, which returned `rc` / is about to be given back. */
int rt_mutex_foreign_taken(struct rt_thread *self, pthread_mutex_t *mutex, int rc, uintptr_t pc);
void rt_mutex_foreign_given(struct rt_thread *self, pthread_mutex_t *mutex, uintptr_t pc);

#endif
