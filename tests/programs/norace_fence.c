/* SPDX-License-Identifier: Apache-2.0
 *
 * A message is handed over by fences and a relaxed flag; a counter by an atomic; a lock
 * is made of an atomic exchange.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int message, guarded;
static atomic_int flag, count;
static atomic_flag spin = ATOMIC_FLAG_INIT;

static void *sender(void *arg)
{
	message = 42;
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}

static void *receiver(void *arg)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	atomic_thread_fence(memory_order_acquire);
	if (message != 42)
		abort();
	return arg;
}

static void *locker(void *arg)
{
	for (int i = 0; i < 20; i++) {
		while (atomic_flag_test_and_set_explicit(&spin, memory_order_acquire))
			;
		guarded++;
		atomic_flag_clear_explicit(&spin, memory_order_release);
		atomic_fetch_add(&count, 1);
	}
	return arg;
}

int main(void)
{
	void *(*const run[])(void *) = {receiver, sender, locker, locker};
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return guarded != 40 || count != 40;
}
