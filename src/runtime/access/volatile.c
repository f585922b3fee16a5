/* SPDX-License-Identifier: Apache-2.0
 *
 * volatile.c - volatile accesses: plain ones that a thread may spin on
 *
 * Rules.  [plain]  To a detector a volatile access is a plain one: it can race.
 *         [look]   A volatile read is a look (spin.h), made before the access is recorded: between
 *                  the record and the access itself no other thread may run.
 *         [fault]  The runtime reads the memory only after the thread itself has: a program may
 *                  test whether memory can be read at all.
 */
#include "omp/hooks.h"
#include "runtime/access/access.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"

#include <string.h>

static bool is_looking(const struct rt_thread *self)
{
	return self && self->state == RT_RUNNING && !rt.is_free && rt.listener.needs_turns &&
	       !rt.is_alone && !__snag_omp_yield;
}

/* [look] [fault] */
static inline void look(uintptr_t addr, unsigned size)
{
	struct rt_thread *self = rt_self();
	uint64_t value = 0;
	if (!is_looking(self))
		return;
	if (rt_spin_knows(self, addr))
		__builtin_memcpy(&value, (const void *)addr, size);
	rt_spin_look(self, addr, value);
}

#define VOLATILE(prefix, n)                                              \
	RT_ABI(void, __tsan_##prefix##volatile_read##n, uintptr_t addr)  \
	{                                                                \
		look(addr, n < sizeof(uint64_t) ? n : sizeof(uint64_t)); \
		rt_access_sized(addr, n, false, RT_CALLER);              \
	}                                                                \
	RT_ABI(void, __tsan_##prefix##volatile_write##n, uintptr_t addr) \
	{                                                                \
		rt_access_sized(addr, n, true, RT_CALLER);               \
		rt_spin_written(addr, n);                                \
	}
VOLATILE(, 1)
VOLATILE(, 2)
VOLATILE(, 4)
VOLATILE(, 8)
VOLATILE(, 16)
VOLATILE(unaligned_, 2)
VOLATILE(unaligned_, 4)
VOLATILE(unaligned_, 8)
VOLATILE(unaligned_, 16)
