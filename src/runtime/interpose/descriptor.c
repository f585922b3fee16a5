/* SPDX-License-Identifier: Apache-2.0
 *
 * descriptor.c - file descriptors as variables: close writes one, every other call reads it
 */
#include "runtime/interpose/descriptor.h"

#include "runtime/access/stack.h"
#include "runtime/channel/record.h"
#include "runtime/modules.h"
#include "runtime/options.h"
#include "runtime/sys.h"

#include <fcntl.h>

static bool was_closed[RT_DESCRIPTORS];

static bool is_seen(int fd, uintptr_t pc)
{
	return fd >= 0 && fd < RT_DESCRIPTORS && !rt.is_alone && !rt.is_of_tasks &&
	       !rt.listener.is_judge && rt_hot.self && !rt_hot.self->ignores &&
	       rt_modules_instrumented(pc);
}

static void put(enum rt_op op, int fd, uintptr_t pc)
{
	rt_put(op, 8, RT_DESCRIPTOR_AT(fd), rt_location(pc), (uint32_t)rt_hot.fuel);
}

void rt_descriptor_used(int fd, uintptr_t pc)
{
	if (!is_seen(fd, pc))
		return;
	if (was_closed[fd] && rt_sys(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0) >= 0) { /* [again] */
		was_closed[fd] = false;
		rt_put(RT_FORGET, 8, RT_DESCRIPTOR_AT(fd), 0, 8);
	}
	put(RT_READ, fd, pc);
}

void rt_descriptor_closed(int fd, uintptr_t pc)
{
	if (fd < 0 || fd >= RT_DESCRIPTORS || rt_sys(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0) < 0)
		return;
	if (is_seen(fd, pc)) {
		rt_descriptor_used(fd, pc);
		put(RT_WRITE, fd, pc);
	}
	was_closed[fd] = true;
}
