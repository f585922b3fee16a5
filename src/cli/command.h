/* SPDX-License-Identifier: Apache-2.0
 *
 * command.h - a subcommand, and the options it declares
 *
 * To add one: write cmd_<name>.c exporting `cli_command_<name>`, add its line to
 * commands.def and a page docs/man/snag-<name>.1.md.  Every option is declared
 * once, in the table of its command: parsing, --help and completion come from it.
 */
#ifndef SNAG_CLI_COMMAND_H
#define SNAG_CLI_COMMAND_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_kind {
	CLI_FLAG,    /* has no value; the field is an int and becomes .set */
	CLI_TEXT,    /* const char * */
	CLI_NUMBER,  /* uint64_t, from .min to .max */
	CLI_SECONDS, /* double, likewise; decimals are allowed */
	CLI_SIZE,    /* uint64_t, in bytes; K, M and G stand for powers of 1024 */
	CLI_CHOICE,  /* int: the index of the word in .value, which reads "a|b|c" */
};

/* The completions that a shell offers for the value of an option, or for an operand. */
enum cli_offer {
	CLI_OFFER_NOTHING,
	CLI_OFFER_FILES,
	CLI_OFFER_FOLDERS,
	CLI_OFFER_DETECTORS,
	CLI_OFFER_TASK_DETECTORS,
	CLI_OFFER_COMMANDS
};

struct cli_option {
	const char *name; /* without the dashes */
	char letter;	  /* as in -j; 0: none */
	enum cli_kind kind;
	const char *value; /* as --help shows it: "FILE"; CLI_CHOICE: the words */
	size_t offset;	   /* of the field in the command's values */
	int set;
	uint64_t min, max;
	enum cli_offer offer;
	const char *help; /* one line, no full stop */
};

/* For max_operands: any number of operands, and the first one ends the options. */
enum { CLI_ALL_OPERANDS = 1 << 30 };

struct cli_command {
	const char *name;
	const char *summary;  /* one line, shown by `snag help` */
	const char *operands; /* as in the synopsis; in brackets: may be left out */
	unsigned min_operands, max_operands;
	enum cli_offer offer;		  /* for the operands */
	const struct cli_option *options; /* ends with an empty one; NULL: none */
	/* Further options, which several commands share; likewise. */
	const struct cli_option *common;
	const char *about; /* the text of --help below the synopsis; ends with a newline */
	bool hidden;	   /* hidden from `snag help` and completion */
	bool is_raw;	   /* all words are operands, also those with dashes */

	const void *defaults; /* the values before parsing */
	size_t values_size;
	/* `values` is a copy of the defaults with the options applied; `operand` ends
	 * with NULL.  Returns the exit status, or a negative code with *err filled. */
	int (*run)(const void *values, char *const *operand, struct snag_error *err);
};

/* The i-th option of a command: its own, the common ones, --help; NULL behind that. */
const struct cli_option *cli_option_at(const struct cli_command *command, size_t i);
extern const struct cli_option cli_option_help; /* every command has it */

extern const struct cli_command *const cli_commands[]; /* ends with NULL */
const struct cli_command *cli_command_find(const char *name,
					   struct snag_error *err); /* NULL: unknown */

enum cli_exit {
	CLI_OK = 0,
	CLI_BAD = 2,	/* usage or input */
	CLI_RACES = 66, /* ThreadSanitizer's number */
	CLI_INTERNAL = 125,
	CLI_SIGNAL = 128, /* plus the signal: interrupted, nothing found */
};

#endif
