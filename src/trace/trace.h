/* SPDX-License-Identifier: Apache-2.0
 *
 * trace.h - a whole trace in memory, 16 bytes an event
 *
 * For what needs random access: witness construction and checking, the oracle,
 * pipes that must be read twice.
 */
#ifndef SNAG_TRACE_TRACE_H
#define SNAG_TRACE_TRACE_H

#include "trace/source.h"

struct snag_trace {
	struct snag_event *ev;
	size_t n, cap;
	struct snag_names names;
	char *name; /* of the file, for messages; may be NULL */
};

void snag_trace_init(struct snag_trace *trace);
void snag_trace_done(struct snag_trace *trace); /* accepts NULL */

/* Reads all of a source, whose names are copied. */
int snag_trace_load(struct snag_trace *trace, struct snag_source *src, struct snag_error *err);
/* The same piece by piece: events as they come, the names at the end. */
void snag_trace_append(struct snag_trace *trace, const struct snag_batch *batch);
void snag_trace_names(struct snag_trace *trace, const struct snag_source *src);
/* snag_source_open, snag_trace_load, close. */
int snag_trace_load_file(struct snag_trace *trace, const char *path,
			 const struct snag_source_options *options, struct snag_error *err);

/* A source that delivers the trace, which must outlive it. */
struct snag_source *snag_trace_source(const struct snag_trace *trace);

/* Building by hand (tests, oracle): interns the names and appends one event.
 * `operand` is ignored where the operation has none. */
void snag_trace_add(struct snag_trace *trace, const char *thread, enum snag_op op,
		    const char *operand, const char *loc);

#endif
