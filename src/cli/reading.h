/* SPDX-License-Identifier: Apache-2.0
 *
 * reading.h - how commands open and read a trace
 */
#ifndef SNAG_CLI_READING_H
#define SNAG_CLI_READING_H

#include "cli/command.h"
#include "cli/progress.h"
#include "trace/formats.h"

/* The first member of the values of every command that reads a trace. */
struct cli_reading {
	int from; /* cli_format() */
	int lenient;
	int progress; /* enum cli_progress_when */
};

/* The words for enum snag_rules (witness/witness.h), in the order of its members. */
#define CLI_RULES "auto|reads|dependence|literal"

extern const char cli_format_words[]; /* "auto" and the formats, for CLI_CHOICE */
/* Returns the format that a word names; NULL: auto. */
const struct snag_trace_format *cli_format(int word);

extern const struct cli_option cli_reading_options[]; /* for .common */

/* Opens a trace and checks its rules; "-" is standard input.  From then on Ctrl-C
 * is caught, see interrupt.h. */
int cli_source_open(const char *path, const struct cli_reading *reading,
		    struct snag_source **ret_src, struct snag_error *err);

/* Returns a source that owns `inner`, shows progress, and fails after Ctrl-C. */
struct snag_source *cli_watched_source(struct snag_source *inner,
				       const struct cli_reading *reading);

/* Prints on standard error how many parts of the input --lenient skipped, if any. */
void cli_skipped_note(const char *command, const struct snag_source *src);

#endif
