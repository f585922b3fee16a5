/* SPDX-License-Identifier: Apache-2.0
 *
 * Annotations for Helgrind and DRD order what relaxed atomics do not: an order, a lock that the program
 * implements, a semaphore, and accesses that are not to be checked.  The numbers of the requests are
 * those of <valgrind/helgrind.h> and <valgrind/drd.h>.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum {
	MUTEX_UNLOCK = 0x48470000 + 261,
	MUTEX_LOCKED = 0x48470000 + 264,
	RWLOCK_LOCKED = 0x48470000 + 273,
	RWLOCK_UNLOCK = 0x48470000 + 274,
	HAPPENS_BEFORE = 0x48470000 + 289,
	HAPPENS_AFTER = 0x48470000 + 290,
	LOADS = 0x44520000 + 6,
	STORES = 0x44520000 + 7,
	WAITED = 0x44520000 + 13,
	POST = 0x44520000 + 14,
	RUNNING_ON_VALGRIND = 0x1001
};

static size_t ask(size_t number, volatile const void *at, size_t second)
{
	volatile size_t word[6] = {number, (size_t)at, second, 0, 0, 0};
	volatile size_t answer;
	__asm__ volatile("rolq $3,  %%rdi ; rolq $13, %%rdi\n\t"
			 "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
			 "xchgq %%rbx,%%rbx"
			 : "=d"(answer)
			 : "a"(&word[0]), "0"((size_t)0)
			 : "cc", "memory");
	return answer;
}

static atomic_int flag, locked, posted;
static int handed, counted, shared, given, ignored;

static void lock(size_t is_alone)
{
	while (atomic_exchange_explicit(&locked, 1, memory_order_relaxed))
		;
	if (is_alone == 1)
		ask(MUTEX_LOCKED, &locked, 0);
	else
		ask(RWLOCK_LOCKED, &locked, 1);
}

static void unlock(size_t is_alone)
{
	if (is_alone == 1)
		ask(MUTEX_UNLOCK, &locked, 0);
	else
		ask(RWLOCK_UNLOCK, &locked, 1);
	atomic_store_explicit(&locked, 0, memory_order_relaxed);
}

static void both(void)
{
	lock(1);
	counted++;
	unlock(1);
	lock(2);
	shared++;
	unlock(2);
	ask(LOADS, NULL, 0);
	ask(STORES, NULL, 0);
	ignored++;
	ask(STORES, (void *)1, 0);
	ask(LOADS, (void *)1, 0);
}

static void *writer(void *unused)
{
	handed = 1;
	ask(HAPPENS_BEFORE, &handed, 0);
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	both();
	given = 1;
	ask(POST, &posted, 0);
	atomic_store_explicit(&posted, 1, memory_order_relaxed);
	return unused;
}

static void *reader(void *unused)
{
	while (!atomic_load_explicit(&flag, memory_order_relaxed))
		;
	ask(HAPPENS_AFTER, &handed, 0);
	handed++;
	both();
	while (!atomic_load_explicit(&posted, memory_order_relaxed))
		;
	ask(WAITED, &posted, 0);
	given++;
	return unused;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return ask(RUNNING_ON_VALGRIND, NULL, 0) != 0 || handed != 2 || given != 2;
}
