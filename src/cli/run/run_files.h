/* SPDX-License-Identifier: Apache-2.0
 *
 * run_files.h - files of `snag run`: where the trace goes, which races are not to be reported
 */
#ifndef SNAG_CLI_RUN_FILES_H
#define SNAG_CLI_RUN_FILES_H

#include "base/temporary.h"
#include "report/incident/suppress.h"

/* The trace of the run: where the user wants it, or in a folder that goes away. */
struct cli_place { /* all 0: nowhere */
	char folder[SNAG_TEMPORARY_MAX];
	char file[SNAG_TEMPORARY_MAX + 16];
};

int cli_place_make(struct cli_place *p, const char *keep, struct snag_error *err);
void cli_place_remove(const struct cli_place *p);

/* `path` NULL: there are none. */
int cli_suppressions_read(const char *path, struct snag_suppressions *s, struct snag_error *err);
/* Adds the text that the program's function __tsan_default_suppressions() returns. */
int cli_suppressions_own(const char *text, struct snag_suppressions *s, struct snag_error *err);
/* Names the suppressions that matched nothing, except those of the program itself. */
void cli_suppressions_note(const struct snag_suppressions *s);

#endif
