/* SPDX-License-Identifier: Apache-2.0
 *
 * output.h - a byte stream to write a trace to, all or nothing
 *
 * Bytes go to a temporary file beside the target, which takes the target's name
 * only at commit: a failure leaves no partial file and an existing target as it
 * was.  "-" is standard output, and a target that is not a regular file (a pipe,
 * /dev/null) or stands for an open one (/dev/stdout) is written directly.  Names ending in .gz or
 * .zst are compressed.
 */
#ifndef SNAG_TRACE_OUTPUT_H
#define SNAG_TRACE_OUTPUT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct snag_output;

int snag_output_open(const char *path, struct snag_output **ret_out, struct snag_error *err);
int snag_output_write(struct snag_output *out, const void *bytes, size_t n, struct snag_error *err);
/* Both end the output and free it; commit may still fail (full disk). */
int snag_output_commit(struct snag_output *out, struct snag_error *err);
void snag_output_abort(struct snag_output *out); /* accepts NULL */
/* From here on the target is what was written, if anything was, whatever happens: a recording
 * that cannot be made again is better cut than lost. */
void snag_output_keep(struct snag_output *out);
/* Such an output holds nothing back from here on, unless it is compressed as a whole. */
int snag_output_settle(struct snag_output *out, struct snag_error *err);

const char *snag_output_name(const struct snag_output *out); /* for messages */

#endif
