/* SPDX-License-Identifier: Apache-2.0
 *
 * answers.c - the times that the program reads
 *
 * Rules.  [written]  To read the time is no event; to write it to memory of the program is one.
 *                    The turn may end before the call, but not between the call and the report.
 */
#include "runtime/interpose/answers.h"

#include "runtime/access/access.h"
#include "runtime/memory.h"
#include "runtime/modules.h"
#include "runtime/sched/names.h"
#include "runtime/interpose/real.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/sys.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/time.h>
#include <unistd.h>

enum { SECOND = 1000000000, CLOCKS = 16 };

struct answer {
	int64_t value;
	uint32_t next; /* the next answer of the same thread: 1 + its place; 0: none */
};

static struct answer *answer;
static uint32_t nanswers, answers_room;
static struct thread_answers {
	uint32_t first, last; /* 1 + place; 0: none */
} * of;			      /* by the thread's name */
static uint32_t nof;
static int64_t behind[CLOCKS]; /* how much the answers are behind the clock */

void rt_answers_add(uint32_t name, int64_t value)
{
	if (name > RT_NAME_MAX)
		return;
	if (nanswers == answers_room) {
		uint32_t n = answers_room ? 2 * answers_room : 64;
		answer = rt_grow(answer, answers_room * sizeof(*answer), n * sizeof(*answer));
		answers_room = n;
	}
	if (name >= nof) {
		uint32_t n = 2 * name + 2;
		of = rt_grow(of, nof * sizeof(*of), n * sizeof(*of));
		nof = n;
	}
	answer[nanswers++] = (struct answer){.value = value};
	if (of[name].last)
		answer[of[name].last - 1].next = nanswers;
	else
		of[name].first = nanswers;
	of[name].last = nanswers;
}

static int64_t nanoseconds(const struct timespec *t)
{
	return (int64_t)t->tv_sec * SECOND + t->tv_nsec;
}

static struct timespec timespec_of(int64_t value)
{
	return (struct timespec){.tv_sec = value / SECOND, .tv_nsec = value % SECOND};
}

static void input_read(enum rt_input what)
{
	if (rt.on && rt.channel)
		rt.channel->inputs |= 1u << what;
}

static void answer_put(int64_t now)
{
	if (now >= 0)
		rt_put(RT_ANSWER, 0, (uint64_t)now & RT_ADDRESS_MASK,
		       (uint32_t)((uint64_t)now >> RT_ADDRESS_BITS), 0);
}

/* The same for a thread that runs in parallel: the answer is the real time. */
static void answer_parallel(int64_t now)
{
	const struct rt_thread *self = rt_hot.is_own ? NULL : rt_self();
	if (!self || self->is_open)
		return;
	input_read(RT_INPUT_TIME);
	answer_put(now);
}

/* Returns the answer to the calling thread, when the clock shows `now`. */
static int64_t answer_of(clockid_t clock, int64_t now)
{
	if (rt.is_free) {
		if ((unsigned)clock < CLOCKS)
			answer_parallel(now);
		return now;
	}
	struct rt_thread *self = rt_hot.is_own ? NULL : rt_entered();
	if (!self || rt.is_of_tasks || (unsigned)clock >= CLOCKS)
		return now;
	input_read(RT_INPUT_TIME);
	if (self->name < nof && of[self->name].first) { /* [recorded] */
		const struct answer *a = &answer[of[self->name].first - 1];
		of[self->name].first = a->next;
		behind[clock] = now - a->value;
		return a->value;
	}
	now -= behind[clock]; /* [after] */
	answer_put(now);
	return now;
}

static int clock_read(clockid_t clock, struct timespec *ret)
{
	if (rt_real.clock_gettime)
		return rt_real.clock_gettime(clock, ret);
	long rc = rt_sys(SYS_clock_gettime, clock, (long)ret, 0, 0, 0, 0);
	if (rc == 0)
		return 0;
	errno = (int)-rc;
	return -1;
}

struct timespec rt_answers_now(clockid_t clock)
{
	struct timespec now;
	clock_read(clock, &now);
	return behind[clock] ? timespec_of(nanoseconds(&now) - behind[clock]) : now;
}

void rt_answers_skip(int64_t nanoseconds)
{
	for (int i = 0; i < CLOCKS; i++)
		if (i != CLOCK_PROCESS_CPUTIME_ID && i != CLOCK_THREAD_CPUTIME_ID)
			behind[i] -= nanoseconds;
}

/* [written] Before the call: returns whether to report the write. */
static bool will_write(uintptr_t pc)
{
	return rt_modules_counts(pc) && rt_access_count();
}

static void written(void *at, size_t nbytes, uintptr_t pc)
{
	if (rt_enter())
		rt_access_more((uintptr_t)at, nbytes, true, pc);
}

static int clock_answer(clockid_t clock, struct timespec *ret)
{
	int rc = clock_read(clock, ret);
	if (rc == 0)
		*ret = timespec_of(answer_of(clock, nanoseconds(ret)));
	return rc;
}

RT_EXPORT int clock_gettime(clockid_t clock, struct timespec *ret)
{
	RT_SCOPE;
	const bool is_seen = will_write(RT_CALLER);
	int rc = clock_answer(clock, ret);
	if (rc == 0 && is_seen)
		written(ret, sizeof(*ret), RT_CALLER);
	return rc;
}

RT_EXPORT int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	RT_SCOPE;
	struct timespec now;
	if (zone || !ret)
		return (int)rt_sys(SYS_gettimeofday, (long)ret, (long)zone, 0, 0, 0, 0);
	const bool is_seen = will_write(RT_CALLER);
	clock_answer(CLOCK_REALTIME, &now);
	*ret = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
	if (is_seen)
		written(ret, sizeof(*ret), RT_CALLER);
	return 0;
}

RT_EXPORT time_t time(time_t *ret)
{
	RT_SCOPE;
	struct timespec now;
	const bool is_seen = ret && will_write(RT_CALLER);
	clock_answer(CLOCK_REALTIME, &now);
	if (ret)
		*ret = now.tv_sec;
	if (is_seen)
		written(ret, sizeof(*ret), RT_CALLER);
	return now.tv_sec;
}

RT_EXPORT int timespec_get(struct timespec *ret, int base)
{
	RT_SCOPE;
	if (base != TIME_UTC)
		return 0;
	const bool is_seen = will_write(RT_CALLER);
	clock_answer(CLOCK_REALTIME, ret);
	if (is_seen)
		written(ret, sizeof(*ret), RT_CALLER);
	return base;
}

RT_EXPORT clock_t clock(void)
{
	RT_SCOPE;
	struct timespec now;
	if (clock_answer(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
		return (clock_t)-1;
	return (clock_t)(nanoseconds(&now) / (SECOND / CLOCKS_PER_SEC));
}

RT_EXPORT pid_t getpid(void)
{
	input_read(RT_INPUT_PID);
	return rt_sys_getpid();
}

RT_EXPORT ssize_t getrandom(void *to, size_t n, unsigned flags)
{
	input_read(RT_INPUT_RANDOM);
	long rc = rt_sys(SYS_getrandom, (long)to, (long)n, flags, 0, 0, 0);
	if (rc >= 0)
		return rc;
	errno = (int)-rc;
	return -1;
}
