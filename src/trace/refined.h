/* SPDX-License-Identifier: Apache-2.0
 *
 * refined.h - a recorded trace as if every variable had been split from the start (split.h)
 *
 * Idea.   All splits are known before the first event is delivered.  An access to a variable
 *         from which parts are split off later becomes one event for each part.  So every
 *         variable has its whole past, and no analysis needs to know about splits.
 * Rules.  [parts]   An access to v with number e becomes an access to v, and one to each part
 *                   that is split off v after e; such a part has parts by the same rule.  All of
 *                   these events except the first are marked (.part).
 *         [id]      Variables keep their ids and names.
 *         [run]     A run passes as a run if all of its accesses, and those it follows from,
 *                   have one part each.  Otherwise it is expanded.
 * Guarantee.  Two overlapping accesses of threads that have both been in the cell have a
 *             variable in common; two that do not overlap have none.
 * Cost.   4 bytes and a bit per variable, 16 bytes per split; O(1) per event.  A run costs a
 *         test of a bit for each 4096 variables between its first and its last, or of a bit for
 *         each event if some of them have parts.
 */
#ifndef SNAG_TRACE_REFINED_H
#define SNAG_TRACE_REFINED_H

#include "trace/snag/snag_splits.h"
#include "trace/source.h"

/* Takes over both.  The list must be valid: snag_splits_check(). */
struct snag_source *snag_refined_source(struct snag_source *inner, struct snag_splits_list *list);

/* From now on snag_refined_origin() gives the recorded numbers of events.  Returns false if the
 * source is not refined; then every event is as it was recorded. */
bool snag_refined_follow(struct snag_source *src);
/* Returns the recorded number of each event of the last batch. */
const uint64_t *snag_refined_origin(const struct snag_source *src);

#endif
