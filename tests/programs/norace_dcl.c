/* SPDX-License-Identifier: Apache-2.0
 *
 * Double-checked locking as it should be: the pointer is an atomic, stored with release and loaded
 * with acquire.  No race.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct config {
	int a, b;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct config *) config;

static struct config *get(void)
{
	struct config *c = atomic_load_explicit(&config, memory_order_acquire);
	if (c)
		return c;
	pthread_mutex_lock(&mutex);
	c = atomic_load_explicit(&config, memory_order_relaxed);
	if (!c) {
		c = malloc(sizeof(*c));
		*c = (struct config){1, 2};
		atomic_store_explicit(&config, c, memory_order_release);
	}
	pthread_mutex_unlock(&mutex);
	return c;
}

static void *run(void *arg)
{
	return get()->a + get()->b == 3 ? NULL : arg;
}

int main(void)
{
	pthread_t t[4];
	void *failed = NULL;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, t);
	for (int i = 0; i < 4 && !failed; i++)
		pthread_join(t[i], &failed);
	free(atomic_load(&config));
	return failed != NULL;
}
