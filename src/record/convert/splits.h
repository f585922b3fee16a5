/* SPDX-License-Identifier: Apache-2.0
 *
 * splits.h - from which variable each new one was split (trace/split.h), and which splits matter
 *
 * State.  at[]   the splits in the order in which they happened, by ascending new variable
 *         reported  the splits that matter, for the file
 * Cost.   16 bytes for each split that matters, or still may.
 */
#ifndef SNAG_RECORD_SPLITS_H
#define SNAG_RECORD_SPLITS_H

#include "trace/split.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_kept_split {
	struct snag_split split;
	bool matters; /* several threads have accessed the memory */
	bool is_lost; /* it can never matter */
};

struct snag_splits {
	struct snag_kept_split *at;
	size_t n, cap, nlost;
	struct snag_split *reported;
	bool matter; /* some split matters */
};

void snag_splits_done(struct snag_splits *s); /* all zeros at first */
/* Adds a split.  The new variable has a higher id than all before. */
void snag_splits_add(struct snag_splits *s, const struct snag_split *split);
/* Notes that the splits that made these variables, if any, matter. */
void snag_splits_matter(struct snag_splits *s, const uint32_t *variable, unsigned n);
/* Notes that these splits can never matter, unless they already do.  They may be forgotten. */
void snag_splits_lose(struct snag_splits *s, const uint32_t *variable, unsigned n);
/* Returns the number of those that matter.  The array lives until the next call. */
size_t snag_splits_reported(struct snag_splits *s, const struct snag_split **ret_split);

#endif
