/* SPDX-License-Identifier: Apache-2.0
 *
 * options.h - parse the words of a command line by the table of a command
 */
#ifndef SNAG_CLI_OPTIONS_H
#define SNAG_CLI_OPTIONS_H

#include "cli/command.h"

/* Goes through word[0 .. n): options may stand before and after operands, values
 * as "--name VALUE" or "--name=VALUE"; "--" ends the options, "-" is an operand.
 * Returns 1 if one of the words is --help, and then checks no other word.  Returns 0 on success,
 * and SNAG_EINPUT for a bad word.  `operand` has room for all words and a NULL. */
int cli_options_parse(const struct cli_command *command, char *const *word, int n, void *values,
		      char **operand, struct snag_error *err);

/* The i-th word of "a|b|c", or NULL behind the last. */
const char *cli_choice_word(const char *words, int i, size_t *ret_len);

#endif
