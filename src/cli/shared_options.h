/* SPDX-License-Identifier: Apache-2.0
 *
 * shared_options.h - options that several commands have, for their tables
 *
 * Each macro is one entry of a table of struct cli_option.  `at` is the offset of its value in the
 * values of the command.
 */
#ifndef SNAG_CLI_SHARED_OPTIONS_H
#define SNAG_CLI_SHARED_OPTIONS_H

#include "cli/command.h"

#define CLI_OPTION_JSON(at)                                                          \
	{                                                                            \
		.name = "json", .kind = CLI_TEXT, .value = "FILE", .offset = (at),   \
		.offer = CLI_OFFER_FILES, .help = "write the report as JSON as well" \
	}
#define CLI_OPTION_JSON_OR_STDOUT(at)                                                              \
	{                                                                                          \
		.name = "json", .kind = CLI_TEXT, .value = "FILE|-", .offset = (at),               \
		.offer = CLI_OFFER_FILES, .help = "write JSON; -: to standard output, and no text" \
	}
#define CLI_OPTION_OUTPUT(at, what, words)                                          \
	{                                                                           \
		.name = "output", .letter = 'o', .kind = CLI_TEXT, .value = (what), \
		.offset = (at), .offer = CLI_OFFER_FILES, .help = (words)           \
	}
#define CLI_OPTION_HTML(at)                                                                   \
	{                                                                                     \
		.name = "html", .kind = CLI_TEXT, .value = "FILE", .offset = (at),            \
		.offer = CLI_OFFER_FILES, .help = "write the report as one HTML page as well" \
	}
#define CLI_OPTION_WITNESS(at)                                                                 \
	{                                                                                      \
		.name = "witness", .kind = CLI_TEXT, .value = "DIR", .offset = (at),           \
		.offer = CLI_OFFER_FOLDERS, .help = "write the witnesses to DIR/race-<n>.json" \
	}
#define CLI_OPTION_STRIP_PATH_PREFIX(at)                                                        \
	{                                                                                       \
		.name = "strip-path-prefix", .kind = CLI_TEXT, .value = "PATH", .offset = (at), \
		.help = "leave PATH out of file names"                                          \
	}
#define CLI_OPTION_JOBS(at)                                                                        \
	{                                                                                          \
		.name = "jobs", .letter = 'j', .kind = CLI_NUMBER, .value = "N", .offset = (at),   \
		.min = 1, .max = 4096, .help = "use at most N threads; default: one per processor" \
	}
#define CLI_OPTION_MEMORY(at)                                                        \
	{                                                                            \
		.name = "memory", .kind = CLI_SIZE, .value = "SIZE", .offset = (at), \
		.help = "use about SIZE bytes (512M, 2G), 0: any; default: 1/4"      \
	}
#define CLI_OPTION_BUDGET(at)                                                                    \
	{                                                                                        \
		.name = "budget", .kind = CLI_NUMBER, .value = "N", .offset = (at), .min = 1,    \
		.max = 1000000000, .help = "try at most N ways to decide one pair; default: 500" \
	}
#define CLI_OPTION_EXPLORE_SECONDS(at)                                                           \
	{                                                                                        \
		.name = "seconds", .kind = CLI_SECONDS, .value = "S", .offset = (at),            \
		.max = UINT32_MAX, .help = "explore at most S seconds, 0: no limit; default: 60" \
	}
#define CLI_OPTION_RACES_LIMIT(at)                                                          \
	{                                                                                   \
		.name = "limit", .kind = CLI_NUMBER, .value = "N", .offset = (at),          \
		.max = UINT64_MAX, .help = "explain the first N races, 0: all; default: 20" \
	}

#endif
