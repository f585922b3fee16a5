/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c - the checks that code of the pass calls: __snag_read4 and the like
 *
 * Idea.   The pass inlines checks only in small loops (pass/places.cpp).
 *         Everywhere else it calls one of these functions.  The functions
 *         follow LLVM's convention preserve_most: they preserve every general
 *         register but r11.  So the caller need not spill registers around
 *         the call.
 * Rules.  [known]  An access that is in the filter (filter.h) costs the call
 *                  and about 19 instructions.  Only rax is saved meanwhile.
 *         [miss]   For any other access, rt_check_miss() saves the general
 *                  registers that a C function may change and calls rt_new_*()
 *                  (access.c).  The pc is the caller's return address.
 *         [idle]   __snag_task_* are for programs of tasks.  They return at
 *                  once while the detector in the process ignores accesses.
 *         [code]   The functions lie outside the section of the runtime's
 *                  code.  A signal that arrives here interrupts code of the
 *                  program (signals.c), as it does in an inlined check.
 *         [vector] preserve_most leaves vector registers to the caller.  The
 *                  functions do not save any.
 * Why not C.  gcc 12 has no preserve_most.  So each function is naked: its body
 *         is one asm statement.
 */
#include "runtime/access/access.h"

#include <stddef.h>

#define CHECK __attribute__((naked, section("snag_rt_checks")))

/* The general registers that a C function may change. */
#define SAVED_PUSH    \
	"push %rax\n" \
	"push %rcx\n" \
	"push %rdx\n" \
	"push %rsi\n" \
	"push %rdi\n" \
	"push %r8\n"  \
	"push %r9\n"  \
	"push %r10\n"
#define SAVED_POP    \
	"pop %r10\n" \
	"pop %r9\n"  \
	"pop %r8\n"  \
	"pop %rdi\n" \
	"pop %rsi\n" \
	"pop %rdx\n" \
	"pop %rcx\n" \
	"pop %rax\n"
/* [miss] Calls the function that r11 points to.  A check jumps here with its
 * own stack pointer.  The nine words pushed align the stack for the call. */
CHECK RT_HIDDEN void rt_check_miss(void);
void rt_check_miss(void)
{
	__asm__("push %rbp\n"
		".cfi_adjust_cfa_offset 8\n"
		".cfi_rel_offset %rbp, 0\n"
		"mov %rsp, %rbp\n"
		".cfi_def_cfa_register %rbp\n" SAVED_PUSH "mov 8(%rbp), %rsi\n"
		"call *%r11\n" SAVED_POP "pop %rbp\n"
		".cfi_def_cfa %rsp, 8\n"
		".cfi_restore %rbp\n"
		"ret\n");
}

/* [event] */
#define COUNT                                 \
	"mov rt_hot@gottpoff(%%rip), %%r11\n" \
	"subq $1, %%fs:(%%r11)\n"             \
	"js 8f\n"

#define FILTER                                \
	"mov rt_hot@gottpoff(%%rip), %%rax\n" \
	"mov %%fs:%c[filter](%%rax), %%rax\n"

/* [known] rdi is the address.  Sets r11 to the difference between what its slot
 * holds and what it would if the access were known. */
#define DIFFERS                                                                         \
	"mov %%rdi, %%r11\n"                                                            \
	"shr %[high], %%r11\n"                                                          \
	"imul %[step], %%r11, %%r11\n"                                                  \
	"lea (%%r11, %%rdi, %c[scale]), %%r11\n" FILTER "and %c[bytes](%%rax), %%r11\n" \
	"mov %c[slots](%%rax, %%r11), %%r11\n"                                          \
	"xor %c[key](%%rax), %%r11\n"                                                   \
	"mov %[bits], %%rax\n"                                                          \
	"and %%rdi, %%rax\n"                                                            \
	"xor %%rax, %%r11\n"

/* [known] Sets the zero flag if the slot says that the address was read, or
 * written, in this epoch. */
#define IS_READ "lea (%%r11, %%r11), %%rax\ntest %%rax, %%rax\n"
#define IS_WRITE "test %%r11, %%r11\n"

#define SAVING(code) \
	"push %%rax\n.cfi_adjust_cfa_offset 8\n" code "pop %%rax\n.cfi_adjust_cfa_offset -8\n"
#define LOOK(is) SAVING(DIFFERS is)

#define READ                 \
	LOOK(IS_READ)        \
	"jnz 7f\n"           \
	"ret\n"              \
	"7:\n" SAVING(FILTER \
		      "xor %c[key](%%rax), %%r11\ncmp %c[lasting](%%rax), %%r11\n") "jne 8f\n"
#define WRITE          \
	LOOK(IS_WRITE) \
	"jnz 8f\n"
/* 16 bytes: both words have to be known. */
#define TWICE(is)                                           \
	LOOK(is)                                            \
	"jnz 8f\n"                                          \
	"add $8, %%rdi\n" LOOK(is) "lea -8(%%rdi), %%rdi\n" \
				   "jnz 8f\n"
#define TWO_READS TWICE(IS_READ)
#define TWO_WRITES TWICE(IS_WRITE)

/* [idle] */
#define IS_IDLE "cmpq $0, rt_filter+%c[idle](%%rip)\njne 9f\n" /* tasks have one filter */

#define CHECK_OF(name, new, first, look, k, is_write)                                \
	CHECK RT_EXPORT void name(uintptr_t addr);                                   \
	void name(uintptr_t addr)                                                    \
	{                                                                            \
		__asm__(first COUNT look "9: ret\n"                                  \
					 "8: lea rt_new_" #new "(%%rip), %%r11\n"    \
							       "jmp rt_check_miss\n" \
			:                                                            \
			: [high] "i"(RT_FILTER_LOG + (k)),                           \
			  [step] "i"(RT_FILTER_STEP * RT_FILTER_ENTRY),              \
			  [scale] "i"(RT_FILTER_ENTRY >> (k)),                       \
			  [bytes] "i"(offsetof(struct rt_filter, bytes)),            \
			  [slots] "i"(offsetof(struct rt_filter, slot[k])),          \
			  [bits] "i"(~(int64_t)RT_FILTER_BITS(k)),                   \
			  [filter] "i"(offsetof(struct rt_hot, filter)),             \
			  [key] "i"(offsetof(struct rt_filter, key[is_write])),      \
			  [lasting] "i"(offsetof(struct rt_filter, lasting)),        \
			  [idle] "i"(offsetof(struct rt_filter, is_idle)));          \
	}
#define BOTH(name, look, k, is_write)                        \
	CHECK_OF(__snag_##name, name, "", look, k, is_write) \
	CHECK_OF(__snag_task_##name, name, IS_IDLE, look, k, is_write)

BOTH(read1, READ, 0, 0)
BOTH(read2, READ, 1, 0)
BOTH(read4, READ, 2, 0)
BOTH(read8, READ, 3, 0)
BOTH(read16, TWO_READS, 3, 0)
BOTH(write1, WRITE, 0, 1)
BOTH(write2, WRITE, 1, 1)
BOTH(write4, WRITE, 2, 1)
BOTH(write8, WRITE, 3, 1)
BOTH(write16, TWO_WRITES, 3, 1)
