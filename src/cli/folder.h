/* SPDX-License-Identifier: Apache-2.0
 *
 * folder.h - where the tool finds what belongs to it
 */
#ifndef SNAG_CLI_FOLDER_H
#define SNAG_CLI_FOLDER_H

#include "base/error.h"

#include <stddef.h>

/* The folder of the runtime: lib/snag beside the tool (in the build tree), or ../lib/snag
 * (installed). */
int cli_runtime_folder(char *to, size_t room, struct snag_error *err);

#endif
