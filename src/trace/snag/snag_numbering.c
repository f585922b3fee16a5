/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_numbering.c - numbers the distinct keys of a block in order of appearance
 */
#include "trace/snag/snag_numbering.h"

#include "base/memory.h"
#include "trace/format.h"

#include <string.h>

_Static_assert(2 * SNAG_BLOCK_MAX_EVENTS <= 1 << (int)SNAG_NUMBERING_LOG, "at most half full");

void snag_numbering_init(struct snag_numbering *nu)
{
	memset(nu, 0, sizeof(*nu));
	nu->slot = snag_calloc((size_t)1 << SNAG_NUMBERING_LOG, sizeof(*nu->slot));
	nu->key = snag_calloc(SNAG_BLOCK_MAX_EVENTS, sizeof(*nu->key));
	snag_numbering_reset(nu);
}

void snag_numbering_done(struct snag_numbering *nu)
{
	free(nu->slot);
	free(nu->key);
}

void snag_numbering_reset(struct snag_numbering *nu)
{
	nu->n = 0;
	if (++nu->stamp == 0) { /* wrapped: old stamps would come back to life */
		memset(nu->slot, 0, sizeof(*nu->slot) << SNAG_NUMBERING_LOG);
		nu->stamp = 1;
	}
}
