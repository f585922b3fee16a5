/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_header.c - file and block headers of a .snag file, with their hashes
 */
#include "trace/format.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t snag_format_hash(const void *bytes, size_t n)
{
	return XXH3_64bits(bytes, n);
}

void snag_file_header_pack(uint8_t to[static SNAG_FILE_HEADER_BYTES], bool may_have_splits,
			   bool is_open)
{
	memset(to, 0, SNAG_FILE_HEADER_BYTES);
	memcpy(to, SNAG_FORMAT_MAGIC, SNAG_MAGIC_BYTES);
	to[8] = SNAG_FORMAT_VERSION & 0xff;
	to[9] = SNAG_FORMAT_VERSION >> 8;
	snag_store32(to + 12, SNAG_FORMAT_ALWAYS | (may_have_splits ? SNAG_FORMAT_SPLITS : 0));
	snag_store32(to + 16, is_open ? SNAG_FORMAT_OPEN : 0);
	snag_store64(to + 24, snag_format_hash(to, 24));
}

void snag_block_header_pack(uint8_t to[static SNAG_BLOCK_HEADER_BYTES],
			    const struct snag_block_header *h)
{
	memcpy(to, SNAG_FORMAT_SYNC, SNAG_MAGIC_BYTES);
	snag_store32(to + 8, h->type);
	snag_store32(to + 12, h->events);
	snag_store64(to + 16, h->first);
	snag_store32(to + 24, h->stored);
	snag_store32(to + 28, h->plain);
	snag_store64(to + 32, h->hash);
	snag_store64(to + 40, snag_format_hash(to, 40));
}

bool snag_block_header_unpack(const uint8_t from[static SNAG_BLOCK_HEADER_BYTES],
			      struct snag_block_header *ret_h)
{
	if (memcmp(from, SNAG_FORMAT_SYNC, SNAG_MAGIC_BYTES) != 0 ||
	    snag_load64(from + 40) != snag_format_hash(from, 40))
		return false;
	*ret_h = (struct snag_block_header){
		.type = snag_load32(from + 8),
		.events = snag_load32(from + 12),
		.first = snag_load64(from + 16),
		.stored = snag_load32(from + 24),
		.plain = snag_load32(from + 28),
		.hash = snag_load64(from + 32),
	};
	return true;
}
