/* SPDX-License-Identifier: Apache-2.0
 *
 * test_deque.c - the work-stealing queue: newest first for its owner, oldest for thieves
 */
#include "unit.h"

#include "task/deque.h"

#include <pthread.h>
#include <string.h>

enum { ITEMS = 400000, THIEVES = 3 };

static struct snag_deque deque;
static _Atomic unsigned char taken[ITEMS + 1]; /* how often */
static atomic_bool is_over;

static void newest_first_oldest_stolen(void **state)
{
	memset(&deque, 0, sizeof(deque));
	assert_null(snag_deque_pop(&deque));
	assert_null(snag_deque_steal(&deque));
	for (uintptr_t i = 1; i <= 5; i++)
		assert_true(snag_deque_push(&deque, (void *)i));
	assert_false(snag_deque_is_empty(&deque));
	assert_ptr_equal(snag_deque_pop(&deque), (void *)5);
	assert_ptr_equal(snag_deque_steal(&deque), (void *)1);
	assert_ptr_equal(snag_deque_steal(&deque), (void *)2);
	assert_ptr_equal(snag_deque_pop(&deque), (void *)4);
	assert_ptr_equal(snag_deque_pop(&deque), (void *)3);
	assert_null(snag_deque_pop(&deque));
	assert_true(snag_deque_is_empty(&deque));
}

static void a_full_queue_refuses(void **state)
{
	memset(&deque, 0, sizeof(deque));
	for (uintptr_t i = 1; i <= SNAG_DEQUE_SIZE; i++)
		assert_true(snag_deque_push(&deque, (void *)i));
	assert_false(snag_deque_push(&deque, (void *)1));
	assert_ptr_equal(snag_deque_steal(&deque), (void *)1);
	assert_true(snag_deque_push(&deque, (void *)7));
	assert_ptr_equal(snag_deque_pop(&deque), (void *)7);
}

static void take(void *item)
{
	if (item)
		atomic_fetch_add(&taken[(uintptr_t)item], 1);
}

static void *thief(void *arg)
{
	while (!atomic_load(&is_over))
		take(snag_deque_steal(&deque));
	return NULL;
}

static void each_item_is_taken_once(void **state)
{
	pthread_t thread[THIEVES];
	memset(&deque, 0, sizeof(deque));
	for (int i = 0; i < THIEVES; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, thief, NULL), 0);
	/* Mostly almost empty, where owner and thieves meet. */
	for (uintptr_t i = 1; i <= ITEMS;) {
		for (unsigned n = i % 7; n > 0 && i <= ITEMS; n--)
			i += snag_deque_push(&deque, (void *)i);
		for (unsigned n = 3; n > 0; n--)
			take(snag_deque_pop(&deque));
		if (i % 7 == 0 && i <= ITEMS)
			i += snag_deque_push(&deque, (void *)i);
	}
	while (!snag_deque_is_empty(&deque))
		take(snag_deque_pop(&deque));
	atomic_store(&is_over, true);
	for (int i = 0; i < THIEVES; i++)
		pthread_join(thread[i], NULL);
	for (int i = 1; i <= ITEMS; i++)
		assert_int_equal(taken[i], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newest_first_oldest_stolen),
		cmocka_unit_test(a_full_queue_refuses),
		cmocka_unit_test(each_item_is_taken_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
