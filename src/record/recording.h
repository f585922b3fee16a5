/* SPDX-License-Identifier: Apache-2.0
 *
 * recording.h - the trace of a running program, as a file
 *
 * Events are written as they come, and their splits (trace/split.h) when the program has ended;
 * readers of the file get refined events.  A target that cannot hold splits, or cannot be read
 * twice, such as a text or a pipe, is written when the program has ended, refined, from a
 * temporary file.
 */
#ifndef SNAG_RECORD_RECORDING_H
#define SNAG_RECORD_RECORDING_H

#include "trace/sink.h"

struct snag_recording;

/* Opens a recording.  On a full disk, the written part stays. */
int snag_recording_open(const char *path, struct snag_recording **ret_recording,
			struct snag_error *err);
/* Writes a batch, which may contain runs.  Names of variables are read only in the batch that first
 * has them. */
int snag_recording_write(struct snag_recording *r, const struct snag_batch *batch,
			 const struct snag_names *names, struct snag_error *err);
/* Ends the recording and keeps the file.  `live` has ended; `event` is as for
 * snag_live_renumber(). */
int snag_recording_commit(struct snag_recording *r, struct snag_source *live, uint64_t event[2],
			  struct snag_error *err);
void snag_recording_abort(struct snag_recording *r); /* accepts NULL */

#endif
