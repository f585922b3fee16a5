/* SPDX-License-Identifier: Apache-2.0
 *
 * sys.c - system calls without the C library
 */
#include "runtime/sys.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>

static long futex_wait(uint32_t *word, int op, uint32_t value, rt_time deadline)
{
	struct timespec at = {(time_t)(deadline / 1000000000), (long)(deadline % 1000000000)};
	return rt_sys(SYS_futex, (long)word, op, value, deadline == RT_NEVER ? 0 : (long)&at, 0,
		      (long)FUTEX_BITSET_MATCH_ANY);
}

long rt_sys_futex_wait(uint32_t *word, uint32_t value, rt_time deadline)
{
	return futex_wait(word, FUTEX_WAIT_BITSET_PRIVATE, value, deadline);
}

void rt_sys_futex_wake(uint32_t *word, int n)
{
	rt_sys(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, n, 0, 0, 0);
}

long rt_sys_shared_wait(uint32_t *word, uint32_t value, rt_time deadline)
{
	return futex_wait(word, FUTEX_WAIT_BITSET, value, deadline);
}

void rt_sys_shared_wake(uint32_t *word)
{
	rt_sys(SYS_futex, (long)word, FUTEX_WAKE, 1, 0, 0, 0);
}

rt_time rt_sys_now(void)
{
	struct timespec t = {0}; /* not by the C library's function: see signals.c */
	rt_sys(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
	return (rt_time)t.tv_sec * 1000000000 + (rt_time)t.tv_nsec;
}

void rt_sys_sleep(rt_time nanoseconds)
{
	struct timespec t = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
	rt_sys(SYS_nanosleep, (long)&t, 0, 0, 0, 0, 0);
}

void *rt_sys_map(size_t nbytes)
{
	long at = rt_sys(SYS_mmap, 0, (long)nbytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at < 0 && at > -4096 ? NULL : (void *)at;
}

void rt_sys_unmap(void *at, size_t nbytes)
{
	rt_sys(SYS_munmap, (long)at, (long)nbytes, 0, 0, 0, 0);
}

void rt_sys_print(const char *text, size_t n)
{
	while (n > 0) {
		long done = rt_sys(SYS_write, 2, (long)text, (long)n, 0, 0, 0);
		if (done <= 0)
			return;
		text += done;
		n -= (size_t)done;
	}
}

int rt_sys_gettid(void)
{
	return (int)rt_sys(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

int rt_sys_getpid(void)
{
	return (int)rt_sys(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* The descriptor that a path in /proc names, where there is no /proc: a new one; or negative. */
static long named_descriptor(const char *path)
{
	static const char folder[] = "/proc/self/fd/";
	long fd = 0;
	for (const char *at = folder; *at; at++, path++)
		if (*path != *at)
			return -1;
	for (; *path >= '0' && *path <= '9' && fd < 1 << 20; path++)
		fd = 10 * fd + *path - '0';
	return *path ? -1 : rt_sys(SYS_dup, fd, 0, 0, 0, 0, 0);
}

long rt_sys_read_file(const char *path, char *to, size_t room)
{
	long fd = rt_sys(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	bool is_named = fd < 0;
	size_t n = 0;
	if (is_named)
		fd = named_descriptor(path);
	if (fd < 0)
		return fd;
	while (n < room) {
		/* Reads from the beginning on: other threads may have moved the offset of a
		 * descriptor. */
		long got =
			is_named ? rt_sys(SYS_pread64, fd, (long)(to + n), (long)(room - n),
					  (long)n, 0, 0)
				 : rt_sys(SYS_read, fd, (long)(to + n), (long)(room - n), 0, 0, 0);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	rt_sys(SYS_close, fd, 0, 0, 0, 0, 0);
	return (long)n;
}

void rt_sys_exit(int status)
{
	for (;;)
		rt_sys(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

void rt_sys_lock(uint32_t *lock)
{
	uint32_t was = 0;
	/* pairs with the release in rt_sys_unlock */
	if (__atomic_compare_exchange_n(lock, &was, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE))
		rt_sys_futex_wait(lock, 2, RT_NEVER);
}

void rt_sys_unlock(uint32_t *lock)
{
	/* pairs with the acquires in rt_sys_lock */
	if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2)
		rt_sys_futex_wake(lock, 1);
}
