/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_words.h - the NAMES column of a .snag block
 *
 * An entry begins with its name space, and has one of these forms:
 *   (none)              a length and the bytes of a name
 *   SNAG_NAME_SHARED    the number of bytes it shares with the last entry that has bytes, in this
 *                       column and space, and the remaining bytes
 *   SNAG_NAME_COUNTED   a number of successors (base/numbered.h) of the last name of this space
 *   SNAG_NAME_PLACED    the number of an entry with bytes, of this space, and the distance of the
 *                       place (base/placed.h) from the last one that used that number
 *
 * Most names of a recorded program are places.
 */
#ifndef SNAG_TRACE_SNAG_WORDS_H
#define SNAG_TRACE_SNAG_WORDS_H

#include "base/placed.h"
#include "base/strtab.h"
#include "trace/event.h"
#include "trace/snag/snag_bytes.h"

/* The names of a space that were written. */
struct snag_words {
	struct snag_bytes column;  /* of this block */
	struct snag_bytes spelled; /* the last name with bytes, in this block or before */
	size_t shareable;	   /* its bytes, if it is in this block */
	struct snag_bytes last;	   /* the last name, if it was counted */
	uint32_t counted;	   /* counted names that are not in the column yet */
	bool was_counted, has_last;
	size_t full;	 /* bytes of this block's names, each in full */
	uint64_t nbases; /* in the file: all names with bytes, if there are places */
	uint64_t offset
		[SNAG_STRTAB_BASES]; /* of the last place told by the number of each of them */
};

/* Adds a name.  Returns true if it was counted; this happens only if may_count allows it. */
bool snag_words_put(struct snag_words *w, enum snag_space space, const char *name, size_t len,
		    bool may_count);
/* The same in a space that has places, where no name is counted. */
void snag_words_put_base(struct snag_words *w, enum snag_space space, const char *name, size_t len);
/* Adds the names from `id` up to `end`, as far as they are places.  Returns their number. */
uint32_t snag_words_put_places(struct snag_words *w, enum snag_space space,
			       const struct snag_strtab *names, uint32_t id, uint32_t end);
/* Moves the column of a block that ends to the end of `to`. */
void snag_words_take(struct snag_words *w, enum snag_space space, struct snag_bytes *to);
void snag_words_done(struct snag_words *w);

struct snag_words_place { /* of a name in an expanded column */
	size_t at, len;
};

/* What a reader of columns remembers of names.  All zeros before the first column. */
struct snag_words_bases {
	struct snag_words_space {
		/* Name with bytes; of no length: none in this column. */
		struct snag_words_place last;
		uint64_t n; /* names with bytes so far */
		struct snag_words_base {
			struct snag_words_place name;
			bool is_new; /* it is of the column that is being expanded: look there */
			uint8_t nobject; /* 0: it is no base */
			uint64_t offset;
			char object[SNAG_PLACED_BYTES];
		} base[SNAG_STRTAB_BASES];
	} space[SNAG_SPACES];
};

/* Expands the column of the next block: appends all names except counted ones in full to `to`,
 * which is empty.  Returns false if it is not valid, or larger than a block may be. */
bool snag_words_expand(struct snag_words_bases *bases, struct snag_span column,
		       struct snag_bytes *to);

#endif
