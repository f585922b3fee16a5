/* SPDX-License-Identifier: Apache-2.0
 *
 * syscalls.c - the hooks of <sanitizer/linux_syscall_hooks.h> that report accesses and orders
 *
 * Idea.   A program that makes system calls by itself calls a hook before and behind each of them.
 *         The hooks of syscalls.def report what the kernel reads and writes, and what the call
 *         orders, as the runtime does for the function of the C library.  All other hooks do
 *         nothing (no_access.s).
 * Rules.  These functions are an archive of their own, so only programs that call one of them
 *         contain them.  They call the ABI of the runtime, which is all that it exports.
 *         [errors]  A call that failed has written nothing.
 */
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>

/* Of access_range.c and blocking.c. */
void __tsan_read_range_pc(uintptr_t addr, size_t n, uintptr_t pc);
void __tsan_write_range_pc(uintptr_t addr, size_t n, uintptr_t pc);
void __snag_syscall_sent(int fd, const struct iovec *v, size_t n, uintptr_t pc);
void __snag_syscall_filled(int fd, const struct iovec *v, size_t n, size_t nbytes, uintptr_t pc);
void __snag_syscall_polled(const struct pollfd *fds, size_t n, uintptr_t pc);
void __snag_syscall_closed(int fd, uintptr_t pc);

static void reads(long at, size_t n, uintptr_t pc)
{
	if (at && n)
		__tsan_read_range_pc((uintptr_t)at, n, pc);
}

/* strlen is a function that the runtime observes. */
static size_t length_of(const char *text)
{
	size_t n = 0;
	while (text && text[n])
		n++;
	return text ? n + 1 : 0;
}

static void writes(long at, size_t n, uintptr_t pc)
{
	if (at && n)
		__tsan_write_range_pc((uintptr_t)at, n, pc);
}

/* The kernel has written an address and its length, if the caller wants them. */
static void writes_address(long at, long length, uintptr_t pc)
{
	if (!at || !length)
		return;
	writes(length, sizeof(socklen_t), pc);
	writes(at, *(const socklen_t *)length, pc);
}

static void polled(long fds, size_t n, uintptr_t pc)
{
	writes(fds, n * sizeof(struct pollfd), pc);
	__snag_syscall_polled((const struct pollfd *)fds, n, pc);
}

static void waited(long child, long status, long usage, uintptr_t pc)
{
	if (child > 0)
		writes(status, sizeof(int), pc);
	if (child > 0)
		writes(usage, sizeof(struct rusage), pc);
}

#define R(at, n) reads(at, (size_t)(n), pc);
#define S(text) reads(text, length_of((const char *)text), pc);
#define W(at, n) writes(at, (size_t)(n), pc);
#define ADDRESS(at, length) writes_address(at, length, pc);
#define POLLED(fds, n) polled(fds, (size_t)(n), pc);
#define WAITED(status, usage) waited(result, status, usage, pc);
#define MESSAGE(m) ((const struct msghdr *)(m))
#define PART(at, n)                       \
	&(const struct iovec)             \
	{                                 \
		(void *)(at), (size_t)(n) \
	}
#define SENT(fd, at, n) __snag_syscall_sent((int)(fd), PART(at, n), 1, pc);
#define SENT_PARTS(fd, v, n) \
	__snag_syscall_sent((int)(fd), (const struct iovec *)(v), (size_t)(n), pc);
#define FILLED(fd, at, n) __snag_syscall_filled((int)(fd), PART(at, n), 1, (size_t)(n), pc);
#define FILLED_PARTS(fd, v, n, nbytes)                                                             \
	__snag_syscall_filled((int)(fd), (const struct iovec *)(v), (size_t)(n), (size_t)(nbytes), \
			      pc);
#define CLOSED(fd) __snag_syscall_closed((int)(fd), pc);
#define BEHIND(...) (long result, __VA_ARGS__)

#define HOOK(name, parameters, before, after)                                \
	void __sanitizer_syscall_pre_impl_##name parameters;                 \
	void __sanitizer_syscall_pre_impl_##name parameters                  \
	{                                                                    \
		const uintptr_t pc = (uintptr_t)__builtin_return_address(0); \
		(void)pc;                                                    \
		before                                                       \
	}                                                                    \
	void __sanitizer_syscall_post_impl_##name BEHIND parameters;         \
	void __sanitizer_syscall_post_impl_##name BEHIND parameters          \
	{                                                                    \
		const uintptr_t pc = (uintptr_t)__builtin_return_address(0); \
		(void)pc;                                                    \
		if (result < 0) /* [errors] */                               \
			return;                                              \
		after                                                        \
	}
#include "runtime/hooks/syscalls.def"
