/* SPDX-License-Identifier: Apache-2.0
 *
 * test_task.c - tasks depth first: who runs when, deadlock, stop, millions of them
 */
#include "unit.h"

#include "child.h"
#include "task/task.h"

#include <string.h>
#include <sys/resource.h>

static struct snag_tasks *ts;
static char log_text[4096];
static uint32_t p, q, r;

static void hear(void *ctx, uint8_t op, snag_tid task, uint32_t target)
{
	size_t used = strlen(log_text);
	const struct snag_op_info *info = &snag_op_info[op];
	if (info->space == SNAG_SPACE_NONE)
		snprintf(log_text + used, sizeof(log_text) - used, "%u %s; ", task, info->text);
	else
		snprintf(log_text + used, sizeof(log_text) - used, "%u %s %u; ", task, info->text,
			 target);
}

static enum snag_tasks_end run(snag_task_body *body)
{
	struct snag_tasks_options options = {.event = hear};
	log_text[0] = 0;
	ts = snag_tasks_new(&options);
	assert_non_null(ts);
	return snag_tasks_run(ts, body, NULL);
}

static void runs(snag_task_body *body, const char *expected)
{
	assert_int_equal(run(body), SNAG_TASKS_DONE);
	assert_string_equal(log_text, expected);
	snag_tasks_free(ts);
}

static void nothing(void *arg)
{
}

static void nested(void *arg)
{
	snag_task_async(ts, nothing, NULL);
}

static void two_children(void *arg)
{
	assert_int_equal(snag_task_async(ts, nested, NULL), 1);
	assert_int_equal(snag_task_async(ts, nothing, NULL), 3);
	assert_int_equal(snag_task_self(ts), 0);
}

static void a_child_runs_at_once(void **state)
{
	runs(two_children, "0 async 1; 1 async 2; 2 taskend; 1 taskend; "
			   "0 async 3; 3 taskend; 0 taskend; ");
}

static void get_p(void *arg)
{
	snag_task_promise_get(ts, p);
}

static void get_p_then_q(void *arg)
{
	snag_task_promise_get(ts, p);
	snag_task_promise_get(ts, q);
}

static void set_p(void *arg)
{
	assert_int_equal(snag_task_promise_set(ts, p), 0);
}

static void promises_new(void)
{
	p = snag_task_promise_new(ts);
	q = snag_task_promise_new(ts);
	r = snag_task_promise_new(ts);
	assert_int_equal(r, 2);
}

static void waiters_in_order(void *arg)
{
	promises_new();
	snag_task_async(ts, get_p, NULL);
	snag_task_async(ts, get_p, NULL);
	assert_false(snag_task_promise_is_set(ts, p));
	set_p(NULL);
	assert_true(snag_task_promise_is_set(ts, p));
	assert_true(snag_task_promise_set(ts, p) < 0);
	get_p(NULL);
}

static void those_that_wait_go_on_in_order_before_the_setter(void **state)
{
	runs(waiters_in_order, "0 async 1; 0 async 2; 0 set 0; 1 get 0; 1 taskend; 2 get 0; "
			       "2 taskend; 0 get 0; 0 taskend; ");
}

static void blocks_again(void *arg)
{
	promises_new();
	snag_task_async(ts, get_p_then_q, NULL);
	snag_task_async(ts, set_p, NULL);
	snag_task_promise_set(ts, q);
}

/* If the blocked task 1 gave control to its parent 0, then 0 would go on before 2 ended. */
static void a_task_that_blocks_again_returns_to_who_resumed_it(void **state)
{
	runs(blocks_again, "0 async 1; 0 async 2; 2 set 0; 1 get 0; 2 taskend; 0 set 1; "
			   "1 get 1; 1 taskend; 0 taskend; ");
}

static void finish_around_get(void *arg)
{
	snag_task_finish_begin(ts);
	snag_task_async(ts, get_p, NULL);
	snag_task_finish_end(ts);
}

static void finish_blocks(void *arg)
{
	promises_new();
	snag_task_async(ts, finish_around_get, NULL);
	snag_task_async(ts, set_p, NULL);
}

static void the_last_task_of_a_finish_runs_its_owner(void **state)
{
	runs(finish_blocks,
	     "0 async 1; 1 finish; 1 async 2; 0 async 3; 3 set 0; 2 get 0; 2 taskend; "
	     "1 finishend; 1 taskend; 3 taskend; 0 taskend; ");
}

static void frames(void *arg)
{
	promises_new();
	snag_task_spawn(ts, get_p, NULL);
	snag_task_frame_begin(ts);
	snag_task_spawn(ts, nothing, NULL);
	snag_task_sync(ts); /* of its own frame only */
	snag_task_frame_end(ts);
	set_p(NULL);
	snag_task_sync(ts);
}

static void sync_waits_for_the_tasks_of_its_frame(void **state)
{
	runs(frames, "0 spawn 1; 0 frame; 0 spawn 2; 2 taskend; 0 sync; 0 frameend; 0 set 0; "
		     "1 get 0; 1 taskend; 0 sync; 0 taskend; ");
}

static void spawns_and_syncs(void *arg)
{
	snag_task_spawn(ts, get_p, NULL);
	snag_task_sync(ts);
}

static void spawns_and_leaves(void *arg)
{
	snag_task_frame_begin(ts);
	snag_task_spawn(ts, get_p, NULL);
	snag_task_frame_end(ts);
	snag_task_spawn(ts, get_p, NULL);
}

static void left_frames(void *arg)
{
	promises_new();
	snag_task_async(ts, spawns_and_syncs, NULL);
	snag_task_async(ts, spawns_and_leaves, NULL);
	set_p(NULL);
}

static void a_frame_may_be_left_before_its_tasks(void **state)
{
	runs(left_frames,
	     "0 async 1; 1 spawn 2; 0 async 3; 3 frame; 3 spawn 4; 3 frameend; 3 spawn 5; "
	     "3 taskend; 0 set 0; 2 get 0; 2 taskend; 1 sync; 1 taskend; 4 get 0; "
	     "4 taskend; 5 get 0; 5 taskend; 0 taskend; ");
}

static void isolated(void *arg)
{
	snag_task_isolated_begin(ts);
	snag_task_isolated_end(ts);
}

static void isolated_is_told(void **state)
{
	runs(isolated, "0 iso; 0 isoend; 0 taskend; ");
}

static void spawns_the_finish(void *arg)
{
	snag_task_spawn(ts, finish_around_get, NULL);
	snag_task_sync(ts);
}

static void deadlocks(void *arg)
{
	promises_new();
	snag_task_async(ts, spawns_the_finish, NULL);
	snag_task_promise_get(ts, r);
	set_p(NULL); /* not reached */
}

static void a_deadlock_names_who_waits_for_what(void **state)
{
	static const struct snag_waiting expected[] = {{0, SNAG_WAIT_PROMISE, 2},
						       {1, SNAG_WAIT_SYNC, 2},
						       {2, SNAG_WAIT_FINISH, 3},
						       {3, SNAG_WAIT_PROMISE, 0}};
	struct snag_waiting got[4], chain[4];
	assert_int_equal(run(deadlocks), SNAG_TASKS_DEADLOCK);
	assert_int_equal(snag_tasks_waiting(ts, NULL, 0), 4);
	assert_int_equal(snag_tasks_waiting(ts, got, 4), 4);
	assert_memory_equal(got, expected, sizeof(got));
	assert_int_equal(snag_tasks_stats(ts).blocked, 4);

	assert_int_equal(snag_waiting_chain(got, 4, 1, chain, 4), 3);
	assert_memory_equal(chain, expected + 1, 3 * sizeof(chain[0]));
	assert_int_equal(snag_waiting_chain(got, 4, 0, chain, 0), 1);
	assert_int_equal(snag_waiting_chain(got, 4, 9, chain, 4), 0);
	snag_tasks_free(ts);
}

static void first_ends(void *arg)
{
	promises_new();
	snag_task_async(ts, get_p, NULL);
}

static void the_end_of_task_0_is_not_that_of_the_run(void **state)
{
	assert_int_equal(run(first_ends), SNAG_TASKS_DEADLOCK);
	assert_int_equal(snag_tasks_waiting(ts, NULL, 0), 1);
	snag_tasks_free(ts);
}

static void stops(void *arg)
{
	snag_tasks_stop(ts);
}

static void child_stops(void *arg)
{
	promises_new();
	snag_task_async(ts, get_p, NULL);
	snag_task_async(ts, stops, NULL);
}

static void a_stop_abandons_all(void **state)
{
	assert_int_equal(run(child_stops), SNAG_TASKS_STOPPED);
	assert_string_equal(log_text, "0 async 1; 0 async 2; ");
	snag_tasks_free(ts);
}

static enum snag_tasks_end run_silently(snag_task_body *body, void *arg)
{
	struct snag_tasks_options options = {0};
	ts = snag_tasks_new(&options);
	assert_non_null(ts);
	return snag_tasks_run(ts, body, arg);
}

static void many_wait(void *arg)
{
	int n = *(int *)arg;
	p = snag_task_promise_new(ts);
	for (int i = 0; i < n; i++)
		snag_task_async(ts, get_p, NULL);
	set_p(NULL);
}

/* More stacks than a process may have mappings, all in use at a time, twice. */
static void tens_of_thousands_wait(void **state)
{
	int n = 40000;
	assert_int_equal(run_silently(many_wait, &n), SNAG_TASKS_DONE);
	assert_int_equal(snag_tasks_stats(ts).tasks, 40001);
	assert_int_equal(snag_tasks_stats(ts).blocked, 40000);
	snag_tasks_free(ts);
}

static void deeper(void *arg)
{
	int *left = arg;
	if ((*left)-- > 0)
		snag_task_async(ts, deeper, arg);
}

static void recursion_goes_deep(void **state)
{
	int left = 40000;
	assert_int_equal(run_silently(deeper, &left), SNAG_TASKS_DONE);
	assert_int_equal(snag_tasks_stats(ts).tasks, 40001);
	snag_tasks_free(ts);
}

static void many_come_and_go(void *arg)
{
	for (int i = 0; i < 1000000; i++)
		snag_task_async(ts, nothing, NULL);
}

static void ended_tasks_cost_nothing(void **state)
{
	struct rusage before, after;
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(run_silently(many_come_and_go, NULL), SNAG_TASKS_DONE);
	getrusage(RUSAGE_SELF, &after);
	assert_int_equal(snag_tasks_stats(ts).tasks, 1000001);
	assert_true(after.ru_maxrss - before.ru_maxrss < 4096); /* KiB, for all */
	snag_tasks_free(ts);
}

static void exhausts(void *arg)
{
	for (;;)
		snag_task_async(ts, get_p, NULL);
}

static void exhausted_first(void *arg)
{
	p = snag_task_promise_new(ts);
	exhausts(NULL);
}

/* With stacks of 4 TiB an address space of 128 TiB soon has no place for another. */
static void too_many_stacks_end_the_run(void **state)
{
	struct snag_tasks_options options = {.stack_bytes = (size_t)1 << 42};
	ts = snag_tasks_new(&options);
	if (!ts)
		skip(); /* the system lets nobody reserve that much */
	assert_int_equal(snag_tasks_run(ts, exhausted_first, NULL), SNAG_TASKS_EXHAUSTED);
	assert_true(snag_tasks_stats(ts).tasks > 1);
	snag_tasks_free(ts);
}

static void async_in_isolated(void *arg)
{
	snag_task_isolated_begin(ts);
	snag_task_async(ts, nothing, NULL);
}

static void get_in_isolated(void *arg)
{
	promises_new();
	set_p(NULL);
	snag_task_isolated_begin(ts);
	snag_task_promise_get(ts, p);
}

static void isolated_in_isolated(void *arg)
{
	snag_task_isolated_begin(ts);
	snag_task_isolated_begin(ts);
}

static void end_in_isolated(void *arg)
{
	snag_task_isolated_begin(ts);
}

static void end_in_finish(void *arg)
{
	snag_task_finish_begin(ts);
}

static void end_in_frame(void *arg)
{
	snag_task_frame_begin(ts);
}

static void finish_not_begun(void *arg)
{
	snag_task_finish_end(ts);
}

static void finish_of_another(void *arg)
{
	snag_task_finish_begin(ts);
	snag_task_async(ts, finish_not_begun, NULL);
}

static void frame_not_begun(void *arg)
{
	snag_task_frame_end(ts);
}

static void no_such_promise(void *arg)
{
	snag_task_promise_set(ts, 0);
}

static void run_in_child(void *arg)
{
	snag_task_body *const *body = arg;
	run(*body);
}

static void misuse_is_a_failed_assertion(void **state)
{
	snag_task_body *bodies[] = {async_in_isolated, get_in_isolated,	  isolated_in_isolated,
				    end_in_isolated,   end_in_finish,	  end_in_frame,
				    finish_not_begun,  finish_of_another, frame_not_begun,
				    no_such_promise};
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		assert_int_equal(in_child(run_in_child, &bodies[i]), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ended_tasks_cost_nothing),
		cmocka_unit_test(a_child_runs_at_once),
		cmocka_unit_test(those_that_wait_go_on_in_order_before_the_setter),
		cmocka_unit_test(a_task_that_blocks_again_returns_to_who_resumed_it),
		cmocka_unit_test(the_last_task_of_a_finish_runs_its_owner),
		cmocka_unit_test(sync_waits_for_the_tasks_of_its_frame),
		cmocka_unit_test(a_frame_may_be_left_before_its_tasks),
		cmocka_unit_test(isolated_is_told),
		cmocka_unit_test(a_deadlock_names_who_waits_for_what),
		cmocka_unit_test(the_end_of_task_0_is_not_that_of_the_run),
		cmocka_unit_test(a_stop_abandons_all),
		cmocka_unit_test(tens_of_thousands_wait),
		cmocka_unit_test(recursion_goes_deep),
		cmocka_unit_test(too_many_stacks_end_the_run),
		cmocka_unit_test(misuse_is_a_failed_assertion),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
