/* SPDX-License-Identifier: Apache-2.0
 *
 * test_parallel.c - <snag/task.h> on several workers: kernels, pipelines, limits
 *
 * Tasks run on other threads and stacks than the test: they only count and compute,
 * the test asserts afterwards.
 */
#include "unit.h"

#include "child.h"
#include <snag/task.h>

#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>

static const unsigned worker_counts[] = {1, 2, 4, 7};

/* Runs with each number of workers. */
static void launch_all(snag_task_function *function, void *arg, int expected)
{
	for (size_t i = 0; i < sizeof(worker_counts) / sizeof(*worker_counts); i++) {
		struct snag_launch_options options = {.workers = worker_counts[i]};
		assert_int_equal(snag_launch_with(&options, function, arg), expected);
	}
}

struct fib {
	long n, result;
};

static void fib_spawn(void *arg)
{
	struct fib *f = arg, a = {.n = f->n - 1}, b = {.n = f->n - 2};
	f->result = f->n;
	if (f->n < 2)
		return;
	snag_spawn(fib_spawn, &a);
	snag_spawn(fib_spawn, &b);
	snag_sync();
	f->result = a.result + b.result;
}

static void fib_finish(void *arg)
{
	struct fib *f = arg, a = {.n = f->n - 1}, b = {.n = f->n - 2};
	f->result = f->n;
	if (f->n < 2)
		return;
	snag_finish
	{
		snag_async(fib_finish, &a);
		snag_async(fib_finish, &b);
	}
	f->result = a.result + b.result;
}

static void *fib_value(void *arg)
{
	long n = *(long *)arg;
	if (n < 2)
		return (void *)n;
	long n1 = n - 1, n2 = n - 2;
	struct snag_promise *a = snag_future_copy(fib_value, &n1, sizeof(n1));
	struct snag_promise *b = snag_future_copy(fib_value, &n2, sizeof(n2));
	long sum = (long)snag_promise_get(a) + (long)snag_promise_get(b);
	snag_promise_free(a);
	snag_promise_free(b);
	return (void *)sum;
}

static void fib_future(void *arg)
{
	struct fib *f = arg;
	f->result = (long)fib_value(&f->n);
}

static void fib_three_ways(void **state)
{
	snag_task_function *const ways[] = {fib_spawn, fib_finish, fib_future};
	for (int i = 0; i < 3; i++) {
		struct fib f = {.n = i == 2 ? 16 : 20};
		launch_all(ways[i], &f, 0);
		assert_int_equal(f.result, i == 2 ? 987 : 6765);
	}
}

enum { QUEENS = 8 };

struct board {
	int n;
	signed char column[QUEENS];
};

static atomic_long solutions;

static void queens(void *arg)
{
	const struct board *board = arg;
	if (board->n == QUEENS) {
		atomic_fetch_add(&solutions, 1);
		return;
	}
	for (int c = 0; c < QUEENS; c++) {
		struct board next = *board;
		int i = 0;
		while (i < next.n && next.column[i] != c && abs(next.column[i] - c) != next.n - i)
			i++;
		if (i < next.n)
			continue;
		next.column[next.n++] = (signed char)c;
		snag_async_copy(queens, &next, sizeof(next));
	}
}

static void eight_queens_have_92_solutions(void **state)
{
	struct board empty = {0};
	atomic_store(&solutions, 0);
	launch_all(queens, &empty, 0);
	assert_int_equal(atomic_load(&solutions), 92 * 4);
}

enum { NUMBERS = 50000 };

struct part {
	int *from, *scratch;
	size_t n;
};

static void merge_sort(void *arg)
{
	struct part *p = arg;
	if (p->n < 2)
		return;
	size_t half = p->n / 2;
	struct part low = {p->from, p->scratch, half};
	struct part high = {p->from + half, p->scratch + half, p->n - half};
	snag_spawn(merge_sort, &low);
	merge_sort(&high);
	snag_sync();
	size_t a = 0, b = half;
	for (size_t i = 0; i < p->n; i++)
		p->scratch[i] = b == p->n || (a < half && p->from[a] <= p->from[b]) ? p->from[a++]
										    : p->from[b++];
	memcpy(p->from, p->scratch, p->n * sizeof(int));
}

static void sort_random(void *arg)
{
	struct part *p = arg;
	for (size_t i = 0; i < p->n; i++)
		p->from[i] = (int)(i * 2654435761u >> 3);
	merge_sort(p);
}

static void numbers_are_sorted(void **state)
{
	static int numbers[NUMBERS], scratch[NUMBERS];
	struct part all = {numbers, scratch, NUMBERS};
	for (int round = 0; round < 2; round++) {
		launch_all(sort_random, &all, 0);
		for (size_t i = 1; i < NUMBERS; i++)
			assert_true(numbers[i - 1] <= numbers[i]);
	}
}

enum { STAGES = 20, ITEMS = 200 };

static struct snag_promise pipe_promise[STAGES + 1][ITEMS];

static void stage(void *arg)
{
	size_t s = *(size_t *)arg;
	for (int i = 0; i < ITEMS; i++) {
		long value = (long)snag_promise_get(&pipe_promise[s][i]);
		snag_promise_set(&pipe_promise[s + 1][i], (void *)(value + 1));
	}
}

static void pipeline(void *arg)
{
	long *sum = arg;
	memset(pipe_promise, 0, sizeof(pipe_promise)); /* which initialises them */
	snag_finish
	{
		for (size_t s = STAGES; s > 0; s--) {
			size_t number = s - 1;
			snag_async_copy(stage, &number, sizeof(number));
		}
		for (long i = 0; i < ITEMS; i++)
			snag_promise_set(&pipe_promise[0][i], (void *)i);
	}
	*sum = 0;
	for (int i = 0; i < ITEMS; i++)
		*sum += (long)snag_promise_get(&pipe_promise[STAGES][i]);
}

static void a_pipeline_of_promises(void **state)
{
	long sum = 0;
	for (int round = 0; round < 20; round++) {
		launch_all(pipeline, &sum, 0);
		assert_int_equal(sum, ITEMS * (ITEMS - 1) / 2 + STAGES * ITEMS);
	}
}

static struct snag_promise *one;
static atomic_int woken;

static void wait_for_one(void *arg)
{
	atomic_fetch_add(&woken, (int)(long)snag_promise_get(one));
}

static void one_for_many(void *arg)
{
	int *second = arg;
	one = snag_promise_new();
	snag_finish
	{
		for (int i = 0; i < 1000; i++)
			snag_async(wait_for_one, NULL);
		snag_promise_set(one, (void *)1);
		*second = snag_promise_set(one, (void *)2);
	}
	snag_promise_free(one);
}

static void a_promise_is_set_once_for_all(void **state)
{
	int second = 0;
	atomic_store(&woken, 0);
	launch_all(one_for_many, &second, 0);
	assert_true(second < 0);
	assert_int_equal(atomic_load(&woken), 4000);
}

static long counter; /* plain: isolated protects it */

static void count_isolated(void *arg)
{
	for (int i = 0; i < 100; i++)
		snag_isolated
		{
			counter++;
		}
}

static void count_by_many(void *arg)
{
	for (int i = 0; i < 100; i++)
		snag_async(count_isolated, NULL);
}

static void isolated_blocks_exclude_each_other(void **state)
{
	counter = 0;
	launch_all(count_by_many, NULL, 0);
	assert_int_equal(counter, 4 * 10000);
}

static atomic_int ended;

static void end_late(void *arg)
{
	if (arg)
		snag_promise_get(arg);
	atomic_fetch_add(&ended, 1);
}

static void frames(void *arg)
{
	int *seen = arg;
	struct snag_promise late = {0};
	atomic_store(&ended, 0);
	snag_spawn(end_late, &late);
	snag_frame
	{
		snag_spawn(end_late, NULL);
		snag_sync(); /* for the second only: the first waits */
		seen[0] = atomic_load(&ended);
	}
	snag_finish
	{
		snag_spawn(end_late, NULL);
	} /* the same */
	seen[1] = atomic_load(&ended);
	snag_promise_set(&late, NULL);
	snag_sync();
	seen[2] = atomic_load(&ended);
}

static void sync_waits_for_its_frame_only(void **state)
{
	int seen[3];
	for (int round = 0; round < 50; round++) {
		launch_all(frames, seen, 0);
		assert_int_equal(seen[0], 1);
		assert_int_equal(seen[1], 2);
		assert_int_equal(seen[2], 3);
	}
}

static atomic_long many;

static void count_one(void *arg)
{
	atomic_fetch_add(&many, 1);
}

static void flat(void *arg)
{
	for (int i = 0; i < 300000; i++)
		snag_async(count_one, NULL);
}

static void many_tasks_of_one_creator_cost_little_memory(void **state)
{
	struct rusage before, after;
	getrusage(RUSAGE_SELF, &before);
	atomic_store(&many, 0);
	launch_all(flat, NULL, 0);
	getrusage(RUSAGE_SELF, &after);
	assert_int_equal(atomic_load(&many), 4 * 300000);
	assert_true(after.ru_maxrss - before.ru_maxrss < 20000); /* KiB; 1.2 M tasks */
}

static void nest(void *arg)
{
	long left = *(long *)arg - 1;
	atomic_fetch_add(&many, 1);
	if (left > 0) {
		snag_spawn(nest, &left);
		snag_sync();
	}
}

static void recursion_goes_deep(void **state)
{
	long depth = 100000;
	atomic_store(&many, 0);
	launch_all(nest, &depth, 0);
	assert_int_equal(atomic_load(&many), 4 * 100000);
}

static void large_argument(void *arg)
{
	const unsigned char *bytes = arg;
	long sum = 0;
	for (int i = 0; i < 200000; i++)
		sum += bytes[i];
	atomic_fetch_add(&many, sum);
}

static void large_arguments(void *arg)
{
	for (int i = 0; i < 10; i++) {
		memset(arg, i, 200000);
		snag_async_copy(large_argument, arg, 200000);
	}
}

static void arguments_may_be_large(void **state)
{
	static unsigned char bytes[200000];
	atomic_store(&many, 0);
	launch_all(large_arguments, bytes, 0);
	assert_int_equal(atomic_load(&many), 4 * 45 * 200000l);
}

static void wait_forever(void *arg)
{
	snag_promise_get(arg);
}

static void deadlock(void *arg)
{
	static struct snag_promise never;
	snag_promise_init(&never);
	for (int i = 0; i < 100; i++)
		snag_async(wait_forever, &never);
	snag_finish
	{
		snag_async(wait_forever, &never);
	}
}

static void a_deadlock_ends_the_launch(void **state)
{
	struct fib f = {.n = 10};
	for (int round = 0; round < 10; round++) {
		launch_all(deadlock, NULL, SNAG_DEADLOCK);
		launch_all(fib_finish, &f, 0); /* nothing is left of it */
		assert_int_equal(f.result, 55);
	}
}

static void ask_workers(void *arg)
{
	*(unsigned *)arg = snag_workers() * 100 + (snag_worker_number() < snag_workers());
}

static void workers_as_asked_for(void **state)
{
	unsigned answer = 0;
	setenv("SNAG_WORKERS", "3", 1);
	assert_int_equal(snag_launch(ask_workers, &answer), 0);
	unsetenv("SNAG_WORKERS");
	assert_int_equal(answer, 301);
}

static void async_in_isolated(void *arg)
{
	snag_isolated_begin();
	snag_async(count_one, NULL);
}

static void set_in_isolated(void *arg)
{
	struct snag_promise p = {0};
	snag_isolated_begin();
	snag_promise_set(&p, NULL);
}

static void isolated_in_isolated(void *arg)
{
	snag_isolated_begin();
	snag_isolated_begin();
}

static void end_in_finish(void *arg)
{
	snag_finish_begin();
}

static void frame_for_finish(void *arg)
{
	snag_finish_begin();
	snag_frame_end();
}

static void launch_in_task(void *arg)
{
	snag_launch(count_one, NULL);
}

static void launch_in_child(void *arg)
{
	snag_task_function *const *function = arg;
	snag_launch(*function, NULL);
}

static void async_outside(void *arg)
{
	snag_async(count_one, NULL);
}

static void misuse_is_a_failed_assertion(void **state)
{
	snag_task_function *functions[] = {async_in_isolated,	 set_in_isolated,
					   isolated_in_isolated, end_in_finish,
					   frame_for_finish,	 launch_in_task};
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		assert_int_equal(in_child(launch_in_child, &functions[i]), SIGABRT);
	assert_int_equal(in_child(async_outside, NULL), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_tasks_of_one_creator_cost_little_memory),
		cmocka_unit_test(fib_three_ways),
		cmocka_unit_test(eight_queens_have_92_solutions),
		cmocka_unit_test(numbers_are_sorted),
		cmocka_unit_test(a_pipeline_of_promises),
		cmocka_unit_test(a_promise_is_set_once_for_all),
		cmocka_unit_test(isolated_blocks_exclude_each_other),
		cmocka_unit_test(sync_waits_for_its_frame_only),
		cmocka_unit_test(recursion_goes_deep),
		cmocka_unit_test(arguments_may_be_large),
		cmocka_unit_test(a_deadlock_ends_the_launch),
		cmocka_unit_test(workers_as_asked_for),
		cmocka_unit_test(misuse_is_a_failed_assertion),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
