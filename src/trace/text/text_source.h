/* SPDX-License-Identifier: Apache-2.0
 *
 * text_source.h - the common part of the readers of text traces
 *
 * A format provides the parser of one line; this file provides the rest of a source: lines,
 * batches, line numbers, and the handling of bad lines.
 *
 * Errors.  The events before a bad line are delivered first.  The error comes with the next
 *          call, so that an earlier breach of the trace rules wins.
 */
#ifndef SNAG_TRACE_TEXT_SOURCE_H
#define SNAG_TRACE_TEXT_SOURCE_H

#include "trace/text/lines.h"
#include "trace/source.h"
#include "trace/text/text_op.h"

struct snag_text_source {
	struct snag_source base;
	const struct snag_text_format *format;
	struct snag_lines lines;
	struct snag_names names;
	uint64_t nevents; /* delivered */
	uint64_t skipped; /* bad lines, the long ones apart */
	char *scratch;	  /* for formats that cannot take names as they stand */
	size_t scratch_cap;
	struct snag_event ev[SNAG_BATCH_EVENTS];
	uint64_t line[SNAG_BATCH_EVENTS];
};

struct snag_text_format {
	size_t nbytes; /* of the source, which begins with struct snag_text_source */
	/* Parses the line of n bytes at s.  A refused line adds no names. */
	int (*parse)(struct snag_text_source *src, const char *s, size_t n,
		     const struct snag_text_place *place, struct snag_event *ret_ev,
		     struct snag_error *err);
	/* May be NULL.  Consumes lines into the batch, which has n events, as long as they are
	 * ordinary, the batch has room and there are lines.  Returns the new n. */
	size_t (*run)(struct snag_text_source *src, size_t n);
};

/* Takes over `in`. */
struct snag_source *snag_text_source_new(const struct snag_text_format *format,
					 struct snag_input *in,
					 const struct snag_source_options *options);

#endif
