/* SPDX-License-Identifier: Apache-2.0
 *
 * jump.c - longjmp leaves functions without their exits
 *
 * Every frame of the shadow stack has the low half of its stack pointer.  A jump pops the frames
 * below the stack pointer that it jumps to.  That is in the buffer, where glibc hides it: rotated,
 * and combined with a secret of the thread.  A handler of operator new may leave it by a jump, too
 * (new.c).
 */
#include "runtime/interpose/real.h"
#include "runtime/rt.h"

#include <setjmp.h>

enum { JB_RSP = 6 };

static uint32_t target_of(const struct __jmp_buf_tag *env)
{
	uintptr_t hidden = (uintptr_t)env->__jmpbuf[JB_RSP];
	__asm__("ror $17, %0; xor %%fs:0x30, %0" : "+r"(hidden));
	return (uint32_t)hidden;
}

static void leave(const struct __jmp_buf_tag *env)
{
	rt_hot.news_at = 0;
	if (!rt_hot.self)
		return;
	if (rt_hot.beyond)
		return;
	uint32_t target = target_of(env);
	while (rt_hot.top > rt_hot.self->frames && (int32_t)(target - rt_hot.top[-1].sp) > 0)
		rt_hot.top--;
}

#define JUMP(name)                                                                           \
	RT_ABI(__attribute__((noreturn)) void, name, struct __jmp_buf_tag env[1], int value) \
	{                                                                                    \
		rt_begin_once();                                                             \
		leave(env);                                                                  \
		rt_real.siglongjmp(env, value);                                              \
		__builtin_unreachable();                                                     \
	}
JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
