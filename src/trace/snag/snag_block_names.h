/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_block_names.h - the new names of a block of a .snag file, as its reader takes them in
 *
 * Rules.  [number]  a name gets the next number of its name space, so no name may come twice
 *         [count]   names that count (T1, T2, ...) are given as how many; a file cannot have many
 *                   more of these than it has events
 *         [forget]  if the consumer forgets names of variables, the reader keeps only the last one,
 *                   from which the next ones may count, and cannot check [number]
 */
#ifndef SNAG_TRACE_SNAG_BLOCK_NAMES_H
#define SNAG_TRACE_SNAG_BLOCK_NAMES_H

#include "trace/names.h"
#include "trace/snag/snag_bytes.h"
#include "trace/snag/snag_words.h"

struct snag_block_names {
	struct snag_names *names;
	struct snag_words_bases *bases;
	struct snag_bytes words; /* the names of the block, in full */
	uint64_t counted;	 /* [count] names so far */
	bool forgets_variables;
};

/* `names` gets the names, and outlives b. */
void snag_block_names_init(struct snag_block_names *b, struct snag_names *names);
void snag_block_names_done(struct snag_block_names *b);
/* Interns the names of a block; the blocks before it have `delivered` events.  Returns NULL, or
 * what is wrong with the names. */
const char *snag_block_names_intern(struct snag_block_names *b, struct snag_span column,
				    uint64_t delivered);
/* [forget] Call this before each block. */
void snag_block_names_forget(struct snag_block_names *b);

#endif
