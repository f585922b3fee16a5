/* SPDX-License-Identifier: Apache-2.0
 *
 * reading.c - how commands open and read a trace
 */
#include "cli/reading.h"

#include "base/memory.h"
#include "cli/interrupt.h"

#include <stdio.h>

const char cli_format_words[] = "auto"
#define FORMAT(name) "|" #name
#include "trace/formats.def"
#undef FORMAT
	;

const struct cli_option cli_reading_options[] = {
	{.name = "from",
	 .kind = CLI_CHOICE,
	 .value = cli_format_words,
	 .offset = offsetof(struct cli_reading, from),
	 .help = "format of the trace; auto: by name or first bytes"},
	{.name = "lenient",
	 .kind = CLI_FLAG,
	 .set = 1,
	 .offset = offsetof(struct cli_reading, lenient),
	 .help = "skip and count what breaks the rules of traces"},
	{.name = "progress",
	 .kind = CLI_FLAG,
	 .set = CLI_PROGRESS_ON,
	 .offset = offsetof(struct cli_reading, progress),
	 .help = "show progress also where there is no terminal"},
	{.name = "no-progress",
	 .kind = CLI_FLAG,
	 .set = CLI_PROGRESS_OFF,
	 .offset = offsetof(struct cli_reading, progress),
	 .help = "never show progress"},
	{0},
};

const struct snag_trace_format *cli_format(int word)
{
	return word ? snag_formats[word - 1] : NULL;
}

int cli_source_open(const char *path, const struct cli_reading *reading,
		    struct snag_source **ret_src, struct snag_error *err)
{
	struct snag_source_options options = {.lenient = reading->lenient, .stop = &cli_stop};
	int rc = snag_format_source(cli_format(reading->from), path, &options, ret_src, err);
	if (rc == 0)
		cli_interrupt_catch();
	return rc;
}

struct watched_source {
	struct snag_source base;
	struct snag_source *inner;
	struct cli_progress progress;
};

static int watched_next(struct snag_source *src, struct snag_batch *ret_batch,
			struct snag_error *err)
{
	struct watched_source *s = (struct watched_source *)src;
	int rc = snag_source_next(s->inner, ret_batch, err);
	s->base.skipped = s->inner->skipped;
	if (cli_stop)
		return snag_fail(err, SNAG_EIO, "%s: interrupted", s->base.name);
	if (rc > 0)
		cli_progress_show(&s->progress, ret_batch->first + ret_batch->n,
				  snag_source_progress(s->inner));
	else
		cli_progress_end(&s->progress);
	return rc;
}

static double watched_progress(const struct snag_source *src)
{
	return snag_source_progress(((const struct watched_source *)src)->inner);
}

static void watched_close(struct snag_source *src)
{
	struct watched_source *s = (struct watched_source *)src;
	cli_progress_end(&s->progress);
	snag_source_close(s->inner);
	free(s);
}

struct snag_source *cli_watched_source(struct snag_source *inner, const struct cli_reading *reading)
{
	static const struct snag_source_ops ops = {
		.next = watched_next, .progress = watched_progress, .close = watched_close};
	struct watched_source *s = snag_calloc(1, sizeof(*s));
	s->base = (struct snag_source){.ops = &ops, .name = inner->name, .names = inner->names};
	s->inner = inner;
	cli_progress_begin(&s->progress, (enum cli_progress_when)reading->progress);
	return &s->base;
}

void cli_skipped_note(const char *command, const struct snag_source *src)
{
	if (src->skipped)
		fprintf(stderr, "snag: %s: %s: skipped %llu that break the rules of traces\n",
			command, src->name, (unsigned long long)src->skipped);
}
