/* SPDX-License-Identifier: Apache-2.0
 *
 * refined.h - a recorded trace as if no variable had been split (split.h)
 *
 * Idea.   All splits are known before the first event is delivered.  An access to a variable from
 *         which parts are split off later becomes one event for each part.  So every variable
 *         has all of its past, and no analysis has to know of splits.
 * Rules.  [parts]   An access to v with number e becomes an access to v, and one to each part that is
 *                   split off v after e; such a part has parts by the same rule.
 *                   All of these events but the first are marked (.part).
 *         [id]      Variables keep their ids and names.
 *         [run]     A run passes as a run if all of its accesses have one part each, and so have
 *                   those before it that it follows from.  Otherwise it is expanded.
 * Guarantee.  Two accesses that overlap, of threads both of which have been in the cell, have a
 *         variable in common; two that do not overlap have none.
 * Cost.   4 bytes and a bit for each variable, 16 bytes for each split; O(1) an event.  A run costs a
 *         look at a bit for each 4096 variables between its first and its last, or at a bit
 *         for each event if some of them have parts.
 */
#ifndef SNAG_TRACE_REFINED_H
#define SNAG_TRACE_REFINED_H

#include "trace/snag_splits.h"
#include "trace/source.h"

/* Takes over both.  The list is right: snag_splits_check(). */
struct snag_source *snag_refined_source(struct snag_source *inner, struct snag_splits_list *list);

/* Follows where recorded events have gone: from now on snag_refined_origin() says which they were.
 * False: the source is not a refined one, so that every event is as it was recorded. */
bool snag_refined_follow(struct snag_source *src);
/* The number that each event of the last batch has among the recorded ones. */
const uint64_t *snag_refined_origin(const struct snag_source *src);

#endif
