/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks whose waiting threads spin: a ticket lock, test-and-set with a pause, with sched_yield and
 * after a test, MCS; a sequence lock whose readers try again; and two flags looked at in turn.
 */
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 3, ROUNDS = 200, LOCKS = 5 };

static long guarded[LOCKS];
static atomic_uint ticket, serving, version;
static atomic_int taken[3], turn, stop;
static atomic_long copy[2];

struct node {
	_Atomic(struct node *) next;
	atomic_bool waits;
};
static _Atomic(struct node *) last;

static void lock_ticket(void)
{
	unsigned mine = atomic_fetch_add(&ticket, 1);
	while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
		_mm_pause();
	guarded[0]++;
	atomic_store_explicit(&serving, mine + 1, memory_order_release);
}

static void lock_taken(void)
{
	while (atomic_exchange(&taken[0], 1))
		_mm_pause();
	guarded[1]++;
	atomic_store(&taken[0], 0);
	while (atomic_exchange(&taken[1], 1))
		sched_yield();
	guarded[2]++;
	atomic_store(&taken[1], 0);
	for (int is_free = 0; !atomic_compare_exchange_weak(&taken[2], &is_free, 1); is_free = 0)
		while (atomic_load_explicit(&taken[2], memory_order_relaxed))
			;
	guarded[3]++;
	atomic_store(&taken[2], 0);
}

static void lock_mcs(void)
{
	struct node mine, *other, *expected = &mine;
	atomic_init(&mine.next, NULL);
	atomic_init(&mine.waits, 1);
	other = atomic_exchange(&last, &mine);
	if (other) {
		atomic_store(&other->next, &mine);
		while (atomic_load(&mine.waits))
			;
	}
	guarded[4]++;
	if (!atomic_load(&mine.next) && atomic_compare_exchange_strong(&last, &expected, NULL))
		return;
	while (!(other = atomic_load(&mine.next)))
		;
	atomic_store(&other->waits, 0);
}

static void sequence_write(long value)
{
	unsigned before = atomic_load_explicit(&version, memory_order_relaxed);
	atomic_store_explicit(&version, before + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&copy[0], value, memory_order_relaxed);
	atomic_store_explicit(&copy[1], value, memory_order_relaxed);
	atomic_store_explicit(&version, before + 2, memory_order_release);
}

static void sequence_read(void)
{
	unsigned before, after;
	long a, b;
	do {
		while ((before = atomic_load_explicit(&version, memory_order_acquire)) & 1)
			;
		a = atomic_load_explicit(&copy[0], memory_order_relaxed);
		b = atomic_load_explicit(&copy[1], memory_order_relaxed);
		atomic_thread_fence(memory_order_acquire);
		after = atomic_load_explicit(&version, memory_order_relaxed);
	} while (before != after);
	if (a != b)
		abort();
}

static void *work(void *arg)
{
	const long number = (long)arg;
	for (int i = 0; i < ROUNDS; i++) {
		lock_ticket();
		lock_taken();
		lock_mcs();
		if (number == 0)
			sequence_write(i);
		else
			sequence_read();
		while (atomic_load(&turn) % THREADS != number && !atomic_load(&stop))
			;
		atomic_fetch_add(&turn, 1);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < LOCKS; i++)
		if (guarded[i] != THREADS * ROUNDS)
			abort();
	return 0;
}
