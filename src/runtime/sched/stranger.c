/* SPDX-License-Identifier: Apache-2.0
 *
 * stranger.c - threads that the C library creates by itself
 *
 * Idea.   Timers, message queues, asynchronous reads and name look-ups can call a function
 *         of the program in a thread that pthread_create did not create: a stranger.  The runtime
 *         sees the stranger when it first synchronises or accesses memory in instrumented code.
 *         Then the stranger has no baton, and without it cannot add itself to the threads.  So the
 *         thread that requests a notification makes an rt_thread in advance, and the stranger
 *         takes its place.
 *
 * State.  place   the thread that the next stranger becomes; NULL: no stranger can come, or one has
 *                 just come and makes the next place
 *
 * Rules.  [expect]  The program requests a notification by thread: forks `place`.  Earlier events
 *                   of the calling thread come before those of later strangers.
 *         [enter]   The stranger becomes place, waits for its turn and expects the next one.
 *         While strangers may come, the program is not deadlocked even if all threads wait.
 */
#include "runtime/sched/stranger.h"

#include "runtime/interpose/real.h"
#include "runtime/sched/sched.h"
#include "runtime/interpose/sync.h"
#include "runtime/sys.h"
#include "runtime/interpose/thread.h"

enum { WAIT_NS = 100000 };

bool rt_stranger_may_come;
static struct rt_thread *place;

static void next_expect(uintptr_t pc)
{
	struct rt_thread *t = rt_thread_new_stranger(pc);
	__atomic_store_n(&place, t, __ATOMIC_RELEASE); /* pairs with the exchange */
}

/* [expect] */
static void expect(uintptr_t pc)
{
	if (rt.is_of_tasks || !rt_sched_point())
		return;
	if (!rt_stranger_may_come)
		next_expect(pc);
	rt_stranger_may_come = true;
	rt_sync_release((uintptr_t)&place, pc);
}

struct rt_thread *rt_stranger_enter(void)
{
	struct rt_thread *self;
	if (!rt.on || rt_hot.is_own)
		return NULL;
	/* pairs with the release in next_expect */
	while (!(self = __atomic_exchange_n(&place, NULL, __ATOMIC_ACQUIRE)))
		rt_sys_sleep(WAIT_NS);
	rt_thread_is_here(self);
	next_expect(RT_CALLER);
	rt_sync_acquire((uintptr_t)&place, RT_CALLER);
	return self;
}

/* `how` says how the system notifies the program; NULL: not at all. */
static void expect_if(const struct sigevent *how, uintptr_t pc)
{
	if (how && how->sigev_notify == SIGEV_THREAD)
		expect(pc);
}

RT_EXPORT int timer_create(clockid_t clock, struct sigevent *how, timer_t *ret_timer)
{
	RT_SCOPE;
	expect_if(how, RT_CALLER);
	return rt_real.timer_create(clock, how, ret_timer);
}

RT_EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *new,
			    struct itimerspec *old)
{
	RT_SCOPE;
	if (rt_stranger_may_come)
		expect(RT_CALLER);
	return rt_real.timer_settime(timer, flags, new, old);
}

RT_EXPORT int mq_notify(mqd_t queue, const struct sigevent *how)
{
	RT_SCOPE;
	expect_if(how, RT_CALLER);
	return rt_real.mq_notify(queue, how);
}

RT_EXPORT int getaddrinfo_a(int mode, struct gaicb **list, int n, struct sigevent *how)
{
	RT_SCOPE;
	expect_if(how, RT_CALLER);
	return rt_real.getaddrinfo_a(mode, list, n, how);
}

/* The functions for large files are the same ones. */
#define AIO(name)                                           \
	RT_EXPORT int name(struct aiocb *block)             \
	{                                                   \
		RT_SCOPE;                                   \
		expect_if(&block->aio_sigevent, RT_CALLER); \
		return rt_real.name(block);                 \
	}                                                   \
	RT_EXPORT int name##64(struct aiocb64 * block)      \
	{                                                   \
		RT_SCOPE;                                   \
		expect_if(&block->aio_sigevent, RT_CALLER); \
		return rt_real.name((struct aiocb *)block); \
	}
AIO(aio_read)
AIO(aio_write)
