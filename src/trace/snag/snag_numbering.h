/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_numbering.h - numbers the distinct keys of a block in order of appearance
 *
 * Open addressing; a slot counts as empty unless it carries the stamp of the
 * current block, so that starting a block costs nothing.
 */
#ifndef SNAG_TRACE_SNAG_NUMBERING_H
#define SNAG_TRACE_SNAG_NUMBERING_H

#include <stdint.h>

enum { SNAG_NUMBERING_LOG = 17 }; /* twice the events of a block */

struct snag_numbering {
	struct snag_numbering_slot {
		uint64_t key;
		uint32_t stamp, number;
	} * slot;
	uint32_t stamp;
	uint32_t n;    /* how many numbers are in use */
	uint64_t *key; /* of each number */
};

void snag_numbering_init(struct snag_numbering *nu);
void snag_numbering_done(struct snag_numbering *nu);
void snag_numbering_reset(struct snag_numbering *nu);

/* The slot where a key is, unless another came there first. */
static inline uint32_t snag_number_home(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - SNAG_NUMBERING_LOG));
}

static inline uint32_t snag_number_of(struct snag_numbering *nu, uint64_t key)
{
	const uint32_t mask = (1u << SNAG_NUMBERING_LOG) - 1;
	uint32_t i = snag_number_home(key);
	for (;; i = (i + 1) & mask) {
		struct snag_numbering_slot *slot = &nu->slot[i];
		if (slot->stamp != nu->stamp) {
			*slot = (struct snag_numbering_slot){key, nu->stamp, nu->n};
			nu->key[nu->n] = key;
			return nu->n++;
		}
		if (slot->key == key)
			return slot->number;
	}
}

#endif
