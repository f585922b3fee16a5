/* SPDX-License-Identifier: Apache-2.0
 *
 * environment.h - options in SNAG_OPTIONS and TSAN_OPTIONS that are for the tool
 */
#ifndef SNAG_CLI_ENVIRONMENT_H
#define SNAG_CLI_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Copies the value of `key` in SNAG_OPTIONS or, if it is not there and `is_shared`, TSAN_OPTIONS.
 * Returns `to`; NULL: it is in neither, or does not fit. */
const char *cli_environment_option(const char *key, bool is_shared, char *to, size_t room);

#endif
