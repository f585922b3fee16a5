/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_convert.c - `snag convert`: a trace from one format to another
 */
#include "cli/command.h"
#include "cli/reading.h"
#include "cli/writing.h"
#include "base/memory.h"
#include "report/chrome.h"
#include "trace/formats.h"
#include "trace/trace.h"
#include "witness/witness.h"

#include <string.h>

struct convert_values {
	struct cli_reading reading;
	int to; /* cli_format() */
	const char *witness;
};

static const struct cli_option convert_options[] = {
	{.name = "to",
	 .kind = CLI_CHOICE,
	 .value = cli_format_words,
	 .offset = offsetof(struct convert_values, to),
	 .help = "format of OUT; auto: by name, std for -"},
	{.name = "witness",
	 .kind = CLI_TEXT,
	 .value = "FILE",
	 .offset = offsetof(struct convert_values, witness),
	 .offer = CLI_OFFER_FILES,
	 .help = "write the events of a witness, in its order"},
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

/* Chrome's trace events are no trace that snag reads back: they have a name of their own. */
static bool is_chrome(const char *path)
{
	size_t n = strlen(path);
	return n > 5 && strcmp(path + n - 5, ".json") == 0;
}

static int chrome_write(struct snag_source *src, const char *path, struct snag_error *err)
{
	struct snag_printer to;
	int rc = snag_printer_open(&to, path, err);
	if (rc < 0)
		return rc;
	rc = snag_chrome_write(src, &to, err);
	if (rc < 0) {
		to.err = *err;
		snag_printer_commit(&to, NULL); /* leaves nothing behind */
		return rc;
	}
	return snag_printer_commit(&to, err);
}

static int any_write(struct snag_source *src, const char *path, const struct snag_trace_format *to,
		     struct snag_error *err)
{
	if (!to && is_chrome(path))
		return chrome_write(src, path, err);
	return needs_threads(path, to) ? copy_in_two_steps(src, path, to, err)
				       : copy(src, path, to, 0, err);
}

/* Puts the events of a checked witness in its order. */
static int reorder(struct snag_trace *trace, const char *path, struct snag_error *err)
{
	struct snag_witness w = {0};
	int rc = snag_witness_read(path, trace, &w, err);
	if (rc == 0)
		rc = snag_witness_check(trace, &w, SNAG_RULES_AUTO, err);
	if (rc == 0) {
		uint32_t *seen =
			snag_calloc(trace->names.space[SNAG_SPACE_THREAD].n, sizeof(*seen));
		struct snag_event *ev = snag_realloc(NULL, trace->n, sizeof(*ev));
		size_t n = 0;
		for (size_t i = 0; w.prefix && i < trace->n; i++)
			if (seen[trace->ev[i].thread]++ < w.prefix[trace->ev[i].thread])
				ev[n++] = trace->ev[i];
		for (size_t i = 0; i < w.n; i++)
			ev[n++] = trace->ev[w.event[i]];
		free(seen);
		free(trace->ev);
		trace->ev = ev;
		trace->n = n;
	}
	snag_witness_done(&w);
	return rc;
}

static int witness_write(struct snag_source *src, const char *witness, const char *path,
			 const struct snag_trace_format *to, struct snag_error *err)
{
	struct snag_trace trace;
	snag_trace_init(&trace);
	int rc = snag_trace_load(&trace, src, err);
	if (rc == 0)
		rc = reorder(&trace, witness, err);
	if (rc == 0) {
		struct snag_source *reordered = snag_trace_source(&trace);
		rc = any_write(reordered, path, to, err);
		snag_source_close(reordered);
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
	rc = v->witness ? witness_write(src, v->witness, out, to, err)
			: any_write(src, out, to, err);
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
		"standard input or output.  OUT may also be .json: trace events for Perfetto.\n",
	.values_size = sizeof(struct convert_values),
	.run = convert_run,
};
