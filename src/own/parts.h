/* SPDX-License-Identifier: Apache-2.0
 *
 * parts.h - what the files of src/own/ call of each other
 */
#ifndef SNAG_OWN_PARTS_H
#define SNAG_OWN_PARTS_H

#include "own/own.h"

/* heap.c */
void own_blocks_forget(struct own *o);
void own_blocks_take_back(struct own *o, const struct own_context *c, bool has_loans);
/* The word at `at` holds `value`, which may be the address of a block. */
void own_block_escapes(struct own *o, uintptr_t value, uintptr_t at);
/* The same for an argument of a task that c creates.  Returns whether the block is lent. */
bool own_block_lend(struct own *o, const struct own_context *c, uintptr_t value, uintptr_t at);
bool own_block_is_of(const struct own *o, uintptr_t addr, uint32_t implicit);

/* stacks.c */
void own_stacks_forget(struct own *o);
void own_stack_escapes(struct own *o, struct own_context *of);
void own_stack_lend(struct own *o, struct own_context *of);

#endif
