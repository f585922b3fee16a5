/* SPDX-License-Identifier: Apache-2.0
 *
 * environment.h - options in SNAG_OPTIONS, TSAN_OPTIONS and the program that are for the tool
 */
#ifndef SNAG_CLI_ENVIRONMENT_H
#define SNAG_CLI_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Sets the text that the program's function __tsan_default_options() returns; NULL: none.  The
 * caller keeps the text as long as options are read. */
void cli_environment_defaults(const char *text);

/* Copies the value of `key` in SNAG_OPTIONS to `to`. If it is not there and `is_shared`, looks
 * in TSAN_OPTIONS and in the program's own options. Returns `to`; NULL: the key is nowhere. A
 * value that does not fit ends the tool with an error. */
const char *cli_environment_option(const char *key, bool is_shared, char *to, size_t room);

#endif
