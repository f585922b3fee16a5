/* SPDX-License-Identifier: Apache-2.0
 *
 * test_hclib.c - programs as they are written for hclib
 */
#include "unit.h"

#include <snag/hclib/hclib_atomic.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { N = 60 };

static atomic_int hits[N][N][N];
static atomic_int order, at_first, at_second;
static long answer;

static void first(void *arg)
{
	atomic_store(&at_first, atomic_fetch_add(&order, 1) + 1);
	hclib_promise_put(arg, (void *)40);
}

static void second(void *arg)
{
	atomic_store(&at_second, atomic_fetch_add(&order, 1) + 1);
}

static void *plus_two(void *arg)
{
	return (void *)((long)hclib_future_get(arg) + 2);
}

static void note(void *arg)
{
	*(atomic_int *)arg = 1;
}

/* One worker: whoever waits without saying so must let the others run. */
static void until_noted(void *arg)
{
	atomic_int noted[3] = {0};
	hclib_yield(NULL);
	for (int i = 0; i < 3; i++)
		hclib_async(note, &noted[i], NO_FUTURE, 0, ANY_PLACE);
	for (int i = 2; i >= 0; i--)
		while (!noted[i])
			hclib_yield(NULL);
	answer = 1;
}

static void yields(void **state)
{
	setenv("SNAG_WORKERS", "1", 1);
	answer = 0;
	hclib_launch(until_noted, NULL, NULL, 0);
	unsetenv("SNAG_WORKERS");
	assert_int_equal(answer, 1);
}

/* Tasks of a finish that is left wait for a promise put after that; the future for them, and for
 * theirs, but not for those created later. */
static hclib_promise_t *gate;
static atomic_int behind, inner_done;

static void below_gate(void *arg)
{
	atomic_fetch_add(&behind, 1);
}

static void at_gate(void *arg)
{
	hclib_future_wait(&gate->future);
	hclib_start_finish();
	hclib_async(note, &inner_done, NO_FUTURE, 0, ANY_PLACE);
	hclib_end_finish_nonblocking(); /* this task ends first */
	hclib_async(below_gate, NULL, NO_FUTURE, 0, ANY_PLACE);
}

static void after_event(void *arg)
{
	hclib_future_wait(arg);
	answer = atomic_load(&behind);
}

static void leaves(void *arg)
{
	gate = hclib_promise_create();
	hclib_start_finish();
	hclib_start_finish();
	for (int i = 0; i < N; i++)
		hclib_async(at_gate, NULL, NO_FUTURE, 0, ANY_PLACE);
	hclib_future_t *event = hclib_end_finish_nonblocking();
	hclib_async(after_event, event, NO_FUTURE, 0, ANY_PLACE); /* not waited for by it */
	assert_int_equal(atomic_load(&behind), 0);
	hclib_promise_put(gate, NULL);
	hclib_end_finish();
	assert_true(hclib_future_is_satisfied(event));
	hclib_promise_free(event->owner);
	hclib_promise_free(gate);
}

static void a_finish_is_left_without_waiting(void **state)
{
	for (int i = 0; i < 20; i++) {
		atomic_store(&behind, 0);
		atomic_store(&inner_done, 0);
		answer = 0;
		hclib_launch(leaves, NULL, NULL, 0);
		assert_int_equal(answer, N);
		assert_int_equal(atomic_load(&inner_done), 1);
	}
}

static void dataflow(void *arg)
{
	hclib_promise_t own, **n = hclib_promise_create_n(3, 1), *p = n[0];
	hclib_promise_init(&own);
	assert_null(n[2]);
	hclib_start_finish();
	hclib_future_t *futures[] = {hclib_get_future_for_promise(p), NULL, &n[1]->future};
	hclib_async(second, NULL, futures, 3, ANY_PLACE);
	hclib_future_t *sum = hclib_async_future(plus_two, futures[0], futures, 1, ANY_PLACE);
	hclib_async(first, p, NO_FUTURE, 0, ANY_PLACE);
	hclib_promise_put(n[1], NULL);
	hclib_end_finish();

	answer = (long)hclib_future_wait(sum) + !hclib_future_is_satisfied(&own.future);
	hclib_promise_free(sum->owner);
	hclib_promise_free_n(n, 3, 1);
}

static void tasks_begin_after_their_futures(void **state)
{
	const char *deps[] = {"system"};
	for (int i = 0; i < 50; i++) {
		atomic_store(&order, 0);
		hclib_launch(dataflow, NULL, deps, 1);
		assert_int_equal(atomic_load(&order), 2);
		assert_true(atomic_load(&at_first) < atomic_load(&at_second));
		assert_int_equal(answer, 43);
	}
}

/* Memory comes from tasks that one waits for; a copy waits for its source. */
static void at_locales(void *arg)
{
	hclib_locale_t *here = hclib_get_all_locales();
	assert_int_equal(hclib_get_num_locales(), 1);
	assert_ptr_equal(hclib_get_closest_locale(), here);
	hclib_future_t *made[] = {hclib_allocate_at(30, here), hclib_allocate_at(50, here)};
	char *first = hclib_future_wait(made[0]);
	hclib_future_t *set = hclib_memset_at(first, 'x', 30, here);
	hclib_future_wait(set);
	hclib_future_t *grown = hclib_reallocate_at(first, 50, here);
	memset((char *)hclib_future_wait(grown) + 30, 'y', 20);
	char *second = hclib_future_wait(made[1]);
	hclib_future_t *copy = hclib_async_copy(here, second, here,
						HCLIB_ASYNC_COPY_USE_FUTURE_AS_SRC, 50, &grown, 1);
	hclib_future_wait(copy);
	answer = second[29] == 'x' && second[49] == 'y';
	hclib_free_at(hclib_future_get(grown), here);
	hclib_free_at(second, here);
	hclib_future_t *all[] = {made[0], made[1], set, grown, copy};
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		hclib_promise_free(all[i]->owner);
}

static void memory_is_at_locales(void **state)
{
	answer = 0;
	hclib_launch(at_locales, NULL, NULL, 0);
	assert_int_equal(answer, 1);
}

static void sum_init(void *value, void *data)
{
	*(long *)value = (long)data;
}

static void sum_add(void *value, void *data)
{
	*(long *)value += (long)data;
}

static void sum_gather(void *into, void *value, void *data)
{
	*(long *)into += *(long *)value;
}

static void add_one(void *arg)
{
	hclib_atomic_update(arg, sum_add, (void *)1);
}

static void sums(void *arg)
{
	hclib_atomic_t *atomic = hclib_atomic_create(sizeof(long), sum_init, (void *)0);
	hclib_start_finish();
	for (int i = 0; i < 10000; i++)
		hclib_async(add_one, atomic, NO_FUTURE, 0, ANY_PLACE);
	hclib_end_finish();
	long *sum = hclib_atomic_gather(atomic, sum_gather, NULL);
	answer = *sum;
	free(sum);
	free(atomic->vals);
	free(atomic);
}

static void atomics_add_up(void **state)
{
	setenv("SNAG_WORKERS", "4", 1);
	hclib_launch(sums, NULL, NULL, 0);
	unsetenv("SNAG_WORKERS");
	assert_int_equal(answer, 10000);
}

static void hit1(void *arg, int i)
{
	atomic_fetch_add(&hits[i][0][0], 1);
}

static void hit2(void *arg, int i, int j)
{
	atomic_fetch_add(&hits[i][j][0], 1);
}

static void hit3(void *arg, int i, int j, int k)
{
	atomic_fetch_add(&hits[i][j][k], 1);
}

struct loop {
	int dim, mode;
	bool by_future;
	hclib_loop_domain_t domain[3];
};

static void loop_in_finish(void *arg)
{
	static void *const bodies[] = {(void *)hit1, (void *)hit2, (void *)hit3};
	struct loop *loop = arg;
	void *body = bodies[loop->dim - 1];
	if (loop->by_future) {
		hclib_future_t *done =
			hclib_forasync_future(body, NULL, loop->dim, loop->domain, loop->mode);
		hclib_future_wait(done);
		hclib_promise_free(done->owner);
		return;
	}
	hclib_start_finish();
	hclib_forasync(body, NULL, loop->dim, loop->domain, loop->mode);
	hclib_end_finish();
}

static bool is_in(const struct loop *loop, int dim, int i)
{
	const hclib_loop_domain_t *d = &loop->domain[dim];
	if (dim >= loop->dim)
		return i == 0;
	return i >= d->low && i < d->high && (i - d->low) % d->stride == 0;
}

static void loops_call_their_body_once_for_each_element(void **state)
{
	static const hclib_loop_domain_t domain[][3] = {
		{{0, N, 1, 7}, {3, 50, 4, 1}, {5, 6, 1, 100}},
		{{1, N, 3, -1}, {0, 59, 2, 3}, {0, N, 9, 2}},
		{{10, 10, 1, 1}, {0, 5, 1, 1}, {0, 5, 1, 1}},
	};
	for (int test = 0; test < 36; test++) {
		struct loop loop = {
			.dim = test % 3 + 1, .mode = test / 3 % 2, .by_future = test >= 18};
		memcpy(loop.domain, domain[test / 6 % 3], sizeof(loop.domain));
		memset(hits, 0, sizeof(hits));
		hclib_launch(loop_in_finish, &loop, NULL, 0);
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++)
				for (int k = 0; k < N; k++)
					if (hits[i][j][k] !=
					    (is_in(&loop, 0, i) && is_in(&loop, 1, j) &&
					     is_in(&loop, 2, k)))
						fail_msg("test %d: [%d][%d][%d]", test, i, j, k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_begin_after_their_futures),
		cmocka_unit_test(yields),
		cmocka_unit_test(a_finish_is_left_without_waiting),
		cmocka_unit_test(memory_is_at_locales),
		cmocka_unit_test(atomics_add_up),
		cmocka_unit_test(loops_call_their_body_once_for_each_element),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
