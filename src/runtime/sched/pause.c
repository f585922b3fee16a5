/* SPDX-License-Identifier: Apache-2.0
 *
 * pause.c - the instruction `pause`, by which code says that it spins
 *
 * Idea.   A lock in inline assembly cannot be seen, and a thread that waits for it makes no events.
 *         But such loops have a `pause`.  The pass puts a call of __snag_pause before it.  gcc
 *         has no pass: there the assembler replaces `pause` (pause.s, which `snag cc` gives it)
 *         by a call of __snag_pause_here, which keeps all registers as they are.
 */
#include "runtime/sched/sched.h"
#include "runtime/sched/spin.h"

#include "omp/hooks.h"

#include <cpuid.h>

/* Whether the kernel saves registers by xsave, so that this code may do so; otherwise vectors
 * have at most 16 bytes. The code below reads it. */
uint32_t rt_pause_has_xsave RT_HIDDEN;

__attribute__((constructor)) static void registers_find(void)
{
	unsigned a, b, c = 0, d;
	rt_pause_has_xsave = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE);
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

/* 0xe7: x87, SSE, AVX and AVX-512, 2688 bytes.  The header behind the first 512 must be 0. */
__asm__(".text\n"
	".globl __snag_pause_here\n"
	".type __snag_pause_here, @function\n"
	"__snag_pause_here:\n"
	"	pushfq\n"
	"	cld\n"
	"	push %rax\n"
	"	push %rcx\n"
	"	push %rdx\n"
	"	push %rsi\n"
	"	push %rdi\n"
	"	push %r8\n"
	"	push %r9\n"
	"	push %r10\n"
	"	push %r11\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $2688, %rsp\n"
	"	and $-64, %rsp\n"
	"	cmpl $0, rt_pause_has_xsave(%rip)\n"
	"	je 1f\n"
	"	xor %eax, %eax\n"
	"	xor %edx, %edx\n"
	"	mov %rax, 512(%rsp)\n"
	"	mov %rax, 520(%rsp)\n"
	"	mov %rax, 528(%rsp)\n"
	"	mov %rax, 536(%rsp)\n"
	"	mov %rax, 544(%rsp)\n"
	"	mov %rax, 552(%rsp)\n"
	"	mov %rax, 560(%rsp)\n"
	"	mov %rax, 568(%rsp)\n"
	"	mov $0xe7, %eax\n"
	"	xsave64 (%rsp)\n"
	"	call __snag_pause\n"
	"	mov $0xe7, %eax\n"
	"	xor %edx, %edx\n"
	"	xrstor64 (%rsp)\n"
	"	jmp 2f\n"
	"1:	fxsave64 (%rsp)\n"
	"	call __snag_pause\n"
	"	fxrstor64 (%rsp)\n"
	"2:	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	pop %r11\n"
	"	pop %r10\n"
	"	pop %r9\n"
	"	pop %r8\n"
	"	pop %rdi\n"
	"	pop %rsi\n"
	"	pop %rdx\n"
	"	pop %rcx\n"
	"	pop %rax\n"
	"	popfq\n"
	"	ret\n"
	".size __snag_pause_here, . - __snag_pause_here\n");
