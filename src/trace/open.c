/* SPDX-License-Identifier: Apache-2.0
 *
 * open.c - opens a trace for reading or writing: which format it is
 */
#include "trace/formats.h"
#include "trace/input.h"
#include "trace/output.h"

#include <stdio.h>
#include <string.h>

const struct snag_trace_format *const snag_formats[] = {
#define FORMAT(name) &snag_format_##name,
#include "trace/formats.def"
#undef FORMAT
	NULL,
};

/* Whether the n bytes at path end with the suffix, with something before it. */
static bool has_suffix(const char *path, size_t n, const char *suffix)
{
	size_t m = strlen(suffix);
	return n > m && memcmp(path + n - m, suffix, m) == 0;
}

const struct snag_trace_format *snag_format_of_name(const char *path)
{
	size_t n = strlen(path);
	if (has_suffix(path, n, ".gz"))
		n -= strlen(".gz");
	else if (has_suffix(path, n, ".zst"))
		n -= strlen(".zst");
	for (size_t i = 0; snag_formats[i]; i++) {
		size_t m = strlen(snag_formats[i]->name);
		if (has_suffix(path, n, snag_formats[i]->name) && n > m + 1 &&
		    path[n - m - 1] == '.')
			return snag_formats[i];
	}
	return NULL;
}

/* By the first bytes; the first format if they say nothing. */
static int format_of_bytes(struct snag_input *in, const struct snag_trace_format **ret_format,
			   struct snag_error *err)
{
	*ret_format = snag_formats[0];
	for (size_t i = 0; snag_formats[i]; i++) {
		const struct snag_trace_format *f = snag_formats[i];
		if (!f->magic)
			continue;
		ssize_t have = snag_input_fill(in, f->nmagic, err);
		if (have < 0)
			return (int)have;
		if ((size_t)have >= f->nmagic && memcmp(in->at, f->magic, f->nmagic) == 0)
			*ret_format = f;
	}
	return 0;
}

int snag_format_source(const struct snag_trace_format *format, const char *path,
		       const struct snag_source_options *options, struct snag_source **ret_src,
		       struct snag_error *err)
{
	static const struct snag_source_options strict;
	struct snag_source *src;
	struct snag_input *in;
	if (!options)
		options = &strict;
	int rc = snag_input_open(path, &in, err);
	if (rc < 0)
		return rc;
	in->stop = options->stop;
	if (!format)
		format = snag_format_of_name(path);
	if (!format) {
		rc = format_of_bytes(in, &format, err);
		if (rc < 0) {
			snag_input_close(in);
			return rc;
		}
	}
	rc = format->source(in, options, &src, err);
	if (rc < 0)
		return rc;
	*ret_src = snag_wellformed_source(src, options);
	return 0;
}

int snag_source_open(const char *path, const struct snag_source_options *options,
		     struct snag_source **ret_src, struct snag_error *err)
{
	return snag_format_source(NULL, path, options, ret_src, err);
}

bool snag_sink_needs_threads(const char *path)
{
	const struct snag_trace_format *format = snag_format_of_name(path);
	return format && format->sink_of_threads;
}

int snag_format_sink(const struct snag_trace_format *format, const char *path, uint32_t threads,
		     struct snag_sink **ret_sink, struct snag_error *err)
{
	struct snag_output *out;
	int rc = snag_output_open(path, &out, err);
	if (rc < 0)
		return rc;
	*ret_sink = format->sink ? format->sink(out) : format->sink_of_threads(out, threads);
	return 0;
}

/* ".std, .csv or .snag" */
static void extensions_text(char *to, size_t room)
{
	size_t n = 0;
	for (size_t i = 0; snag_formats[i] && n < room; i++) {
		const char *before = !i ? "" : snag_formats[i + 1] ? ", " : " or ";
		n += (size_t)snprintf(to + n, room - n, "%s.%s", before, snag_formats[i]->name);
	}
}

int snag_sink_open(const char *path, uint32_t threads, struct snag_sink **ret_sink,
		   struct snag_error *err)
{
	const struct snag_trace_format *format =
		strcmp(path, "-") == 0 ? snag_formats[0] : snag_format_of_name(path);
	char extensions[256] = "";
	if (format)
		return snag_format_sink(format, path, threads, ret_sink, err);
	extensions_text(extensions, sizeof(extensions));
	return snag_fail(err, SNAG_EINPUT,
			 "%s: unknown kind of trace, expected a name that ends in %s, perhaps with "
			 ".gz or .zst",
			 path, extensions);
}

int snag_sink_copy(struct snag_sink *sink, struct snag_source *src, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		rc = snag_sink_write(sink, &batch, src->names, err);
		if (rc < 0)
			break;
	}
	if (rc == 0)
		return snag_sink_commit(sink, err);
	snag_sink_abort(sink);
	return rc;
}
