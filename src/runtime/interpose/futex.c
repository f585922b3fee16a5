/* SPDX-License-Identifier: Apache-2.0
 *
 * futex.c - system calls that the program makes by syscall()
 *
 * libstdc++ waits for a word of memory to change by syscall(SYS_futex, ...), for std::atomic::wait,
 * std::latch, std::barrier, std::counting_semaphore and std::future; programs use it for locks of
 * their own.  The kernel orders nothing here that the accesses to the word do not order, so there
 * are no events.  But a thread waits in the scheduler.
 *
 * Rules.  [wait]  if the word has the value, blocks until another thread wakes it, a signal
 *                 interrupts it, or the deadline passes
 *         [wake]  wakes the threads that have waited longest, and others in the kernel
 *         The kernel handles words in memory that other processes share, and all other operations
 *         of futexes.
 *         [fork]  fork, vfork and clone with neither CLONE_VM nor a stack make a child as fork()
 *                 does (fork.c)
 *         All other system calls go directly to the kernel: a child with a stack of its own may
 *         return from one.
 */
#include "runtime/interpose/deadline.h"
#include "runtime/interpose/object.h"
#include "runtime/sched/sched.h"
#include "runtime/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>

enum { NS = 1000000000 };

/* The code below jumps here. */
long rt_syscall_failed(long result) __attribute__((visibility("hidden")));
long rt_syscall_futex(long number, const uint32_t *word, long op, uint32_t value,
		      const struct timespec *time, uint32_t *word2, uint32_t value3)
	__attribute__((visibility("hidden")));

__asm__(".text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	"syscall:\n"
	".cfi_startproc\n"
	"	cmpq $202, %rdi\n" /* SYS_futex */
	"	je rt_syscall_futex\n"
	"	leaq -56(%rdi), %rax\n" /* SYS_clone, SYS_fork, SYS_vfork */
	"	cmpq $2, %rax\n"
	"	jbe 2f\n"
	"3:\n"
	"	movq %rdi, %rax\n"
	"	movq %rsi, %rdi\n"
	"	movq %rdx, %rsi\n"
	"	movq %rcx, %rdx\n"
	"	movq %r8, %r10\n"
	"	movq %r9, %r8\n"
	"	movq 8(%rsp), %r9\n"
	"	syscall\n"
	"	cmpq $-4095, %rax\n"
	"	jae 1f\n"
	"	ret\n"
	"1:	movq %rax, %rdi\n"
	"	jmp rt_syscall_failed\n"
	"2:	testq %rax, %rax\n" /* [fork] */
	"	jnz rt_syscall_fork\n"
	"	testq $0x100, %rsi\n" /* CLONE_VM */
	"	jnz 3b\n"
	"	testq %rdx, %rdx\n" /* the stack */
	"	jnz 3b\n"
	"	jmp rt_syscall_fork\n"
	".cfi_endproc\n"
	".size syscall, . - syscall\n");

_Static_assert(SYS_futex == 202 && SYS_clone == 56 && SYS_fork == 57 && SYS_vfork == 58 &&
		       CLONE_VM == 0x100,
	       "the numbers above");

long rt_syscall_failed(long result)
{
	errno = (int)-result;
	return -1;
}

static long answer(long result)
{
	return result < 0 ? rt_syscall_failed(result) : result;
}

/* Reads "start-end rwx[sp]" line by line. */
struct maps {
	uint64_t start, end, number;
	unsigned column; /* 0: start, 1: end, 2: the rest */
	unsigned rest;	 /* characters of it */
	bool is_found, is_shared;
};

static void maps_take(struct maps *m, char c, uintptr_t addr)
{
	bool is_digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
	if (c == '\n') {
		*m = (struct maps){.is_found = m->is_found, .is_shared = m->is_shared};
	} else if (m->column < 2 && is_digit) {
		m->number = m->number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	} else if (m->column < 2) {
		*(m->column ? &m->end : &m->start) = m->number;
		m->number = 0;
		m->column++;
	} else if (m->rest++ == 3 && m->start <= addr && addr < m->end) {
		m->is_found = true;
		m->is_shared = c == 's';
	}
}

static bool is_shared(uintptr_t addr)
{
	struct maps m = {0};
	char text[1024];
	long n, fd = rt_sys(SYS_open, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	while (fd >= 0 && !m.is_found &&
	       (n = rt_sys(SYS_read, fd, (long)text, sizeof(text), 0, 0, 0)) > 0)
		for (long i = 0; i < n; i++)
			maps_take(&m, text[i], addr);
	if (fd >= 0)
		rt_sys(SYS_close, fd, 0, 0, 0, 0, 0);
	return m.is_shared;
}

static rt_time deadline_of(long op, const struct timespec *time)
{
	if (!time)
		return RT_NEVER;
	if ((op & FUTEX_CMD_MASK) == FUTEX_WAIT)
		return rt_sys_now() + (rt_time)time->tv_sec * NS + (rt_time)time->tv_nsec;
	return rt_deadline(op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, time);
}

static long futex_wait(struct rt_thread *self, const uint32_t *word, uint32_t value,
		       rt_time deadline) /* [wait] */
{
	uintptr_t addr = (uintptr_t)word;
	if (__atomic_load_n(word, __ATOMIC_RELAXED) != value)
		return -EAGAIN;
	bool is_woken = rt_sched_block(self, rt_object_get(addr, RT_FUTEX), deadline);
	struct rt_object *o = rt_object_find(addr, RT_FUTEX);
	if (o && !o->first_waiter)
		rt_object_forget(addr, RT_FUTEX);
	return !is_woken ? -ETIMEDOUT : self->wait.was_interrupted ? -EINTR : 0;
}

static uint32_t futex_wake(const uint32_t *word, uint32_t most) /* [wake] */
{
	struct rt_object *o = rt_object_find((uintptr_t)word, RT_FUTEX);
	uint32_t n = 0;
	while (o && n < most && rt_object_wake_one(o, 0))
		n++;
	return n;
}

long rt_syscall_futex(long number, const uint32_t *word, long op, uint32_t value,
		      const struct timespec *time, uint32_t *word2, uint32_t value3)
{
#define KERNEL(value) rt_sys(number, (long)word, op, value, (long)time, (long)word2, value3)
	long command = op & FUTEX_CMD_MASK;
	bool is_wait = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
	bool is_wake = command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET;
	bool is_any =
		command == FUTEX_WAIT || command == FUTEX_WAKE || value3 == FUTEX_BITSET_MATCH_ANY;
	rt_begin_once();
	if (rt.is_free) /* the accesses to the word order the threads */
		return answer(KERNEL(value));
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (!self)
		return answer(KERNEL(value));
	if (is_wake && is_any) {
		uint32_t n = futex_wake(word, value);
		long others = n < value ? KERNEL(value - n) : 0;
		return others < 0 ? answer(others) : others + n;
	}
	if (is_wait && is_any && ((op & FUTEX_PRIVATE_FLAG) || !is_shared((uintptr_t)word)))
		return answer(futex_wait(self, word, value, deadline_of(op, time)));
	return answer(RT_OUTSIDE(self, KERNEL(value)));
#undef KERNEL
}
