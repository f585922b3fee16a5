/* SPDX-License-Identifier: Apache-2.0
 *
 * system_v.c - semaphores and messages of System V
 *
 * Rules.  [add]      An operation that adds to a semaphore comes before later ones that subtract
 *                    from it or wait for 0: they may have waited for it.  All semaphores of a set
 *                    share one token.
 *         [message]  Sending a message comes before a later reception from the same queue.
 *         [out]      All of them may wait, so the thread gives the baton away.
 */
#include "runtime/access/access.h"
#include "runtime/access/stack.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/sync.h"
#include "runtime/modules.h"
#include "runtime/sched/sched.h"

#include <errno.h>

enum { SEMAPHORES = 3, MESSAGES = 5 }; /* odd, so that no key is an address of the program */

static uintptr_t key_of(int id, unsigned kind)
{
	return (uintptr_t)(unsigned)id << 4 | kind;
}

static int operate(struct rt_thread *self, int set, struct sembuf *operations, size_t n,
		   const struct timespec *time, uintptr_t pc)
{
	bool adds = false, subtracts = false;
	for (size_t i = 0; i < n; i++) {
		adds |= operations[i].sem_op > 0;
		subtracts |= operations[i].sem_op <= 0;
	}
	if (self && adds)
		rt_sync_release(key_of(set, SEMAPHORES), pc);
	int rc = RT_OUTSIDE(self, rt_real.semtimedop(set, operations, n, time));
	const int error = errno;
	if (rc == 0 && subtracts && rt_enter())
		rt_sync_acquire(key_of(set, SEMAPHORES), pc);
	errno = error;
	return rc;
}

RT_EXPORT int semop(int set, struct sembuf *operations, size_t n)
{
	RT_SCOPE;
	return operate(rt_sched_point(), set, operations, n, NULL, RT_CALLER);
}

RT_EXPORT int semtimedop(int set, struct sembuf *operations, size_t n, const struct timespec *time)
{
	RT_SCOPE;
	return operate(rt_sched_point(), set, operations, n, time, RT_CALLER);
}

RT_EXPORT int msgsnd(int queue, const void *message, size_t n, int flags)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (self && rt_modules_counts(RT_CALLER))
		rt_access_range((uintptr_t)message, sizeof(long) + n, false, RT_CALLER);
	if (self)
		rt_sync_release(key_of(queue, MESSAGES), RT_CALLER);
	return RT_OUTSIDE(self, rt_real.msgsnd(queue, message, n, flags));
}

RT_EXPORT ssize_t msgrcv(int queue, void *message, size_t n, long type, int flags)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	ssize_t got = RT_OUTSIDE(self, rt_real.msgrcv(queue, message, n, type, flags));
	const int error = errno;
	if (got >= 0 && rt_enter()) {
		rt_sync_acquire(key_of(queue, MESSAGES), RT_CALLER);
		if (rt_modules_counts(RT_CALLER))
			rt_access_range((uintptr_t)message, sizeof(long) + (size_t)got, true,
					RT_CALLER);
	}
	errno = error;
	return got;
}
