# SPDX-License-Identifier: Apache-2.0
#
# pause.s - what `snag cc` puts before the assembly that gcc makes: two instructions become calls
#
# `pause` (pause.c), and the exchange of %rbx with itself, a request to Valgrind (valgrind.c).  The 128
# bytes below the stack pointer may be in use, and the call must not overwrite them.  The bytes are
# `lea -128(%rsp), %rsp` and `lea 128(%rsp), %rsp`, which change no flags, in a form that both
# syntaxes have.  An exchange has a register, so `xchg` needs no suffix.
.macro snag_call function
	.byte 0x48, 0x8d, 0x64, 0x24, 0x80
	call \function\()@PLT
	.byte 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0
.endm
.macro pause
	snag_call __snag_pause_here
.endm
.macro xchgq operands:vararg
	.ifeqs "\operands", "%rbx,%rbx"
	snag_call __snag_request_here
	.else
	xchg \operands
	.endif
.endm
