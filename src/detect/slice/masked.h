/* SPDX-License-Identifier: Apache-2.0
 *
 * masked.h - a trace in which the accesses of uncontended variables do nothing
 *
 * Idea.   A slice in memory costs 20 bytes per event.  Detectors that see every event once do
 *         not need it.  This source delivers all events of the trace under their own numbers,
 *         and turns each access that is not in the slice into an event that no detector looks at
 *         (BEGIN).
 * Cost.   One batch.
 */
#ifndef SNAG_DETECT_MASKED_H
#define SNAG_DETECT_MASKED_H

#include "detect/slice/contended.h"

/* Wraps `inner`, which it takes over: `origin` opened again, because a source opened again
 * cannot be opened once more.  `origin` and `contended` outlive the source.  Only the first
 * `events` events are delivered; 0: all. */
struct snag_source *snag_masked_source(struct snag_source *inner, const struct snag_source *origin,
				       const struct snag_contended *contended, uint64_t events);

#endif
