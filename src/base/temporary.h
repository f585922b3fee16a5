/* SPDX-License-Identifier: Apache-2.0
 *
 * temporary.h - a folder for the time of a command
 */
#ifndef SNAG_BASE_TEMPORARY_H
#define SNAG_BASE_TEMPORARY_H

#include "base/error.h"

enum { SNAG_TEMPORARY_MAX = 4096 };

/* Makes an empty folder in TMPDIR, or in /tmp. */
int snag_temporary_make(char ret_folder[SNAG_TEMPORARY_MAX], struct snag_error *err);
/* Removes it, which must be empty; accepts "". */
void snag_temporary_remove(const char *folder);

#endif
