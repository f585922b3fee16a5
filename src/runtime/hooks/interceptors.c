/* SPDX-License-Identifier: Apache-2.0
 *
 * interceptors.c - __interceptor_<name>: the C library's function behind one that the program
 * defines
 *
 * Idea.   A program that defines a function of the C library for itself, say fopen, calls
 *         __interceptor_fopen for the real one, because ThreadSanitizer's runtime has that name.
 *         Each name is four instructions that jump to the function, with all arguments as they
 *         are.  The first call looks the function up.
 * Rules.  [runtime]  For functions that the runtime defines, cmake/runtime.cmake makes such names
 *                    of the runtime's.  So the names here are weak.
 *         [archive]  These names are an archive of their own, so only programs that call one of
 *                    them contain them.
 *         [missing]  A function that this C library does not have ends the program by abort.
 */
#include <dlfcn.h>
#include <stdlib.h>

void *__snag_interceptor_find(const char *name, void **slot);

__attribute__((visibility("hidden"), used)) void *__snag_interceptor_find(const char *name,
									  void **slot)
{
	void *at = dlsym(RTLD_NEXT, name);
	if (!at)
		abort(); /* [missing] */
	__atomic_store_n(slot, at, __ATOMIC_RELAXED);
	return at;
}

/* %r10: the name, %r11: where its address is kept.  Keeps all registers that pass arguments. */
__asm__(".text\n"
	".type snag_interceptor_first, @function\n"
	"snag_interceptor_first:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rax\n"
	"	push %rdi\n"
	"	push %rsi\n"
	"	push %rdx\n"
	"	push %rcx\n"
	"	push %r8\n"
	"	push %r9\n"
	"	sub $136, %rsp\n"
	"	movups %xmm0, (%rsp)\n"
	"	movups %xmm1, 16(%rsp)\n"
	"	movups %xmm2, 32(%rsp)\n"
	"	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n"
	"	movups %xmm5, 80(%rsp)\n"
	"	movups %xmm6, 96(%rsp)\n"
	"	movups %xmm7, 112(%rsp)\n"
	"	mov %r10, %rdi\n"
	"	mov %r11, %rsi\n"
	"	call __snag_interceptor_find\n"
	"	mov %rax, %r11\n"
	"	movups (%rsp), %xmm0\n"
	"	movups 16(%rsp), %xmm1\n"
	"	movups 32(%rsp), %xmm2\n"
	"	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n"
	"	movups 80(%rsp), %xmm5\n"
	"	movups 96(%rsp), %xmm6\n"
	"	movups 112(%rsp), %xmm7\n"
	"	add $136, %rsp\n"
	"	pop %r9\n"
	"	pop %r8\n"
	"	pop %rcx\n"
	"	pop %rdx\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"	pop %rax\n"
	"	pop %rbp\n"
	"	jmp *%r11\n"
	".size snag_interceptor_first, . - snag_interceptor_first\n");

#define NAME(name)                                                             \
	__asm__(".text\n"                                                      \
		".weak __interceptor_" #name "\n"                              \
		".type __interceptor_" #name ", @function\n"                   \
		"__interceptor_" #name ":\n"                                   \
		"	mov 1f(%rip), %r11\n"                                        \
		"	test %r11, %r11\n"                                           \
		"	je 3f\n"                                                     \
		"	jmp *%r11\n"                                                 \
		"3:	lea 2f(%rip), %r10\n"                                      \
		"	lea 1f(%rip), %r11\n"                                        \
		"	jmp snag_interceptor_first\n"                                \
		".size __interceptor_" #name ", . - __interceptor_" #name "\n" \
		".bss\n"                                                       \
		".balign 8\n"                                                  \
		"1:	.quad 0\n"                                                 \
		".section .rodata\n"                                           \
		"2:	.asciz \"" #name "\"\n"                                \
		".text\n");
#include "runtime/hooks/interceptors.def"
