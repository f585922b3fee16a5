/* SPDX-License-Identifier: Apache-2.0
 *
 * fiber.c - stacks that code can switch between, in a few instructions
 *
 * Idea.   For its caller, a switch is a function call that returns later: only the registers
 *         that the calling convention makes a function preserve must be saved.  They are pushed
 *         on the stack that is left, and its pointer is all that must be remembered.
 *
 * State.  A suspended stack ends, from its pointer upwards, on
 *         x86-64   mxcsr, x87 control word, r15 r14 r13 r12 rbx rbp, return address
 *         aarch64  d8..d15, x19..x28, x29 x30, fpcr, unused
 *         A prepared fiber looks the same: its return address is fiber_start, which finds entry
 *         and arg in two of the saved registers.  It inherits the floating-point modes of the
 *         code that prepares it.
 *
 * Unwinding.  fiber_start declares its caller undefined.  This ends a backtrace, and an uncaught
 *             exception ends the program as it does in a thread.
 *
 * Reference.  System V ABI for x86-64, section 3.2.1; AAPCS64, section 6.1.
 */
#include "task/fiber.h"

#include "base/pages.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#ifdef SNAG_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

void snag_fiber_swap(void **ret_from, void *to);
void snag_fiber_start(void);
__attribute__((used, noreturn)) void snag_fiber_first(void (*entry)(void *arg), void *arg);

#if defined(__x86_64__)
#define SAVE            \
	"	pushq %rbp\n" \
	"	pushq %rbx\n" \
	"	pushq %r12\n" \
	"	pushq %r13\n" \
	"	pushq %r14\n" \
	"	pushq %r15\n" \
	"	subq $8, %rsp\n"
#define RESTORE            \
	"	addq $8, %rsp\n" \
	"	popq %r15\n"     \
	"	popq %r14\n"     \
	"	popq %r13\n"     \
	"	popq %r12\n"     \
	"	popq %rbx\n"     \
	"	popq %rbp\n"

__asm__(".text\n"
	".p2align 4\n"
	".globl snag_fiber_swap\n"
	".hidden snag_fiber_swap\n"
	".type snag_fiber_swap, @function\n"
	"snag_fiber_swap:\n"
	".cfi_startproc\n" SAVE ".cfi_adjust_cfa_offset 56\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movl (%rsp), %eax\n"
	"	movzwl 4(%rsp), %edx\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	cmpl (%rsp), %eax\n" /* loading the modes is slow, and they seldom differ */
	"	jne 2f\n"
	"1:	cmpw 4(%rsp), %dx\n"
	"	jne 3f\n"
	"4:\n"
	".cfi_remember_state\n" RESTORE ".cfi_adjust_cfa_offset -56\n"
	"	popq %rcx\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_register rip, rcx\n"
	"	jmp *%rcx\n" /* a return would go elsewhere than its call predicts */
	".cfi_restore_state\n"
	"2:	ldmxcsr (%rsp)\n"
	"	jmp 1b\n"
	"3:	fldcw 4(%rsp)\n"
	"	jmp 4b\n"
	".cfi_endproc\n"
	".size snag_fiber_swap, .-snag_fiber_swap\n"

	/* arguments: from, the other stack, entry, arg; the caller's stack ends as in a switch */
	".p2align 4\n"
	".globl snag_fiber_call_on\n"
	".hidden snag_fiber_call_on\n"
	".type snag_fiber_call_on, @function\n"
	"snag_fiber_call_on:\n"
	".cfi_startproc\n"
	".cfi_undefined rip\n" SAVE "	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rdi, %rbx\n"
	"	movl (%rsp), %r12d\n"
	"	movzwl 4(%rsp), %r13d\n"
	"	movq %rsi, %rsp\n"
	"	movq %rcx, %rdi\n"
	"	call *%rdx\n"
	"	subq $16, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movl (%rsp), %eax\n"
	"	movzwl 4(%rsp), %edx\n"
	"	movq (%rbx), %rsp\n"
	"	cmpl %r12d, %eax\n"
	"	jne 2f\n"
	"1:	cmpw %r13w, %dx\n"
	"	jne 3f\n"
	"4:\n" RESTORE "	ret\n"
	"2:	ldmxcsr (%rsp)\n"
	"	jmp 1b\n"
	"3:	fldcw 4(%rsp)\n"
	"	jmp 4b\n"
	".cfi_endproc\n"
	".size snag_fiber_call_on, .-snag_fiber_call_on\n"

	".p2align 4\n"
	".globl snag_fiber_start\n"
	".hidden snag_fiber_start\n"
	".type snag_fiber_start, @function\n"
	"snag_fiber_start:\n"
	".cfi_startproc\n"
	".cfi_undefined rip\n"
	"	movq %r12, %rdi\n"
	"	movq %r13, %rsi\n"
	"	call snag_fiber_first\n"
	"	ud2\n"
	".cfi_endproc\n"
	".size snag_fiber_start, .-snag_fiber_start\n");

struct frame {
	uint32_t mxcsr;
	uint16_t x87, unused;
	uint64_t r15, r14, r13, r12, rbx, rbp, ret;
};

static void frame_fill(struct frame *frame, void (*entry)(void *arg), void *arg)
{
	*frame = (struct frame){
		.r12 = (uintptr_t)entry, .r13 = (uintptr_t)arg, .ret = (uintptr_t)snag_fiber_start};
	__asm__("stmxcsr %0\n\tfnstcw %1" : "=m"(frame->mxcsr), "=m"(frame->x87));
}
#elif defined(__aarch64__)
__asm__(".text\n"
	".p2align 4\n"
	".globl snag_fiber_swap\n"
	".hidden snag_fiber_swap\n"
	".type snag_fiber_swap, %function\n"
	"snag_fiber_swap:\n"
	".cfi_startproc\n"
	"	sub sp, sp, #176\n"
	".cfi_adjust_cfa_offset 176\n"
	"	stp d8, d9, [sp, #0]\n"
	"	stp d10, d11, [sp, #16]\n"
	"	stp d12, d13, [sp, #32]\n"
	"	stp d14, d15, [sp, #48]\n"
	"	stp x19, x20, [sp, #64]\n"
	"	stp x21, x22, [sp, #80]\n"
	"	stp x23, x24, [sp, #96]\n"
	"	stp x25, x26, [sp, #112]\n"
	"	stp x27, x28, [sp, #128]\n"
	"	stp x29, x30, [sp, #144]\n"
	"	mrs x2, fpcr\n"
	"	str x2, [sp, #160]\n"
	"	mov x3, sp\n"
	"	str x3, [x0]\n"
	"	mov sp, x1\n"
	"	ldp d8, d9, [sp, #0]\n"
	"	ldp d10, d11, [sp, #16]\n"
	"	ldp d12, d13, [sp, #32]\n"
	"	ldp d14, d15, [sp, #48]\n"
	"	ldp x19, x20, [sp, #64]\n"
	"	ldp x21, x22, [sp, #80]\n"
	"	ldp x23, x24, [sp, #96]\n"
	"	ldp x25, x26, [sp, #112]\n"
	"	ldp x27, x28, [sp, #128]\n"
	"	ldp x29, x30, [sp, #144]\n"
	"	ldr x2, [sp, #160]\n"
	"	msr fpcr, x2\n"
	"	add sp, sp, #176\n"
	".cfi_adjust_cfa_offset -176\n"
	"	ret\n"
	".cfi_endproc\n"
	".size snag_fiber_swap, .-snag_fiber_swap\n"

	".p2align 4\n"
	".globl snag_fiber_start\n"
	".hidden snag_fiber_start\n"
	".type snag_fiber_start, %function\n"
	"snag_fiber_start:\n"
	".cfi_startproc\n"
	".cfi_undefined x30\n"
	"	mov x0, x19\n"
	"	mov x1, x20\n"
	"	bl snag_fiber_first\n"
	"	brk #1\n"
	".cfi_endproc\n"
	".size snag_fiber_start, .-snag_fiber_start\n");

struct frame {
	uint64_t d[8];
	uint64_t x19, x20, x[8]; /* x[0] is x21 */
	uint64_t x29, x30;
	uint64_t fpcr, unused;
};

static void frame_fill(struct frame *frame, void (*entry)(void *arg), void *arg)
{
	*frame = (struct frame){
		.x19 = (uintptr_t)entry, .x20 = (uintptr_t)arg, .x30 = (uintptr_t)snag_fiber_start};
	__asm__("mrs %0, fpcr" : "=r"(frame->fpcr));
}
#else
#error "task/fiber.c: this processor needs its own switch"
#endif

_Static_assert(sizeof(struct frame) % 16 == 0, "the first frame begins on 16 bytes");

#ifdef SNAG_ASAN
/* The context that the thread is leaving.  arrive(), in the context that the thread enters,
 * stores in it where the stack of the left one is. */
static __thread struct snag_fiber *leaving;

/* Not inlined: the address of `leaving` changes if the fiber has moved to another thread. */
__attribute__((noinline)) static void arrive(void *fake)
{
	struct snag_fiber *left = leaving, none;
	if (!left)
		left = &none;
	__sanitizer_finish_switch_fiber(fake, &left->base, &left->nbytes);
}
#endif

void snag_fiber_first(void (*entry)(void *arg), void *arg)
{
#ifdef SNAG_ASAN
	arrive(NULL);
#endif
	entry(arg);
	__builtin_trap();
}

void snag_fiber_prepare(struct snag_fiber *fiber, const struct snag_stack *stack,
			void (*entry)(void *arg), void *arg)
{
	uintptr_t top = ((uintptr_t)stack->base + stack->nbytes) & ~(uintptr_t)15;
	struct frame *frame = (struct frame *)top - 1;

	frame_fill(frame, entry, arg);
	fiber->sp = frame;
#ifdef SNAG_ASAN
	fiber->base = stack->base;
	fiber->nbytes = stack->nbytes;
	fiber->fake = NULL;
#endif
}

void snag_fiber_switch(struct snag_fiber *from, const struct snag_fiber *to)
{
#ifdef SNAG_ASAN
	leaving = from;
	__sanitizer_start_switch_fiber(&from->fake, to->base, to->nbytes);
	snag_fiber_swap(&from->sp, to->sp);
	arrive(from->fake);
#else
	snag_fiber_swap(&from->sp, to->sp);
#endif
}

#if defined(__x86_64__) && !defined(SNAG_ASAN)
void snag_fiber_call_on(struct snag_fiber *from, void *sp, void (*entry)(void *arg), void *arg);

void snag_fiber_call(struct snag_fiber *from, const struct snag_stack *stack,
		     void (*entry)(void *arg), void *arg)
{
	uintptr_t top = ((uintptr_t)stack->base + stack->nbytes) & ~(uintptr_t)15;
	snag_fiber_call_on(from, (void *)top, entry, arg);
}
#else
struct call {
	const struct snag_fiber *from;
	void (*entry)(void *arg);
	void *arg;
};

static void call_first(void *arg)
{
	/* a copy: the caller's may have gone when entry() returns */
	struct call call = *(struct call *)arg;
	call.entry(call.arg);
	snag_fiber_leave(call.from);
}

void snag_fiber_call(struct snag_fiber *from, const struct snag_stack *stack,
		     void (*entry)(void *arg), void *arg)
{
	struct snag_fiber to;
	struct call call = {from, entry, arg};
	snag_fiber_prepare(&to, stack, call_first, &call);
	snag_fiber_switch(from, &to);
}
#endif

void snag_fiber_leave(const struct snag_fiber *to)
{
	void *unused;
#ifdef SNAG_ASAN
	leaving = NULL;
	__asan_handle_no_return(); /* the frames of this stack are gone */
	__sanitizer_start_switch_fiber(NULL, to->base, to->nbytes);
#endif
	snag_fiber_swap(&unused, to->sp);
	__builtin_unreachable();
}

void snag_fiber_forget(const struct snag_fiber *fiber)
{
#ifdef SNAG_ASAN /* its frames will not return, so they will not clean up */
	const char *top = (const char *)fiber->base + fiber->nbytes;
	__asan_unpoison_memory_region(fiber->sp, (size_t)(top - (const char *)fiber->sp));
#endif
}

int snag_stack_map(struct snag_stack *ret_stack, size_t nbytes)
{
	size_t page = snag_pages_round(1);
	nbytes = snag_pages_round(nbytes);
	char *p = snag_pages_map(page + nbytes);
	if (!p)
		return -1;
	int saved = errno, failed = mprotect(p, page, PROT_NONE);
	errno = saved;
	if (failed) {
		snag_pages_unmap(p, page + nbytes);
		return -1;
	}
	*ret_stack = (struct snag_stack){.base = p + page, .nbytes = nbytes};
	return 0;
}

void snag_stack_unmap(struct snag_stack *stack)
{
	if (!stack->base)
		return;
	size_t page = snag_pages_round(1);
	snag_pages_unmap((char *)stack->base - page, page + stack->nbytes);
	*stack = (struct snag_stack){0};
}
