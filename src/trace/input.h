/* SPDX-License-Identifier: Apache-2.0
 *
 * input.h - a byte stream to read a trace from: file or pipe, plain, gzip or zstd
 *
 * Magic bytes, not the name, identify the compression.  The unread bytes are at[0 .. end - at);
 * readers consume by advancing `at`.
 */
#ifndef SNAG_TRACE_INPUT_H
#define SNAG_TRACE_INPUT_H

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct snag_input {
	const uint8_t *at, *end; /* unread bytes; SNAG_INPUT_PAD readable bytes follow end */
	uint64_t end_offset;	 /* offset of `end` in the (decompressed) stream */
	char *name;		 /* as given, for messages; "-" reads "<stdin>" */
	/* If non-zero, a read that a signal interrupts fails instead of being restarted; may be
	 * NULL. */
	const volatile sig_atomic_t *stop;
	struct snag_input_state *state;
};

enum { SNAG_INPUT_PAD = 16 }; /* so that a parser may load words without a bounds check */

/* "-" is standard input.  A directory or an unreadable file is an error here. */
int snag_input_open(const char *path, struct snag_input **ret_in, struct snag_error *err);
/* Returns an input over bytes in memory, which must outlive it (tests, fuzzers). */
struct snag_input *snag_input_from_memory(const char *name, const void *bytes, size_t nbytes);
void snag_input_close(struct snag_input *in); /* accepts NULL */

/* Makes at least `need` bytes available, unless the stream ends before; the bytes at `at` may
 * move.  Returns how many are available, or a negative code. */
ssize_t snag_input_fill(struct snag_input *in, size_t need, struct snag_error *err);

static inline uint64_t snag_input_offset(const struct snag_input *in) /* of `at` */
{
	return in->end_offset - (uint64_t)(in->end - in->at);
}

/* Returns the part of the file read so far, 0 to 1, or -1 if unknown (a pipe). */
double snag_input_progress(const struct snag_input *in);
/* Makes snag_input_rewind() possible: copies a pipe to a temporary file.  Call it before
 * anything is consumed. */
int snag_input_keep(struct snag_input *in, struct snag_error *err);
/* Starts again at the first byte. */
int snag_input_rewind(struct snag_input *in, struct snag_error *err);
/* Copies the last n bytes of the stream.  Returns false if they are unknown before the stream
 * was read. */
bool snag_input_tail(const struct snag_input *in, void *to, size_t n);
/* Opens the same file once more.  Returns 1, or 0 if it is not a regular file. */
int snag_input_again(const struct snag_input *in, struct snag_input **ret_in,
		     struct snag_error *err);

#endif
