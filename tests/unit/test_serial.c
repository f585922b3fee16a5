/* SPDX-License-Identifier: Apache-2.0
 *
 * test_serial.c - what a detector hears of a program that uses <snag/task.h>
 */
#include "unit.h"

#include <snag/task.h>

#include "task/hooks.h"

#include <stdio.h>
#include <string.h>

static char heard[4096];
static enum snag_tasks_end how;
static size_t nwaiting;

static void hear(void *ctx, uint8_t op, snag_tid task, uint32_t target)
{
	size_t used = strlen(heard);
	const struct snag_op_info *info = &snag_op_info[op];
	if (info->space == SNAG_SPACE_NONE)
		snprintf(heard + used, sizeof(heard) - used, "%u %s; ", task, info->text);
	else
		snprintf(heard + used, sizeof(heard) - used, "%u %s %u; ", task, info->text,
			 target);
}

static void hear_end(void *ctx, enum snag_tasks_end end, const struct snag_waiting *waiting,
		     size_t n)
{
	how = end;
	nwaiting = n;
}

static const struct snag_task_hooks hooks = {.event = hear, .end = hear_end};

const struct snag_task_hooks *__snag_task_hooks(void)
{
	return &hooks;
}

static int launch(snag_task_function *function, void *arg)
{
	heard[0] = 0;
	return snag_launch(function, arg);
}

static void nothing(void *arg)
{
}

static void finish_and_isolated(void *arg)
{
	snag_finish
	{
		snag_async(nothing, NULL);
		snag_isolated
		{
			;
		}
	}
	assert_int_equal(snag_workers(), 1);
	assert_int_equal(snag_worker_number(), 0);
}

static void finish_is_told_without_a_frame(void **state)
{
	assert_int_equal(launch(finish_and_isolated, NULL), 0);
	assert_string_equal(heard, "0 finish; 0 async 1; 1 taskend; 0 iso; 0 isoend; "
				   "0 finishend; 0 taskend; ");
	assert_int_equal(how, SNAG_TASKS_DONE);
}

static void spawns(void *arg)
{
	snag_sync(); /* nothing to wait for: not told */
	snag_spawn(nothing, NULL);
	snag_finish
	{
		snag_sync();
		snag_spawn(nothing, NULL); /* the body of the finish is a frame, from here on */
		snag_sync();
		snag_spawn(nothing, NULL);
	}
	snag_frame
	{
		snag_async(nothing, NULL);
	}
}

static void frames_are_told_where_something_is_spawned(void **state)
{
	assert_int_equal(launch(spawns, NULL), 0);
	assert_string_equal(heard, "0 spawn 1; 1 taskend; "
				   "0 finish; 0 frame; 0 spawn 2; 2 taskend; 0 sync; "
				   "0 spawn 3; 3 taskend; 0 sync; 0 frameend; 0 finishend; "
				   "0 async 4; 4 taskend; 0 sync; 0 taskend; ");
}

static void leaves_early(void *arg)
{
	for (int i = 0; i < 2; i++) {
		snag_finish
		{
			if (i == 0)
				break; /* out of the finish */
			snag_isolated
			{
				goto out;
			}
		}
		snag_async(nothing, NULL);
	}
out:
	snag_finish
	{
		return;
	}
}

static void blocks_end_however_they_are_left(void **state)
{
	assert_int_equal(launch(leaves_early, NULL), 0);
	assert_string_equal(heard, "0 finish; 0 finishend; 0 async 1; 1 taskend; "
				   "0 finish; 0 iso; 0 isoend; 0 finishend; "
				   "0 finish; 0 finishend; 0 taskend; ");
}

static struct snag_promise p;
static int got[2];

static void get(void *arg)
{
	int *own = arg; /* a copy: its creator goes on meanwhile */
	got[*own] = (int)(intptr_t)snag_promise_get(&p) + *own;
}

static void *seven(void *arg)
{
	return (void *)7;
}

static void promises(void *arg)
{
	for (int i = 0; i < 2; i++)
		snag_async_copy(get, &i, sizeof(i));
	struct snag_promise *future = snag_future(seven, NULL);
	assert_int_equal((intptr_t)snag_promise_get(future), 7);
	snag_promise_free(future);
	assert_false(snag_promise_is_set(&p));
	assert_int_equal(snag_promise_set(&p, (void *)40), 0);
	assert_true(snag_promise_set(&p, (void *)50) < 0);
	assert_true(snag_promise_is_set(&p));
}

static void promises_are_told_and_arguments_copied(void **state)
{
	snag_promise_init(&p);
	assert_int_equal(launch(promises, NULL), 0);
	assert_string_equal(heard, "0 async 1; 0 async 2; 0 async 3; 3 set 1; 3 taskend; 0 get 1; "
				   "0 set 0; 1 get 0; 1 taskend; 2 get 0; 2 taskend; 0 taskend; ");
	assert_int_equal(got[0], 40);
	assert_int_equal(got[1], 41);
}

static void deadlock(void *arg)
{
	static struct snag_promise never;
	int zero = 0;
	snag_promise_init(&p);
	snag_async_copy(get, &zero, sizeof(zero));
	snag_promise_get(&never);
}

static void a_deadlock_is_told(void **state)
{
	assert_int_equal(launch(deadlock, NULL), SNAG_DEADLOCK);
	assert_int_equal(how, SNAG_TASKS_DEADLOCK);
	assert_int_equal(nwaiting, 2);
	assert_int_equal(launch(nothing, NULL), 0); /* and the next launch knows nothing of it */
	assert_int_equal(how, SNAG_TASKS_DONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finish_is_told_without_a_frame),
		cmocka_unit_test(frames_are_told_where_something_is_spawned),
		cmocka_unit_test(blocks_end_however_they_are_left),
		cmocka_unit_test(promises_are_told_and_arguments_copied),
		cmocka_unit_test(a_deadlock_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
