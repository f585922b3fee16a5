/* SPDX-License-Identifier: Apache-2.0
 *
 * open.c - opens a trace for reading or writing: which format it is
 */
#include "trace/format.h"
#include "trace/format.h"
#include "trace/input.h"
#include "trace/output.h"
#include "trace/sink.h"

#include <string.h>

enum format { STD, CSV, BINARY, OTHER };

/* Whether the n bytes at path end with the suffix, with something before it. */
static bool has_suffix(const char *path, size_t n, const char *suffix)
{
	size_t m = strlen(suffix);
	return n > m && memcmp(path + n - m, suffix, m) == 0;
}

static enum format format_of_name(const char *path)
{
	size_t n = strlen(path);
	if (has_suffix(path, n, ".gz"))
		n -= strlen(".gz");
	else if (has_suffix(path, n, ".zst"))
		n -= strlen(".zst");
	if (has_suffix(path, n, ".std"))
		return STD;
	if (has_suffix(path, n, ".csv"))
		return CSV;
	return has_suffix(path, n, ".snag") ? BINARY : OTHER;
}

static int format_of_bytes(struct snag_input *in, enum format *ret_format, struct snag_error *err)
{
	ssize_t have = snag_input_fill(in, SNAG_MAGIC_BYTES, err);
	if (have < 0)
		return (int)have;
	bool is_binary = have >= SNAG_MAGIC_BYTES &&
			 memcmp(in->at, SNAG_FORMAT_MAGIC, SNAG_MAGIC_BYTES) == 0;
	*ret_format = is_binary ? BINARY : STD;
	return 0;
}

static int format_open(enum format format, struct snag_input *in,
		       const struct snag_source_options *options, struct snag_source **ret_src,
		       struct snag_error *err)
{
	switch (format) {
	case CSV:
		return snag_csv_source(in, options, ret_src, err);
	case BINARY:
		return snag_binary_source(in, options, ret_src, err);
	default:
		return snag_std_source(in, options, ret_src, err);
	}
}

int snag_source_open(const char *path, const struct snag_source_options *options,
		     struct snag_source **ret_src, struct snag_error *err)
{
	static const struct snag_source_options strict;
	enum format format = format_of_name(path);
	struct snag_source *src;
	struct snag_input *in;
	if (!options)
		options = &strict;
	int rc = snag_input_open(path, &in, err);
	if (rc < 0)
		return rc;
	in->stop = options->stop;
	if (format == OTHER) {
		rc = format_of_bytes(in, &format, err);
		if (rc < 0) {
			snag_input_close(in);
			return rc;
		}
	}
	rc = format_open(format, in, options, &src, err);
	if (rc < 0)
		return rc;
	*ret_src = snag_wellformed_source(src, options);
	return 0;
}

bool snag_sink_needs_threads(const char *path)
{
	return format_of_name(path) == CSV;
}

int snag_sink_open(const char *path, uint32_t threads, struct snag_sink **ret_sink,
		   struct snag_error *err)
{
	enum format format = strcmp(path, "-") == 0 ? STD : format_of_name(path);
	if (format == OTHER)
		return snag_fail(
			err, SNAG_EINPUT,
			"%s: unknown kind of trace, expected a name that ends in .std, .csv "
			"or .snag, perhaps with .gz or .zst",
			path);
	struct snag_output *out;
	int rc = snag_output_open(path, &out, err);
	if (rc < 0)
		return rc;
	if (format == CSV)
		*ret_sink = snag_csv_sink(out, threads);
	else
		*ret_sink = format == STD ? snag_std_sink(out) : snag_binary_sink(out);
	return 0;
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
