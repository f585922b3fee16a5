/* SPDX-License-Identifier: Apache-2.0
 *
 * Synchronisation that only annotations show: a lock made in assembler, and a hand-over.
 */
#include <pthread.h>
#include <sched.h>

void __tsan_mutex_pre_lock(void *addr, unsigned flags);
void __tsan_mutex_post_lock(void *addr, unsigned flags, int depth);
int __tsan_mutex_pre_unlock(void *addr, unsigned flags);
void __tsan_mutex_post_unlock(void *addr, unsigned flags);
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);

static int lock, counter, data, flag, statistics;

static void take(void)
{
	int was;
	__tsan_mutex_pre_lock(&lock, 0);
	do {
		was = 1;
		__asm__ volatile("xchg %0, %1" : "+r"(was), "+m"(lock) : : "memory");
	} while (was);
	__tsan_mutex_post_lock(&lock, 0, 1);
}

static void give(void)
{
	__tsan_mutex_pre_unlock(&lock, 0);
	__asm__ volatile("movl $0, %0" : "=m"(lock) : : "memory");
	__tsan_mutex_post_unlock(&lock, 0);
}

static void *work(void *arg)
{
	for (int i = 0; i < 10; i++) {
		take();
		counter++;
		give();
	}
	AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
	statistics++;
	AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
	return arg;
}

static void *send(void *arg)
{
	data = 1;
	__tsan_release(&flag);
	__asm__ volatile("movl $1, %0" : "=m"(flag) : : "memory");
	return arg;
}

int main(void)
{
	pthread_t t[3];
	pthread_create(&t[0], NULL, work, NULL);
	pthread_create(&t[1], NULL, work, NULL);
	pthread_create(&t[2], NULL, send, NULL);
	for (int now = 0; !now;) {
		pthread_t self = pthread_self();
		(void)self;
		__asm__ volatile("movl %1, %0" : "=r"(now) : "m"(flag) : "memory");
		sched_yield();
	}
	__tsan_acquire(&flag);
	int got = data;
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return counter != 20 || got != 1 || statistics == 0;
}
