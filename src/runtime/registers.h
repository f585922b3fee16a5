/* SPDX-License-Identifier: Apache-2.0
 *
 * registers.h - functions that code calls in place of an instruction
 *
 * RT_KEEPING_REGISTERS(name, function, before, behind) is the text of an assembly function that
 * calls `function` and keeps all registers, those for vectors and flags too.  `before` and `behind`
 * are assembly around that call.  There, 72(%rbp), 56(%rbp) and 88(%rbp) are the caller's %rax and
 * %rdx, and the address to which this function returns.
 */
#ifndef SNAG_RUNTIME_REGISTERS_H
#define SNAG_RUNTIME_REGISTERS_H

#include <stdint.h>

/* Whether the kernel saves registers by xsave, so that this code may do so; otherwise vectors
 * have at most 16 bytes.  pause.c sets it. */
extern uint32_t rt_has_xsave __attribute__((visibility("hidden")));

/* 0xe7: x87, SSE, AVX and AVX-512, 2688 bytes.  The header behind the first 512 must be 0. */
#define RT_KEEPING_REGISTERS(name, function, before, behind)                                     \
	".text\n"                                                                                \
	".globl " name "\n"                                                                      \
	".type " name ", @function\n" name ":\n"                                                 \
	"	pushfq\n"                                                                              \
	"	cld\n"                                                                                 \
	"	push %rax\n"                                                                           \
	"	push %rcx\n"                                                                           \
	"	push %rdx\n"                                                                           \
	"	push %rsi\n"                                                                           \
	"	push %rdi\n"                                                                           \
	"	push %r8\n"                                                                            \
	"	push %r9\n"                                                                            \
	"	push %r10\n"                                                                           \
	"	push %r11\n"                                                                           \
	"	push %rbp\n"                                                                           \
	"	mov %rsp, %rbp\n"                                                                      \
	"	sub $2688, %rsp\n"                                                                     \
	"	and $-64, %rsp\n"                                                                      \
	"	cmpl $0, rt_has_xsave(%rip)\n"                                                         \
	"	je 1f\n"                                                                               \
	"	xor %eax, %eax\n"                                                                      \
	"	xor %edx, %edx\n"                                                                      \
	"	mov %rax, 512(%rsp)\n"                                                                 \
	"	mov %rax, 520(%rsp)\n"                                                                 \
	"	mov %rax, 528(%rsp)\n"                                                                 \
	"	mov %rax, 536(%rsp)\n"                                                                 \
	"	mov %rax, 544(%rsp)\n"                                                                 \
	"	mov %rax, 552(%rsp)\n"                                                                 \
	"	mov %rax, 560(%rsp)\n"                                                                 \
	"	mov %rax, 568(%rsp)\n"                                                                 \
	"	mov $0xe7, %eax\n"                                                                     \
	"	xsave64 (%rsp)\n" before "	call " function "\n" behind "	mov $0xe7, %eax\n" \
	"	xor %edx, %edx\n"                                                                      \
	"	xrstor64 (%rsp)\n"                                                                     \
	"	jmp 2f\n"                                                                              \
	"1:	fxsave64 (%rsp)\n" before "	call " function "\n" behind                      \
	"	fxrstor64 (%rsp)\n"                                                                    \
	"2:	mov %rbp, %rsp\n"                                                                    \
	"	pop %rbp\n"                                                                            \
	"	pop %r11\n"                                                                            \
	"	pop %r10\n"                                                                            \
	"	pop %r9\n"                                                                             \
	"	pop %r8\n"                                                                             \
	"	pop %rdi\n"                                                                            \
	"	pop %rsi\n"                                                                            \
	"	pop %rdx\n"                                                                            \
	"	pop %rcx\n"                                                                            \
	"	pop %rax\n"                                                                            \
	"	popfq\n"                                                                               \
	"	ret\n"                                                                                 \
	".size " name ", . - " name "\n"

#endif
