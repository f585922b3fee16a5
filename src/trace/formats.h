/* SPDX-License-Identifier: Apache-2.0
 *
 * formats.h - a format of traces: how to read it and how to write it
 *
 * docs/adding/a-trace-format.md says how to add one.
 */
#ifndef SNAG_TRACE_FORMATS_H
#define SNAG_TRACE_FORMATS_H

#include "trace/sink.h"

struct snag_trace_format {
	const char *name;  /* as in formats.def: the extension, and the word for --from and --to */
	const char *magic; /* the first bytes of every such trace; NULL: they differ */
	size_t nmagic;
	/* Reads a trace, unchecked.  Takes over `in`: closes it, also on failure. */
	int (*source)(struct snag_input *in, const struct snag_source_options *options,
		      struct snag_source **ret_src, struct snag_error *err);
	/* Writes a trace.  Takes over `out`.  A format has one of these; the second one is given
	 * the number of threads in advance. */
	struct snag_sink *(*sink)(struct snag_output *out);
	struct snag_sink *(*sink_of_threads)(struct snag_output *out, uint32_t threads);
};

#define FORMAT(name) extern const struct snag_trace_format snag_format_##name;
#include "trace/formats.def"
#undef FORMAT

extern const struct snag_trace_format *const snag_formats[]; /* ends with NULL */

/* By the extension, behind any .gz or .zst; NULL: it is that of no format. */
const struct snag_trace_format *snag_format_of_name(const char *path);

/* Opens a trace for analysis and checks its rules; format NULL: by the name, or else by the first
 * bytes.  Otherwise as snag_source_open(). */
int snag_format_source(const struct snag_trace_format *format, const char *path,
		       const struct snag_source_options *options, struct snag_source **ret_src,
		       struct snag_error *err);
/* Opens a file to write; as snag_sink_open(). */
int snag_format_sink(const struct snag_trace_format *format, const char *path, uint32_t threads,
		     struct snag_sink **ret_sink, struct snag_error *err);

#endif
