/* SPDX-License-Identifier: Apache-2.0
 *
 * output.h - a byte stream to write a trace to, all or nothing
 *
 * Bytes go to a temporary file beside the target, which gets the target's name only at commit.
 * A failure leaves no partial file, and an existing target as it was.  Names ending in .gz or
 * .zst are compressed.  These are written directly: "-", which is standard output; a target that
 * is not a regular file (a pipe, /dev/null); and a name of an open file (/dev/stdout).
 */
#ifndef SNAG_TRACE_OUTPUT_H
#define SNAG_TRACE_OUTPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct snag_output;

int snag_output_open(const char *path, struct snag_output **ret_out, struct snag_error *err);
int snag_output_write(struct snag_output *out, const void *bytes, size_t n, struct snag_error *err);
/* Both end the output and free it.  Commit may still fail (full disk). */
int snag_output_commit(struct snag_output *out, struct snag_error *err);
void snag_output_abort(struct snag_output *out); /* accepts NULL */
/* From now on the target gets whatever was written, even after a failure: a recording that
 * cannot be repeated is better cut than lost. */
void snag_output_keep(struct snag_output *out);
/* From now on such an output buffers nothing, unless it is compressed as a whole. */
int snag_output_settle(struct snag_output *out, struct snag_error *err);

/* Whether snag_output_rewrite() can be used: the output is to be kept, and a plain regular file. */
bool snag_output_can_rewrite(const struct snag_output *out);
/* Replaces the first n bytes. */
int snag_output_rewrite(struct snag_output *out, const void *bytes, size_t n,
			struct snag_error *err);

/* How many bytes the file has so far, nearly; 0 if it is compressed as .gz. */
uint64_t snag_output_written(const struct snag_output *out);
const char *snag_output_name(const struct snag_output *out); /* for messages */

#endif
