/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_convert.c - `snag convert`: a trace from one format to another
 */
#include "cli/command.h"
#include "cli/reading.h"
#include "cli/writing.h"
#include "trace/formats.h"
#include "trace/trace.h"

struct convert_values {
	struct cli_reading reading;
	int to; /* cli_format() */
};

static const struct cli_option convert_options[] = {
	{.name = "to",
	 .kind = CLI_CHOICE,
	 .value = cli_format_words,
	 .offset = offsetof(struct convert_values, to),
	 .help = "format of OUT; auto: by name, std for -"},
	{0},
};

static bool needs_threads(const char *path, const struct snag_trace_format *to)
{
	return to ? to->sink_of_threads != NULL : snag_sink_needs_threads(path);
}

static int copy(struct snag_source *src, const char *path, const struct snag_trace_format *to,
		uint32_t threads, struct snag_error *err)
{
	struct snag_sink *sink;
	int rc = to ? snag_format_sink(to, path, threads, &sink, err)
		    : snag_sink_open(path, threads, &sink, err);
	return rc < 0 ? rc : snag_sink_copy(sink, src, err);
}

/* A format that begins with the number of threads: read everything, then write. */
static int copy_in_two_steps(struct snag_source *src, const char *path,
			     const struct snag_trace_format *to, struct snag_error *err)
{
	struct snag_trace trace;
	snag_trace_init(&trace);
	int rc = snag_trace_load(&trace, src, err);
	if (rc == 0) {
		struct snag_source *whole = snag_trace_source(&trace);
		rc = copy(whole, path, to, trace.names.space[SNAG_SPACE_THREAD].n, err);
		snag_source_close(whole);
	}
	snag_trace_done(&trace);
	return rc;
}

static int convert_run(const void *values, char *const *operand, struct snag_error *err)
{
	const struct convert_values *v = values;
	const char *in = operand[0], *out = operand[1];
	const struct snag_trace_format *to = cli_format(v->to);
	struct snag_source *src;
	if (cli_same_file(in, out))
		return snag_fail(err, SNAG_EINPUT, "%s: is both input and output", out);
	int rc = cli_source_open(in, &v->reading, &src, err);
	if (rc < 0)
		return rc;
	src = cli_watched_source(src, &v->reading);
	rc = needs_threads(out, to) ? copy_in_two_steps(src, out, to, err)
				    : copy(src, out, to, 0, err);
	if (rc == 0)
		cli_skipped_note("convert", src);
	snag_source_close(src);
	return rc;
}

const struct cli_command cli_command_convert = {
	.name = "convert",
	.summary = "write a trace in another format",
	.operands = "IN OUT",
	.min_operands = 2,
	.max_operands = 2,
	.offer = CLI_OFFER_FILES,
	.options = convert_options,
	.common = cli_reading_options,
	.about =
		"Reads the trace IN and writes it to OUT, all or nothing.  The formats are chosen\n"
		"by the names: .std, .csv or .snag, compressed with .gz or .zst behind it; - is\n"
		"standard input or output.\n",
	.values_size = sizeof(struct convert_values),
	.run = convert_run,
};
