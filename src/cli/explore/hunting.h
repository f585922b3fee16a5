/* SPDX-License-Identifier: Apache-2.0
 *
 * hunting.h - `snag explore` of a program of threads: runs the search, and reports what it found
 */
#ifndef SNAG_CLI_HUNTING_H
#define SNAG_CLI_HUNTING_H

#include "cli/progress.h"
#include "explore/hunt.h"
#include "explore/store.h"
#include "report/json_writer.h"

struct cli_hunt {
	struct snag_hunt hunt;
	const char *json;
	const char *output; /* file for the schedule of the failure; NULL: a name is made */
	const char *strip_path_prefix;
	struct snag_suppressions *suppressions;
	struct cli_progress progress;
	const struct snag_store *store; /* where failures go; NULL: none */
};

/* Runs the search.  The caller has set the fields of h->hunt that snag_hunt_run() (hunt.h)
 * leaves to callers, except the callbacks in its options. */
int cli_hunt_search(struct cli_hunt *h, struct snag_error *err);
/* Reports what was found: text, schedule files, JSON.  Returns the exit status. */
int cli_hunt_report(struct cli_hunt *h, struct snag_error *err);
/* The member "explore". */
void cli_hunt_json(const struct snag_hunt *h, struct snag_json *j);

#endif
