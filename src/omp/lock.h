/* SPDX-License-Identifier: Apache-2.0
 *
 * lock.h - critical sections and locks (core.h)
 */
#ifndef SNAG_OMP_LOCK_H
#define SNAG_OMP_LOCK_H

#include <stdbool.h>

struct mp_lock;
struct mp_task;

struct mp_lock *mp_lock_at(const void *at); /* made if need be */
/* The same, for the team: each team has a lock of its own. */
struct mp_lock *mp_lock_here(const void *at);
void mp_lock_forget(const void *at); /* the team's */
/* Returns a lock that is separate from others at this address, with one reference. */
struct mp_lock *mp_lock_new(const void *at);
struct mp_lock *mp_lock_know(struct mp_lock *lock);
void mp_lock_release(struct mp_lock *lock); /* accepts NULL */
void mp_lock_obstacle(void);		    /* the program tests whether a lock is free */
void mp_lock_take(struct mp_lock *lock, struct mp_task *t);
bool mp_lock_try(struct mp_lock *lock, struct mp_task *t);
void mp_lock_give(struct mp_lock *lock);
int *mp_lock_depth(struct mp_lock *lock, const struct mp_task *t); /* NULL: t does not hold it */
/* Reports that t releases, or acquires again, all locks it holds: it becomes another task of the
 * detector in between. */
void mp_locks_report(struct mp_task *t, bool is_acquired);

#endif
