/* SPDX-License-Identifier: Apache-2.0
 *
 * recording.h - the trace of a running program, as a file
 *
 * What the program does is written as it comes, and if variables were split is read again and refined
 * when it has ended (refine.h).  A target that cannot be read as it was written, as a pipe or a
 * text, is written when the program has ended, from a temporary file.
 */
#ifndef SNAG_RECORD_RECORDING_H
#define SNAG_RECORD_RECORDING_H

#include "trace/sink.h"

struct snag_recording;

/* A full disk: what was written stays. */
int snag_recording_open(const char *path, struct snag_recording **ret_recording,
			struct snag_error *err);
/* It takes runs, and asks for names as a sink that does. */
int snag_recording_write(struct snag_recording *r, const struct snag_batch *batch,
			 const struct snag_names *names, struct snag_error *err);
/* Both end the recording.  `live` has ended; event: as of snag_live_refine(). */
int snag_recording_commit(struct snag_recording *r, struct snag_source *live, uint64_t event[2],
			  struct snag_error *err);
void snag_recording_abort(struct snag_recording *r); /* accepts NULL */

#endif
