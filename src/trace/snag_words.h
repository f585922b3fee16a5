/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_words.h - the NAMES column of a .snag block
 *
 * An entry is a name space, a length and the bytes of a name; or, with SNAG_NAME_SHARED, the
 * number of bytes it has in common with the name of the entry before it that has bytes, in this
 * column and of this space, and the others; or, with SNAG_NAME_COUNTED, a number of names that
 * follow the last one of this space in counting (base/numbered.h).
 */
#ifndef SNAG_TRACE_SNAG_WORDS_H
#define SNAG_TRACE_SNAG_WORDS_H

#include "trace/event.h"
#include "trace/snag_bytes.h"

/* What is written of the names of a space. */
struct snag_words {
	struct snag_bytes column;  /* of this block */
	struct snag_bytes spelled; /* the last name with bytes, in this block or before */
	size_t shareable;	   /* its bytes, if it is in this block */
	struct snag_bytes last;	   /* the last name, if it was counted */
	uint32_t counted;	   /* so many that count are not in the column yet */
	bool was_counted, has_last;
};

/* Adds a name; true: it was counted, which it is only if it may be. */
bool snag_words_put(struct snag_words *w, enum snag_space space, const char *name, size_t len,
		    bool may_count);
/* Moves the column of a block that ends behind `to`. */
void snag_words_take(struct snag_words *w, enum snag_space space, struct snag_bytes *to);
void snag_words_done(struct snag_words *w);

/* The column of a block with all names that have bytes in full, put to `to`; false: it is not valid,
 * or more than a block may have. */
bool snag_words_expand(struct snag_span column, struct snag_bytes *to);

#endif
