/* SPDX-License-Identifier: Apache-2.0
 *
 * regions.h - names the addresses of the program, the same in every run
 *
 * balance+0x8        in a global variable
 * prog+0x4010        in a module, at an address without a symbol
 * heap#12:64@37,T1+0x8  in the 12th allocated block: 64 bytes, at location 37 by thread T1
 * T1-0x40            below the beginning of the stack of a thread
 * descriptor:5       a file descriptor (runtime/interpose/descriptor.h)
 * 0x7f12...          any other address
 *
 * An offset of 0 is left out.
 */
#ifndef SNAG_RECORD_REGIONS_H
#define SNAG_RECORD_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SNAG_REGION_NAME = 160 };

struct snag_regions;
struct snag_symbols;
/* `symbols` is borrowed. */
struct snag_regions *snag_regions_new(struct snag_symbols *symbols);
void snag_regions_free(struct snag_regions *r); /* accepts NULL */

/* Returns the module's short name, unique, or NULL if that module is known. */
const char *snag_regions_module(struct snag_regions *r, uint64_t base, uint64_t nbytes,
				const char *path);
/* A stack reaches from `top` down to `low`. */
void snag_regions_stack(struct snag_regions *r, uint32_t thread, uint64_t low, uint64_t top);
/* Begins a block that a thread allocates at a location, and ends the blocks that lay there. */
void snag_regions_alloc(struct snag_regions *r, uint64_t addr, uint64_t nbytes, uint32_t thread,
			uint32_t loc);
/* Skips this many numbers of blocks: the runtime did not report these blocks. */
void snag_regions_skip(struct snag_regions *r, uint64_t nblocks);
/* Ends the block that begins at addr, by a thread at a location, and returns its size; 0: unknown.
 * Its name stays until another block lies there. */
uint64_t snag_regions_dealloc(struct snag_regions *r, uint64_t addr, uint32_t thread, uint32_t loc);
/* The thread that freed the block of an address, and where. */
struct snag_region_end {
	uint32_t thread, loc;
};
/* Returns false if the address is in no block, or the block has not ended. */
bool snag_regions_ended(const struct snag_regions *r, uint64_t addr,
			struct snag_region_end *ret_end);

/* The block that an address lies in, counted from 1 in the order of allocation; 0: none. */
uint64_t snag_regions_block(const struct snag_regions *r, uint64_t addr);
/* How many blocks there have been. */
uint64_t snag_regions_blocks(const struct snag_regions *r);

/* Writes the name of an address; returns its length.  *ret_is_block (may be NULL): it is a place
 * in a block, whose name no other block will have. */
size_t snag_regions_name(struct snag_regions *r, uint64_t addr, char to[SNAG_REGION_NAME],
			 bool *ret_is_block);

/* Returns the mark of the block of an address: a number that the caller may set, and that is 0
 * at first and after every change of regions.  Also returns the offset in the block, and how
 * many bytes from the address on belong to it.  NULL: the address is in no block, or the block's
 * name is too long for a place (base/placed.h). */
uint64_t *snag_regions_mark(struct snag_regions *r, uint64_t addr, uint64_t *ret_offset,
			    uint64_t *ret_nbytes);

#endif
