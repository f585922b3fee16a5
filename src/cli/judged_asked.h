/* SPDX-License-Identifier: Apache-2.0
 *
 * judged_asked.h - what a program that was judged from inside has asked, and where
 *
 * It need not run again for that: the place is an address of its executable, which is read here, if it
 * is the file that ran.
 */
#ifndef SNAG_CLI_JUDGED_ASKED_H
#define SNAG_CLI_JUDGED_ASKED_H

#include "record/live.h"

#include <stdbool.h>

bool cli_has_asked(const struct rt_verdict *verdict);

/* To standard error, a line for each question.  False: nothing, as the file is not known. */
bool cli_asked_print(const struct rt_verdict *verdict, const char *program, const char *tool);

#endif
