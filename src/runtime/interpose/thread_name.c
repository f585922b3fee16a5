/* SPDX-License-Identifier: Apache-2.0
 *
 * thread_name.c - names that the program gives its threads, for reports
 *
 * A name has at most 15 bytes.  Each part of it is a record of its own, so threads that run in
 * parallel need no lock.  Naming a thread is no event.
 */
#include "runtime/channel/record.h"
#include "runtime/interpose/real.h"
#include "runtime/interpose/thread.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>

static void named(const struct rt_thread *t, const char *name)
{
	if (!t || !rt.listener.needs_places)
		return;
	uint64_t part[RT_NAME_PARTS] = {0};
	for (size_t i = 0; i < RT_NAME_PART * RT_NAME_PARTS && name[i]; i++)
		part[i / RT_NAME_PART] |= (uint64_t)(unsigned char)name[i] << i % RT_NAME_PART * 8;
	for (unsigned i = 0; i < RT_NAME_PARTS; i++)
		rt_put(RT_NOTE, i, part[i], t->tid, RT_NOTE_NAMED);
}

RT_EXPORT int pthread_setname_np(pthread_t handle, const char *name)
{
	RT_SCOPE;
	int rc = rt_real.pthread_setname_np(handle, name);
	struct rt_thread *self = rc == 0 ? rt_enter() : NULL;
	if (self)
		named(pthread_equal(handle, pthread_self()) ? self : rt_thread_find(handle), name);
	return rc;
}

RT_EXPORT int prctl(int what, ...)
{
	RT_SCOPE;
	unsigned long arg[4];
	va_list args;
	va_start(args, what);
	for (int i = 0; i < 4; i++)
		arg[i] = va_arg(args, unsigned long);
	va_end(args);
	int rc = rt_real.prctl(what, arg[0], arg[1], arg[2], arg[3]);
	int saved = errno;
	if (rc == 0 && what == PR_SET_NAME)
		named(rt_enter(), (const char *)arg[0]);
	errno = saved;
	return rc;
}
