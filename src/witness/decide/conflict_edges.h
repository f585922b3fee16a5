/* SPDX-License-Identifier: Apache-2.0
 *
 * conflict_edges.h - the conflicting critical sections of a trace, as DC orders them
 *
 * Idea.   DC orders the end of a section before an access in a later section of the same lock, if
 *         the two sections belong to different threads and the first has an access that conflicts
 *         with this one.  Accesses to an atomic variable count as sections of a lock of its own.
 *
 * State.  For each lock and variable the sections that wrote and that read it.  A write in a
 *         section that is not shared comes after all of them, so it replaces them: what conflicts
 *         with an earlier access conflicts with this write too.
 * Cost.   Amortised O(locks held) per access; for writes in shared sections O(sections in the
 *         lists).  8 bytes per section in a list, 24 per lock and variable.
 * Reference.  Roemer, Genç and Bond, PLDI 2018, definition of DC, rule (a).  Rule (b), for two
 *             releases, follows from the rules of locks in vindicate.c.
 */
#ifndef SNAG_WITNESS_DECIDE_CONFLICT_EDGES_H
#define SNAG_WITNESS_DECIDE_CONFLICT_EDGES_H

#include "base/slots.h"
#include "witness/decide/index.h"

struct snag_conflict_edges { /* all 0: no access yet */
	struct snag_edge_guarded *guarded;
	size_t nguarded, guarded_cap;
	struct snag_slots slots; /* of guarded[], by lock and variable */
	struct snag_edge_section *section;
	size_t nsections, section_cap;
	uint32_t unused; /* a list of sections */
};

void snag_conflict_edges_done(struct snag_conflict_edges *c);

/* Called with an event that DC orders before an access. */
typedef void snag_conflict_edge_handler(void *ctx, uint32_t from);
/* Calls the handler for the access e.  Call this for all accesses, in observed order. */
void snag_conflict_edges_access(struct snag_conflict_edges *c, const struct snag_index *ix,
				uint32_t e, snag_conflict_edge_handler *handler, void *ctx);

#endif
