/* SPDX-License-Identifier: Apache-2.0
 *
 * splits.h - which variables were split off which, and when
 *
 * Idea.   A variable that is met in part is split, and what is split off has no past (cells.h).
 *         This remembers whose past it has; refine.h gives it back.
 *         A variable is called after its first byte; so if that is split off, the new variable gets
 *         the old one's name.
 * State.  at[]     the splits, in the order they happened, which is that of the new variables too
 *         names    of the new variables, in the same order: the trace forgets them
 * Cost.   16 bytes and a name for each split that matters, or still may.
 */
#ifndef SNAG_RECORD_SPLITS_H
#define SNAG_RECORD_SPLITS_H

#include "base/strtab.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_split {
	uint32_t variable; /* the new one ... */
	uint32_t from;	   /* ... split off this one, */
	uint32_t event;	   /* whose events before this number are of both */
	bool is_lower;	   /* the two have each other's names since */
	bool matters;	   /* other threads have been there ... */
	bool is_lost;	   /* ... and will never */
};

struct snag_splits {
	struct snag_split *at;
	size_t n, cap, nlost;
	struct snag_strtab names;
	bool matter; /* some of them do */
};

void snag_splits_init(struct snag_splits *s);
void snag_splits_done(struct snag_splits *s);
/* A new variable, with a higher id than all before, and its name. */
void snag_splits_add(struct snag_splits *s, const struct snag_split *split, const char *name);
/* The splits that made these variables, if any did, matter. */
void snag_splits_matter(struct snag_splits *s, const uint32_t *variable, unsigned n);
/* They never will, unless they do: they may be forgotten. */
void snag_splits_lose(struct snag_splits *s, const uint32_t *variable, unsigned n);
/* The split that made a variable; NULL: none did. */
struct snag_split *snag_splits_find(const struct snag_splits *s, uint32_t variable);

#endif
