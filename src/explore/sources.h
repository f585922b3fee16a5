/* SPDX-License-Identifier: Apache-2.0
 *
 * sources.h - after which change of a thing each move came, and after which it could have come
 *
 * Idea.   The source of a move f is the last move before it that changed what f touches: the write
 *         that a read sees, the section before a section of the same lock.  A failure often needs
 *         one read to see an old value, however many threads have written since.  The other order
 *         of f and the last change (relation.h) only leads to the change before.  So this goes
 *         further back: if nothing but the changes e1 < e2 < ... of the thing itself orders f
 *         behind e2, then f could have come before e2, too, with the source e1.
 *
 *         Places in the code name a source: (place of f, place of its source, or 0).
 * Cost.   At most SNAG_SOURCES_BACK changes are looked at for each touch.
 * Reference.  Wolff, Shi, Duck, Mathur and Roychoudhury, ASPLOS 2024 (pairs of places that read
 *         from each other tell schedules apart).
 */
#ifndef SNAG_EXPLORE_SOURCES_H
#define SNAG_EXPLORE_SOURCES_H

#include "explore/relation.h"

enum { SNAG_SOURCES_BACK = 256 };

/* Calls `on` for every source that the run shows (other is NULL), and for every one that a move
 * could have instead: the reversal leads to it. */
void snag_sources_each(const struct snag_relation *r,
		       void (*on)(void *ctx, uint64_t source, const struct snag_reversal *other),
		       void *ctx);

#endif
