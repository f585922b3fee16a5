/* SPDX-License-Identifier: Apache-2.0
 *
 * snag_words.h - the NAMES column of a .snag block
 *
 * An entry is a name space, a length and the bytes of a name; or, with SNAG_NAME_SHARED, the
 * number of bytes it has in common with the name before it, in this column and of this
 * space, and the others.
 */
#ifndef SNAG_TRACE_SNAG_WORDS_H
#define SNAG_TRACE_SNAG_WORDS_H

#include "trace/event.h"
#include "trace/snag_bytes.h"

/* Puts a name of a space behind the column so far; `last` is the one before it, which this
 * one becomes. */
void snag_words_put(struct snag_bytes *column, enum snag_space space, struct snag_bytes *last,
		    const char *name, size_t len);
/* The same column with all names in full, put to `to`; false: it is not valid, or more than
 * a block may have. */
bool snag_words_expand(struct snag_span column, struct snag_bytes *to);

#endif
