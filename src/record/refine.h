/* SPDX-License-Identifier: Apache-2.0
 *
 * refine.h - a recorded trace as if no variable had been split during the run
 *
 * Idea.   When the run has ended it is known into which parts its memory falls.  An access to a
 *         variable from which parts were split off later becomes one event for each part, so
 *         that all variables have all of their past, and no analysis has to know of splits.
 *         That is the trace of a run in which every access had met the parts as they are
 *         in the end.
 * Rules.  [parts]   of an access to v, number e: v, and the parts, at the time, of whatever was split off
 *                   v after e.  Splits that do not matter are left as they are
 *         [number]  variables are numbered anew, parts with the one they were split off
 *         [name]    and called after their first byte, as if they had been made so
 * Guarantee.  Two accesses that overlap, of threads both of which have been in the cell, have a
 *         variable in common; two that do not overlap have none.
 * Cost.   The file is read and written once more; 8 bytes for each variable.
 */
#ifndef SNAG_RECORD_REFINE_H
#define SNAG_RECORD_REFINE_H

#include "record/convert.h"
#include "record/splits.h"
#include "trace/sink.h"

/* What is to be known of a file when it is refined. */
struct snag_refining {
	const struct snag_splits *splits;
	const struct snag_step *step; /* of its events; may be NULL */
	struct snag_step *ret_step;   /* of those they become; the caller's (snag_huge_free) */
	size_t step_cap;
	uint64_t *event; /* two events, whose numbers change to the new ones; may be NULL */
};
/* Writes the .snag file `path` refined to the sink, which ends. */
int snag_refine(struct snag_refining *how, const char *path, struct snag_sink *sink,
		struct snag_error *err);

#endif
