/* SPDX-License-Identifier: Apache-2.0
 *
 * Plain and atomic accesses to the same variables that are ordered: initialised before threads
 * exist or before publication, counted down and freed by the last one, read after a join, and
 * atomics of all orders that nothing orders, but which are all atomic.  No race.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 3 };

struct shared {
	atomic_int references, relaxed;
	int payload;
};

static _Atomic(struct shared *) published;
static atomic_int total;

static void drop(struct shared *s)
{
	if (atomic_fetch_sub_explicit(&s->references, 1, memory_order_release) == 1) {
		atomic_thread_fence(memory_order_acquire);
		s->payload = 0;
		atomic_init(&s->relaxed, 0);
		free(s);
	}
}

static void *uses(void *arg)
{
	struct shared *s;
	while (!(s = atomic_load_explicit(&published, memory_order_acquire)))
		;
	atomic_fetch_add_explicit(&s->relaxed, 1, memory_order_relaxed);
	atomic_store_explicit(&s->relaxed, s->payload, memory_order_relaxed);
	atomic_fetch_add_explicit(&total, s->payload, memory_order_relaxed);
	drop(s);
	return arg;
}

int main(void)
{
	pthread_t t[THREADS];
	struct shared *s = malloc(sizeof(*s));
	atomic_init(&total, 0);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, uses, NULL);
	atomic_init(&s->references, THREADS);
	atomic_init(&s->relaxed, 0);
	s->payload = 2;
	atomic_store_explicit(&published, s, memory_order_release);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return *(int *)&total != 2 * THREADS;
}
