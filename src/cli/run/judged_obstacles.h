/* SPDX-License-Identifier: Apache-2.0
 *
 * judged_obstacles.h - obstacles to the verdict of a program that was judged inside, with their
 * places
 *
 * No further run is needed to name the places.  The place is an address in its executable; snag
 * looks it up there, if the build id says that this is the file that ran.
 */
#ifndef SNAG_CLI_JUDGED_OBSTACLES_H
#define SNAG_CLI_JUDGED_OBSTACLES_H

#include "record/live.h"

#include <stdbool.h>

/* Returns whether the program met an obstacle. */
bool cli_has_obstacle(const struct rt_verdict *verdict);

/* Prints a line for each obstacle to standard error.  Returns false, and prints nothing, if the
 * file is not known. */
bool cli_obstacles_print(const struct rt_verdict *verdict, const char *program, const char *tool);

#endif
