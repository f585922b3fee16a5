/* SPDX-License-Identifier: Apache-2.0
 *
 * pause.c - the instruction `pause`, by which code says that it spins
 *
 * Idea.   A lock in inline assembly cannot be seen, and a thread that waits for it makes no events.
 *         But such loops have a `pause`.  The pass puts a call of __snag_pause before it.  gcc
 *         has no pass: there the assembler replaces `pause` (pause.s, which `snag cc` gives it)
 *         by a call of __snag_pause_here, which keeps all registers as they are.
 */
#include "runtime/registers.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"

#include "omp/hooks.h"

#include <cpuid.h>

uint32_t rt_has_xsave RT_HIDDEN;

__attribute__((constructor)) static void registers_find(void)
{
	unsigned a, b, c = 0, d;
	rt_has_xsave = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
}

RT_ABI(void, __snag_pause, void)
{
	struct rt_thread *self = rt_self();
	if (self && self->state == RT_RUNNING && !rt.is_free && rt.listener.needs_turns &&
	    !__snag_omp_yield)
		rt_spin_pause(self);
	else
		__builtin_ia32_pause();
}

__asm__(RT_KEEPING_REGISTERS("__snag_pause_here", "__snag_pause", "", ""));
