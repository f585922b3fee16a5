# SPDX-License-Identifier: Apache-2.0
#
# pause.s - what `snag cc` puts before the assembly that gcc makes: `pause` becomes a call.
#
# See pause.c.  The 128 bytes below the stack pointer may be in use, and the call must not
# overwrite them.  The bytes are `lea -128(%rsp), %rsp` and `lea 128(%rsp), %rsp`, which change no
# flags, in a form that both syntaxes have.
.macro pause
	.byte 0x48, 0x8d, 0x64, 0x24, 0x80
	call __snag_pause_here@PLT
	.byte 0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0
.endm
