/* SPDX-License-Identifier: Apache-2.0
 *
 * sys.h - system calls without the C library: no errno, no cancellation, not intercepted
 *
 * Each returns what the kernel returns: a negative error number on failure.
 */
#ifndef SNAG_RUNTIME_SYS_H
#define SNAG_RUNTIME_SYS_H

#include "runtime/rt.h"

#include <sys/syscall.h>
#include <time.h>

#if !defined(__x86_64__)
#error "the runtime knows the system calls of x86-64 only"
#endif

static inline long rt_sys(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

/* Waits while *word is `value`, at most until the deadline (RT_NEVER: for ever). */
long rt_sys_futex_wait(uint32_t *word, uint32_t value, rt_time deadline);
void rt_sys_futex_wake(uint32_t *word, int n);
/* The same for a word in memory that processes share; wakes one. */
long rt_sys_shared_wait(uint32_t *word, uint32_t value, rt_time deadline);
void rt_sys_shared_wake(uint32_t *word);
/* A futex mutex: 0 free, 1 held, 2 held and waited for. */
void rt_sys_lock(uint32_t *lock);
void rt_sys_unlock(uint32_t *lock);
rt_time rt_sys_now(void);
void rt_sys_sleep(rt_time nanoseconds);
void *rt_sys_map(size_t nbytes); /* zeroed pages, or NULL */
void rt_sys_unmap(void *at, size_t nbytes);
void rt_sys_print(const char *text, size_t n); /* to standard error */
int rt_sys_gettid(void);
int rt_sys_getpid(void);
/* Reads up to `room` bytes of a file; negative: it cannot. */
long rt_sys_read_file(const char *path, char *to, size_t room);
__attribute__((noreturn)) void rt_sys_exit(int status);

#endif
