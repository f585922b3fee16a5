/* SPDX-License-Identifier: Apache-2.0
 *
 * c11.c - the threads of C11, which are pthreads under other names
 *
 * In glibc mtx_t is laid out as pthread_mutex_t, cnd_t as pthread_cond_t, and thrd_t is
 * pthread_t; but its functions do not call pthread_*, so they are defined here again.
 */
#include "runtime/memory.h"
#include "runtime/rt.h"

#include <errno.h>
#include <sched.h>
#include <threads.h>
#include <time.h>

void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "the same thing");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "the same thing");

static int result_of(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case EBUSY:
		return thrd_busy;
	case ETIMEDOUT:
		return thrd_timedout;
	case ENOMEM:
		return thrd_nomem;
	default:
		return thrd_error;
	}
}

/* In call stacks, the call appears where the program called the function of C11. */
#define AS(type, name, parameters, expression)                  \
	RT_EXPORT type name parameters                          \
	{                                                       \
		__tsan_func_entry(__builtin_return_address(0)); \
		type result = expression;                       \
		__tsan_func_exit();                             \
		return result;                                  \
	}

#define MUTEX ((pthread_mutex_t *)m)
#define COND ((pthread_cond_t *)c)

AS(int, mtx_lock, (mtx_t * m), result_of(pthread_mutex_lock(MUTEX)))
AS(int, mtx_trylock, (mtx_t * m), result_of(pthread_mutex_trylock(MUTEX)))
AS(int, mtx_timedlock, (mtx_t *restrict m, const struct timespec *restrict at),
   result_of(pthread_mutex_timedlock(MUTEX, at)))
AS(int, mtx_unlock, (mtx_t * m), result_of(pthread_mutex_unlock(MUTEX)))
AS(int, cnd_init, (cnd_t * c), result_of(pthread_cond_init(COND, NULL)))
AS(int, cnd_signal, (cnd_t * c), result_of(pthread_cond_signal(COND)))
AS(int, cnd_broadcast, (cnd_t * c), result_of(pthread_cond_broadcast(COND)))
AS(int, cnd_wait, (cnd_t * c, mtx_t *m), result_of(pthread_cond_wait(COND, MUTEX)))
AS(int, cnd_timedwait, (cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict at),
   result_of(pthread_cond_timedwait(COND, MUTEX, at)))
AS(int, thrd_detach, (thrd_t t), result_of(pthread_detach(t)))

RT_EXPORT int mtx_init(mtx_t *m, int type)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	if (type & mtx_recursive)
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	return result_of(pthread_mutex_init(MUTEX, &attr));
}

RT_EXPORT void mtx_destroy(mtx_t *m)
{
	pthread_mutex_destroy(MUTEX);
}

RT_EXPORT void cnd_destroy(cnd_t *c)
{
	pthread_cond_destroy(COND);
}

struct start {
	thrd_start_t function;
	void *arg;
};

static void *run(void *p)
{
	struct start start = *(struct start *)p;
	rt_free(p, sizeof(start));
	return (void *)(intptr_t)start.function(start.arg);
}

RT_EXPORT int thrd_create(thrd_t *ret_t, thrd_start_t function, void *arg)
{
	struct start *start = rt_alloc(sizeof(*start));
	*start = (struct start){function, arg};
	__tsan_func_entry(__builtin_return_address(0));
	int rc = pthread_create(ret_t, NULL, run, start);
	__tsan_func_exit();
	if (rc != 0)
		rt_free(start, sizeof(*start));
	return rc == EAGAIN ? thrd_nomem : result_of(rc);
}

RT_EXPORT int thrd_join(thrd_t t, int *ret_result)
{
	void *value;
	__tsan_func_entry(__builtin_return_address(0));
	int rc = pthread_join(t, &value);
	__tsan_func_exit();
	if (rc == 0 && ret_result)
		*ret_result = (int)(intptr_t)value;
	return result_of(rc);
}

RT_EXPORT void thrd_exit(int result)
{
	pthread_exit((void *)(intptr_t)result);
}

RT_EXPORT void thrd_yield(void)
{
	sched_yield();
}

RT_EXPORT int thrd_sleep(const struct timespec *time, struct timespec *ret_left)
{
	int rc = nanosleep(time, ret_left);
	return rc == 0 ? 0 : errno == EINTR ? -1 : -2;
}
