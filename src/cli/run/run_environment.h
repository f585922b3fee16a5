/* SPDX-License-Identifier: Apache-2.0
 *
 * run_environment.h - the settings of `snag run`, from the command line, the environment and
 * the program
 *
 * The command line decides.  What it leaves open, SNAG_OPTIONS decides, then TSAN_OPTIONS, then
 * the functions __tsan_default_options and __tsan_default_suppressions of the program.
 */
#ifndef SNAG_CLI_RUN_ENVIRONMENT_H
#define SNAG_CLI_RUN_ENVIRONMENT_H

#include "record/live.h"
#include "report/incident/suppress.h"

#include <limits.h>

enum cli_colour { CLI_COLOUR_AUTO, CLI_COLOUR_ALWAYS, CLI_COLOUR_NEVER };

/* Whether snag runs both orders of a race, to say what differs (run_replays.h). */
enum cli_effects { CLI_EFFECTS_SOME, CLI_EFFECTS_ASKED, CLI_EFFECTS_NEVER };

struct cli_run_values {
	/* The program that has started snag; NULL: snag starts the program. */
	struct snag_attached *attached;
	bool is_quiet; /* print reports only, not that there is no race */
	const char *with;
	const char *json;
	const char *sarif;
	const char *html;
	const char *junit;
	const char *baseline;
	const char *gen_suppressions;
	const char *dot;
	const char *witness;
	const char *keep;
	const char *suppressions;
	const char *strip_path_prefix;
	const char *log_path; /* from the environment: the report goes to <log_path>.<pid> */
	uint64_t seed;
	uint64_t limit; /* reports that the text shows; 0: all */
	int colour;	/* enum cli_colour */
	int policy;
	uint64_t jobs;
	uint64_t budget;
	uint64_t memory; /* CLI_MEMORY_NOT_GIVEN: a quarter of the machine's */
	uint64_t disk;	 /* likewise: half of what is free */
	uint64_t exitcode;
	bool exitcode_is_default; /* the command line has none */
	int format;
	int no_replay;
	int effects; /* enum cli_effects */
	int unconfirmed;
	uint64_t replay_seconds;
	int free;
	int once;
	int stats;
};

/* Returns the name that the tool has in its messages. */
static inline const char *cli_run_tool(const struct cli_run_values *v)
{
	return v->format ? "ThreadSanitizer" : "snag";
}

/* The texts that settings from the environment point to. */
struct cli_run_environment {
	char suppressions[4096], strip_path_prefix[4096], log_path[PATH_MAX - 16];
};

/* Takes the settings that the command line leaves open from the environment. */
void cli_run_environment_take(struct cli_run_values *v, struct cli_run_environment *e);
/* The same for the options of the program, when it has run; adds its suppressions. */
int cli_run_program_options_take(struct cli_run_values *v, struct cli_run_environment *e,
				 const struct snag_live_end *end,
				 struct snag_suppressions *suppressions, struct snag_error *err);
/* Returns whether a program that observes itself prints its verdict if it has no race.
 * ThreadSanitizer prints nothing in that case. */
bool cli_run_is_verbose(void);
/* Returns whether to look for deadlocks: ThreadSanitizer's option detect_deadlocks. */
bool cli_run_wants_deadlocks(void);

#endif
