/* SPDX-License-Identifier: Apache-2.0
 *
 * report_file.h - what `snag run --json FILE` reported, read back
 *
 * Commands read reports of earlier runs as a baseline, to compare them, or to write them in other
 * formats.  An entry has what all formats need of an incident, of any kind.
 */
#ifndef SNAG_CLI_REPORT_FILE_H
#define SNAG_CLI_REPORT_FILE_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

struct cli_report_entry {
	char *id;   /* "R-1a2b3c4d"; NULL: it has none */
	char *kind; /* "race", "deadlock", ... */
	char *verdict;
	char *text; /* one sentence: the kind of incident, the variable or object, the place */
	char *file; /* of the main location; NULL: unknown */
	unsigned line, column;
	bool is_suppressed;
	const json_t *incident; /* all of it; belongs to the file */
};

struct cli_report_file {
	json_t *root;
	struct cli_report_entry *at;
	size_t n;
};

int cli_report_file_read(const char *path, struct cli_report_file *ret, struct snag_error *err);
void cli_report_file_done(struct cli_report_file *f);

/* Calls `on_id` for the id of an entry, and for the ids of further races with the same cause. */
void cli_report_ids(const struct cli_report_entry *e, void (*on_id)(void *ctx, const char *id),
		    void *ctx);

/* The innermost frame of a stack that has a source file; NULL: none. */
const json_t *cli_report_frame(const json_t *stack);
/* A string member, or "". */
const char *cli_report_text(const json_t *object, const char *key);

#endif
