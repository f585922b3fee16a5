/* SPDX-License-Identifier: Apache-2.0
 *
 * blocking.c - system calls that may block: other threads run in the meantime
 *
 * Rules.  [ready]  If the descriptor is ready, the thread keeps the baton during the call: then
 *                  the result does not depend on time.
 *         [out]    Otherwise it gives the baton away for the duration of the call.
 *         [order]  A write to a pipe, socket or eventfd comes before a later read from it: the
 *                  writer releases, and the reader acquires, a token of the descriptor's file.
 *                  All sockets share one token, since both ends may be in this process.
 *                  The same holds for connect and accept, for close or shutdown and the end of
 *                  file, and for writers and poll, select or epoll_wait.  epoll_ctl comes before
 *                  the epoll_wait that returns its data, and timerfd_settime before the read.
 *                  Regular files order nothing.
 *         [unit]   In a program of tasks, reads and writes of libgfortran order nothing, like those
 *                  of the C library's files.
 *         [memory] The buffers of read, write and similar calls are accessed.
 */
#include "runtime/access/access.h"
#include "runtime/modules.h"
#include "runtime/interpose/descriptor.h"
#include "runtime/interpose/object.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/sync.h"
#include "runtime/channel/record.h"
#include "runtime/sched/sched.h"
#include "runtime/access/stack.h"
#include "runtime/sys.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOCKETS = 1 }; /* the key of all sockets */

static bool is_ready(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};
	return fd >= 0 && rt_sys(SYS_poll, (long)&p, 1, 0, 0, 0, 0) == 1;
}

/* Returns the object for the file of a descriptor; NULL: the file orders nothing. */
static struct rt_object *channel_of(int fd, uintptr_t pc)
{
	struct stat st;
	if (rt.is_of_tasks && rt_modules_is_fortran(pc)) /* [unit] */
		return NULL;
	if (fd < 0 || rt_sys(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0 || S_ISREG(st.st_mode) ||
	    S_ISCHR(st.st_mode))
		return NULL;
	uintptr_t key =
		S_ISSOCK(st.st_mode) ? SOCKETS : ((uintptr_t)st.st_dev << 40 ^ st.st_ino) | 2;
	struct rt_object *o = rt_object_get(key, RT_FILE);
	if (o->token == UINT32_MAX)
		o->token = rt_token();
	return o;
}

static void released(int fd, uintptr_t pc)
{
	struct rt_object *o = channel_of(fd, pc);
	rt_descriptor_used(fd, pc);
	rt_record_drain();
	if (o)
		rt_sync_put(RT_SYNC_UPDATE, RT_ORDER_RELEASE, 0, rt_location(pc), o->token);
}

static void acquired(int fd, uintptr_t pc)
{
	struct rt_object *o = channel_of(fd, pc);
	if (o) {
		rt_sync_put(RT_SYNC_READ, 0, 0, rt_location(pc), o->token);
		rt_epoch_end();
	}
}

/* A thread has written a socket, pipe or eventfd that epoll watches; it is not known which one.  So
 * the caller acquires the token of all sockets, and the one of descriptors without a file. */
static void noticed(int fd, uintptr_t pc)
{
	struct rt_object *sockets = rt_object_find(SOCKETS, RT_FILE);
	if (sockets)
		rt_sync_put(RT_SYNC_READ, 0, 0, rt_location(pc), sockets->token);
	acquired(fd, pc);
}

/* Notes whether the program reads standard input: a second run needs the same input. */
static void input_look(int fd)
{
	if (fd == STDIN_FILENO && rt.channel)
		rt.channel->verdict.has_read = 1;
}

/* The C library may have read standard input without a call that the runtime sees. */
static __attribute__((destructor)) void input_look_back(void)
{
	if (stdin->_IO_read_base)
		input_look(STDIN_FILENO);
}

/* Runs the call, with or without the baton. */
#define CALL(self, call, fd, events) \
	(self && !is_ready(fd, events) ? RT_OUTSIDE(self, call) : (call))

#define BLOCKING(type, name, parameters, arguments, fd, events)               \
	RT_EXPORT type name parameters                                        \
	{                                                                     \
		RT_SCOPE;                                                     \
		struct rt_thread *self = rt_sched_point();                    \
		if (self && (events) == POLLOUT)                              \
			released(fd, RT_CALLER);                              \
		else if (self && (events) == POLLIN)                          \
			rt_descriptor_used(fd, RT_CALLER);                    \
		type result = CALL(self, rt_real.name arguments, fd, events); \
		if (rt_enter() && (events) == POLLIN)                         \
			noticed(fd, RT_CALLER);                               \
		return result;                                                \
	}
/* The bytes that a call filled are written by its caller, if snag observes the caller (libc.c). */
static void filled(int fd, const struct iovec *v, size_t n, size_t nbytes, uintptr_t pc)
{
	int error = errno;
	acquired(fd, pc);
	for (size_t i = 0; i < n && nbytes > 0 && rt_modules_counts(pc); i++) {
		size_t here = v[i].iov_len < nbytes ? v[i].iov_len : nbytes;
		rt_access_range((uintptr_t)v[i].iov_base, here, true, pc);
		nbytes -= here;
	}
	errno = error;
}

static void sent(int fd, const struct iovec *v, size_t n, uintptr_t pc)
{
	for (size_t i = 0; i < n && rt_modules_counts(pc); i++)
		rt_access_range((uintptr_t)v[i].iov_base, v[i].iov_len, false, pc);
	released(fd, pc);
}

#define READS_PARTS(type, name, parameters, arguments, v, n)                   \
	RT_EXPORT type name parameters                                         \
	{                                                                      \
		RT_SCOPE;                                                      \
		struct rt_thread *self = rt_sched_point();                     \
		if (self)                                                      \
			rt_descriptor_used(fd, RT_CALLER);                     \
		type result = CALL(self, rt_real.name arguments, fd, POLLIN);  \
		input_look(fd);                                                \
		if (result >= 0 && rt_enter())                                 \
			filled(fd, v, (size_t)(n), (size_t)result, RT_CALLER); \
		return result;                                                 \
	}
#define WRITES_PARTS(type, name, parameters, arguments, v, n)           \
	RT_EXPORT type name parameters                                  \
	{                                                               \
		RT_SCOPE;                                               \
		struct rt_thread *self = rt_sched_point();              \
		if (self)                                               \
			sent(fd, v, (size_t)(n), RT_CALLER);            \
		return CALL(self, rt_real.name arguments, fd, POLLOUT); \
	}
#define READS(type, name, parameters, arguments)                              \
	RT_EXPORT type name parameters                                        \
	{                                                                     \
		RT_SCOPE;                                                     \
		struct rt_thread *self = rt_sched_point();                    \
		if (self)                                                     \
			rt_descriptor_used(fd, RT_CALLER);                    \
		type result = CALL(self, rt_real.name arguments, fd, POLLIN); \
		struct iovec part = {buf, n};                                 \
		input_look(fd);                                               \
		if (result >= 0 && rt_enter())                                \
			filled(fd, &part, 1, (size_t)result, RT_CALLER);      \
		return result;                                                \
	}
#define WRITES(type, name, parameters, arguments)                       \
	RT_EXPORT type name parameters                                  \
	{                                                               \
		RT_SCOPE;                                               \
		struct rt_thread *self = rt_sched_point();              \
		struct iovec part = {(void *)buf, n};                   \
		if (self)                                               \
			sent(fd, &part, 1, RT_CALLER);                  \
		return CALL(self, rt_real.name arguments, fd, POLLOUT); \
	}
#include "runtime/interpose/blocking.def"

/* [order] */
static void polled(const struct pollfd *fds, nfds_t n, uintptr_t pc)
{
	int error = errno;
	for (nfds_t i = 0; i < n; i++)
		if (fds[i].revents & (POLLIN | POLLHUP | POLLRDHUP | POLLPRI))
			acquired(fds[i].fd, pc);
	errno = error;
}

RT_EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	int result = RT_OUTSIDE(self, rt_real.poll(fds, n, timeout));
	if (result > 0 && rt_enter())
		polled(fds, n, RT_CALLER);
	return result;
}

RT_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
		    const sigset_t *mask)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	int result = RT_OUTSIDE(self, rt_real.ppoll(fds, n, timeout, mask));
	if (result > 0 && rt_enter())
		polled(fds, n, RT_CALLER);
	return result;
}

RT_EXPORT int epoll_ctl(int fd, int operation, int of, struct epoll_event *event)
{
	RT_SCOPE;
	if (rt_sched_point() && operation != EPOLL_CTL_DEL)
		released(fd, RT_CALLER);
	return rt_real.epoll_ctl(fd, operation, of, event);
}

RT_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *to,
			      struct itimerspec *ret_before)
{
	RT_SCOPE;
	if (rt_sched_point())
		released(fd, RT_CALLER);
	return rt_real.timerfd_settime(fd, flags, to, ret_before);
}

RT_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t n)
{
	RT_SCOPE;
	struct rt_thread *self = rt_sched_point();
	if (self)
		released(fd, RT_CALLER);
	return RT_OUTSIDE(self, rt_real.connect(fd, to, n));
}

RT_EXPORT int shutdown(int fd, int how)
{
	RT_SCOPE;
	if (rt_sched_point())
		released(fd, RT_CALLER);
	return rt_real.shutdown(fd, how);
}

/* Closing a regular file or a terminal orders nothing. */
static void closed(int fd, uintptr_t pc)
{
	const bool is_reported =
		rt_enter() && (!rt.is_alone || channel_of(fd, pc)) && rt_sched_point() != NULL;
	if (is_reported && channel_of(fd, pc))
		released(fd, pc);
	if (is_reported)
		rt_descriptor_closed(fd, pc);
}

RT_EXPORT int close(int fd)
{
	RT_SCOPE;
	closed(fd, RT_CALLER);
	return rt_real.close(fd);
}

static void replaces(int to, uintptr_t pc)
{
	if (!rt.is_alone && rt_sched_point())
		rt_descriptor_used(to, pc);
}

RT_EXPORT int dup2(int fd, int to)
{
	RT_SCOPE;
	if (fd != to)
		replaces(to, RT_CALLER);
	int made = rt_real.dup2(fd, to);
	rt_descriptor_replaced(made);
	return made;
}

RT_EXPORT int dup3(int fd, int to, int flags)
{
	RT_SCOPE;
	replaces(to, RT_CALLER);
	int made = rt_real.dup3(fd, to, flags);
	rt_descriptor_replaced(made);
	return made;
}

/* What runtime/hooks/syscalls.c reports of system calls that the program makes by itself. */
RT_ABI(void, __snag_syscall_sent, int fd, const struct iovec *v, size_t n, uintptr_t pc)
{
	RT_SCOPE;
	if (rt_sched_point())
		sent(fd, v, n, pc);
}

RT_ABI(void, __snag_syscall_filled, int fd, const struct iovec *v, size_t n, size_t nbytes,
       uintptr_t pc)
{
	RT_SCOPE;
	if (rt_sched_point()) {
		rt_descriptor_used(fd, pc);
		filled(fd, v, n, nbytes, pc);
	}
}

RT_ABI(void, __snag_syscall_polled, const struct pollfd *fds, size_t n, uintptr_t pc)
{
	RT_SCOPE;
	if (rt_sched_point())
		polled(fds, n, pc);
}

RT_ABI(void, __snag_syscall_closed, int fd, uintptr_t pc)
{
	RT_SCOPE;
	closed(fd, pc);
}
