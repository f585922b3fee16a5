/* SPDX-License-Identifier: Apache-2.0
 *
 * descriptor.c - file descriptors as variables: close writes one, every other call reads it
 */
#include "runtime/interpose/descriptor.h"

#include "runtime/access/stack.h"
#include "runtime/channel/record.h"
#include "runtime/interpose/real.h"
#include "runtime/modules.h"
#include "runtime/sched/sched.h"
#include "runtime/sys.h"

#include <fcntl.h>
#include <stdarg.h>

enum state { UNKNOWN, KNOWN, CLOSED }; /* 0: a call that snag does not observe may have made it */
static uint8_t state[RT_DESCRIPTORS];

static bool is_open(int fd)
{
	return rt_sys(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0) >= 0;
}

static bool is_seen(int fd, uintptr_t pc)
{
	return fd >= 0 && fd < RT_DESCRIPTORS && !rt.is_alone && !rt.is_of_tasks &&
	       !rt.listener.is_judge && rt_hot.self && !rt_hot.self->ignoring.accesses &&
	       rt_modules_counts(pc);
}

static void put(enum rt_op op, int fd, uintptr_t pc)
{
	rt_put(op, 8, RT_DESCRIPTOR_AT(fd), rt_location(pc), (uint32_t)rt_hot.fuel);
}

void rt_descriptor_made(int fd)
{
	if (fd < 0 || fd >= RT_DESCRIPTORS)
		return;
	state[fd] = KNOWN;
	if (!rt.is_alone && rt_enter() && !rt.is_of_tasks && !rt.listener.is_judge)
		rt_put(RT_FORGET, 8, RT_DESCRIPTOR_AT(fd), 0, 8);
}

void rt_descriptor_used(int fd, uintptr_t pc)
{
	if (!is_seen(fd, pc) || state[fd] == UNKNOWN)
		return;
	if (state[fd] == CLOSED && is_open(fd)) /* [known] */
		state[fd] = UNKNOWN;
	else
		put(RT_READ, fd, pc);
}

void rt_descriptor_closed(int fd, uintptr_t pc)
{
	if (fd < 0 || fd >= RT_DESCRIPTORS || !is_open(fd))
		return;
	if (state[fd] == KNOWN && is_seen(fd, pc))
		put(RT_WRITE, fd, pc);
	state[fd] = state[fd] == KNOWN ? CLOSED : UNKNOWN;
}

void rt_descriptor_replaced(int fd)
{
	if (fd >= 0 && fd < RT_DESCRIPTORS)
		state[fd] = KNOWN;
}

RT_EXPORT int open(const char *path, int flags, ...)
{
	RT_SCOPE;
	va_list ap;
	va_start(ap, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	rt_begin_once();
	int fd = rt_real.open(path, flags, mode);
	rt_descriptor_made(fd);
	return fd;
}

RT_EXPORT int socket(int family, int type, int protocol)
{
	RT_SCOPE;
	rt_begin_once();
	int fd = rt_real.socket(family, type, protocol);
	rt_descriptor_made(fd);
	return fd;
}

RT_EXPORT int dup(int old)
{
	RT_SCOPE;
	rt_begin_once();
	int fd = rt_real.dup(old);
	rt_descriptor_made(fd);
	return fd;
}
