/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.c - the threads of the parallel runtime: looking for work, sleeping, launch
 *
 * Order.  A worker without a task resumes a ready strand of its own, takes the newest task of
 *         its own, steals the oldest task or a ready strand of another, spins for a moment,
 *         sleeps.
 *
 * Sleep.  A worker announces that it sleeps, then looks for work, then sleeps.  A thread that
 *         makes work looks for sleepers.  One of them must see the other, which takes a fence on
 *         both sides. Creating a task should not pay for one, so the sleeper makes the
 *         processors of all threads execute one (membarrier).  Without that system call it wakes
 *         up by itself now and then.
 *
 *         One worker is called at a time; one that finds work calls the next.  Work that comes
 *         while it wakes up may be overlooked: before it sleeps again it looks at everything, as
 *         above.
 *
 * Deadlock.  Only workers make work.  If all sleep, and there was no work while none of them
 *            woke up, there will never be any.  A sleeper only looks, and takes work after it
 *            has announced that it is awake.
 */
#include "base/pages.h"
#include "task/parallel.h"
#include "task/serial.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_STACK = 1 << 20, LEAST_STACK = 16 << 10, SPINS = 100, YIELD_FROM = 90 };

struct parallel_run snag_run = {.lock = PTHREAD_MUTEX_INITIALIZER};

static __thread struct task_worker *self;

__attribute__((noinline)) struct task_worker *snag_worker_self(void)
{
	__asm__ volatile("" ::: "memory"); /* the compiler must not merge it with an earlier call */
	return self;
}

struct task_worker *snag_worker_in_task(void)
{
	struct task_worker *w = snag_worker_self();
	assert(w && w->now && "outside of snag_launch()");
	assert(!w->is_isolated && "not inside isolated");
	return w;
}

static void futex_wait(_Atomic uint32_t *word, uint32_t seen, const struct timespec *most)
{
	int saved = errno;
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, most, NULL, 0);
	errno = saved;
}

static void futex_wake(_Atomic uint32_t *word, int n)
{
	int saved = errno;
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
	errno = saved;
}

void snag_worker_wake(void)
{
	if (atomic_exchange_explicit(&snag_run.is_called, 1, memory_order_seq_cst))
		return;
	/* Pairs with the load of `alarm` in worker_sleep(). */
	atomic_fetch_add_explicit(&snag_run.alarm, 1, memory_order_release);
	futex_wake(&snag_run.alarm, 1);
}

void snag_run_over(int result)
{
	snag_run.result = result;
	/* Pairs with run_is_over(). */
	atomic_store_explicit(&snag_run.is_over, 1, memory_order_release);
	atomic_fetch_add_explicit(&snag_run.alarm, 1, memory_order_seq_cst);
	futex_wake(&snag_run.alarm, SNAG_MAX_WORKERS);
}

static bool run_is_over(void)
{
	return atomic_load_explicit(&snag_run.is_over, memory_order_acquire);
}

/* Pairs with the release of the thread that made work: a push, or snag_strand_ready(). */
static bool is_work(void)
{
	for (unsigned i = 0; i < snag_run.nworkers; i++) {
		struct task_worker *w = snag_run.worker[i];
		if (!snag_deque_is_empty(&w->deque) ||
		    atomic_load_explicit(&w->nready, memory_order_acquire) > 0)
			return true;
	}
	return false;
}

static void worker_sleep(void)
{
	static const struct timespec now_and_then = {.tv_nsec = 1000000};
	/* All sequentially consistent: `sleepers` and `is_called` are written before work is
	 * looked for, see Sleep and Deadlock above. */
	uint32_t seen = atomic_load_explicit(&snag_run.alarm, memory_order_acquire);
	uint64_t mine = atomic_fetch_add_explicit(&snag_run.sleepers, 1, memory_order_seq_cst) + 1;
	atomic_store_explicit(&snag_run.is_called, 0, memory_order_seq_cst);
	if (snag_run.has_membarrier)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	if (!is_work() && !run_is_over()) {
		if ((uint32_t)mine == snag_run.nworkers &&
		    atomic_load_explicit(&snag_run.sleepers, memory_order_seq_cst) == mine)
			snag_run_over(SNAG_DEADLOCK);
		else
			futex_wait(&snag_run.alarm, seen,
				   snag_run.has_membarrier ? NULL : &now_and_then);
	}
	atomic_store_explicit(&snag_run.is_called, 0, memory_order_seq_cst);
	/* One worker fewer sleeps, and one more has woken up. */
	atomic_fetch_add_explicit(&snag_run.sleepers, ((uint64_t)1 << 32) - 1,
				  memory_order_seq_cst);
}

static uint64_t worker_random(struct task_worker *w) /* xorshift64 */
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

/* Tries each other worker once; returns whether it found work, which is then done. */
static bool worker_steal(struct task_worker *w)
{
	unsigned n = snag_run.nworkers, start = (unsigned)(worker_random(w) % n);
	for (unsigned i = 0; i < n; i++) {
		struct task_worker *victim = snag_run.worker[(start + i) % n];
		if (victim == w)
			continue;
		struct async_task *task = snag_deque_steal(&victim->deque);
		struct strand *strand = task ? NULL : snag_strand_take_ready(victim);
		if (!task && !strand)
			continue;
		if (!snag_deque_is_empty(&victim->deque))
			snag_worker_call();
		if (strand)
			snag_strand_resume(w, strand);
		snag_async_run(w, task);
		return true;
	}
	return false;
}

void snag_strand_loop(void)
{
	for (int spins = 0;; spins++) {
		struct task_worker *w = snag_worker_self();
		struct strand *strand = snag_strand_take_ready(w);
		if (strand)
			snag_strand_resume(w, strand);
		struct async_task *task = snag_deque_pop(&w->deque);
		if (task) {
			snag_async_run(w, task);
			spins = 0;
		} else if (run_is_over()) {
			snag_strand_exit(w);
		} else if (worker_steal(w)) {
			spins = 0;
		} else if (spins > SPINS) {
			worker_sleep();
			spins = 0;
		} else if (spins > YIELD_FROM) {
			sched_yield();
		}
	}
}

static unsigned workers_wanted(const struct snag_launch_options *options)
{
	long n = options->workers;
	const char *text = getenv("SNAG_WORKERS");
	cpu_set_t set;
	if (n == 0 && text)
		n = strtol(text, NULL, 10);
	if (n <= 0)
		n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
	return n > SNAG_MAX_WORKERS ? SNAG_MAX_WORKERS : (unsigned)n;
}

static struct task_worker *worker_ready(unsigned number)
{
	struct task_worker *w = snag_run.worker[number];
	if (!w) {
		w = snag_pages_map(sizeof(*w));
		if (!w)
			return NULL;
		snag_run.worker[number] = w;
	}
	w->number = number;
	w->random = 88172645463325252u + number;
	w->now = NULL;
	w->unused = w->ready = NULL;
	w->nunused = 0;
	atomic_store(&w->nready, 0);
	while (snag_deque_pop(&w->deque)) /* left by a deadlock */
		;
	return w;
}

static void *worker_main(void *arg)
{
	self = arg;
	snag_strand_begin(arg);
	return NULL;
}

static int run_start(const struct snag_launch_options *options, snag_task_function *function,
		     void *arg)
{
	size_t nbytes = options->stack_bytes ? options->stack_bytes : DEFAULT_STACK;
	snag_stacks_init(&snag_run.stacks, nbytes < LEAST_STACK ? LEAST_STACK : nbytes);
	snag_pool_init(&snag_run.strand_pool, sizeof(struct strand));
	snag_run.nworkers = workers_wanted(options);
	snag_run.has_membarrier =
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
	for (unsigned i = 0; i < snag_run.nworkers; i++)
		if (!worker_ready(i))
			return SNAG_NO_MEMORY;
	atomic_store(&snag_run.is_over, 0);
	atomic_store(&snag_run.sleepers, 0);
	atomic_store(&snag_run.is_called, 0);
	snag_run.all = (struct snag_scope){.balance = 1};

	struct async_task *first = snag_record_new(snag_run.worker[0], sizeof(*first));
	*first = (struct async_task){function, arg, &snag_run.all, &snag_run.all};
	snag_deque_push(&snag_run.worker[0]->deque, first);
	return 0;
}

int snag_launch_from(const void *place, const struct snag_launch_options *options,
		     snag_task_function *function, void *arg)
{
	assert(!self && !snag_serial && "snag_launch() inside a task");
	if (snag_serial_is_wanted())
		return snag_serial_launch(options, function, arg, place);

	static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&one_at_a_time);
	int saved = errno, result = run_start(options, function, arg);
	unsigned started = 1;
	if (result == 0) {
		for (; started < snag_run.nworkers; started++) {
			struct task_worker *w = snag_run.worker[started];
			if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
				break;
		}
		snag_run.nworkers = started;
		worker_main(snag_run.worker[0]);
		self = NULL;
		while (started > 1)
			pthread_join(snag_run.worker[--started]->thread, NULL);
		result = snag_run.result;
		snag_strands_done();
	}
	errno = saved;
	pthread_mutex_unlock(&one_at_a_time);
	return result;
}

int snag_launch_with(const struct snag_launch_options *options, snag_task_function *function,
		     void *arg)
{
	return snag_launch_from(__builtin_return_address(0), options, function, arg);
}

int snag_launch(snag_task_function *function, void *arg)
{
	return snag_launch_from(__builtin_return_address(0), &(struct snag_launch_options){0},
				function, arg);
}

unsigned snag_run_workers(void)
{
	return snag_serial ? 1 : snag_run.nworkers;
}

unsigned snag_workers(void)
{
	if (snag_serial_called())
		snag_serial_obstacle(SNAG_TASK_OBSTACLE_THREAD_COUNT);
	return snag_run_workers();
}

unsigned snag_worker_number(void)
{
	if (snag_serial_called())
		snag_serial_obstacle(SNAG_TASK_OBSTACLE_THREAD_NUMBER);
	struct task_worker *w = snag_worker_self();
	return w ? w->number : 0;
}
