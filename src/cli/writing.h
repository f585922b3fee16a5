/* SPDX-License-Identifier: Apache-2.0
 *
 * writing.h - files that commands write
 */
#ifndef SNAG_CLI_WRITING_H
#define SNAG_CLI_WRITING_H

#include "base/error.h"

#include <stdbool.h>

/* Checks whether `path` can be written, so that an error comes before the long work.  Leaves no
 * file behind. */
int cli_output_probe(const char *path, struct snag_error *err);

/* Makes the folder, unless it exists. */
int cli_folder_make(const char *dir, struct snag_error *err);

/* Returns whether both paths name the same existing file. */
bool cli_same_file(const char *a, const char *b);

/* Returns whether a descriptor is a terminal that shows colours. */
bool cli_want_colour(int fd);

#endif
