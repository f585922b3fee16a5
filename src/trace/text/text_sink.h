/* SPDX-License-Identifier: Apache-2.0
 *
 * text_sink.h - the common part of the writers of text traces
 *
 * A format provides the line of one event; this file provides the rest of a sink.  If the format
 * cannot hold an event, that is an error that names the event: operations beyond those of
 * text_op.h, and names that are empty or contain white space or the format's own separator.
 * Nested acquires and releases are written as plain ones.
 */
#ifndef SNAG_TRACE_TEXT_SINK_H
#define SNAG_TRACE_TEXT_SINK_H

#include "trace/output.h"
#include "trace/sink.h"
#include "trace/text/text_op.h"

struct snag_text_sink {
	struct snag_sink base;
	const struct snag_text_layout *layout;
	struct snag_output *out;
	uint32_t checked[SNAG_SPACES]; /* how many names of each space were looked at */
	bool has_bad_names;	       /* one of them cannot be written */
	char *text;		       /* lines to be written */
	size_t n, cap;
};

struct snag_text_layout {
	const char *name; /* of the format, for messages */
	size_t nbytes;	  /* of the sink, which begins with struct snag_text_sink */
	const char *separator;
	bool writes[SNAG_SPACES]; /* whether names of that space appear in it */
	/* Appends the line of the event with that number to sink->text. */
	int (*put)(struct snag_text_sink *sink, uint64_t number, const struct snag_event *ev,
		   const struct snag_names *names, struct snag_error *err);
};

/* Takes over `out`. */
struct snag_text_sink *snag_text_sink_new(const struct snag_text_layout *layout,
					  struct snag_output *out);
/* Makes room for nbytes more in sink->text, and returns where they begin. */
char *snag_text_sink_room(struct snag_text_sink *sink, size_t nbytes);

#endif
