/* SPDX-License-Identifier: Apache-2.0
 *
 * A relaxed flag without fences publishes nothing.
 * found by: hb
 */
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int flag;

static void *sender(void *arg)
{
	message = 42;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, sender, NULL);
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	int got = message;
	pthread_join(t, NULL);
	return got != 42;
}
