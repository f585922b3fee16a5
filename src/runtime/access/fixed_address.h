/* SPDX-License-Identifier: Apache-2.0
 *
 * fixed_address.h - does the code around a call show that the call's first argument is fixed?
 *
 * Idea.      Compilers call a hook with the address of an access.  If the address is that of a
 *            global variable or of one on the stack, no read decides it.  The machine code shows
 *            this in one of two places: the instructions right before the call compute the
 *            argument from the program counter or the stack pointer, or the access behind the call
 *            has the address as a constant distance from the program counter.
 * Guarantee. An address that the answer calls fixed is the same whatever the program has read,
 *            but for code that looks like such an instruction by chance.  An address that is not
 *            called fixed may be fixed.
 * Limits.    x86-64; elsewhere no address is fixed.
 */
#ifndef SNAG_RUNTIME_FIXED_ADDRESS_H
#define SNAG_RUNTIME_FIXED_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether addr is a fixed address, as far as the code shows.  `pc` is where the call
 * returns to that had addr as its first argument. */
bool rt_is_fixed_address(const uint8_t *pc, uintptr_t addr) __attribute__((visibility("hidden")));

#endif
