/* SPDX-License-Identifier: Apache-2.0
 *
 * completion.h - what shells offer behind Tab
 *
 * The scripts are printed once, when snag is built, and installed.  Everything in
 * them comes from the tables of the commands and the list of detectors.
 */
#ifndef SNAG_CLI_COMPLETION_H
#define SNAG_CLI_COMPLETION_H

#include "cli/command.h"
#include "report/printer.h"

void completion_bash(struct snag_printer *to);
void completion_zsh(struct snag_printer *to);

/* Lists of words with spaces between. */
void completion_commands(struct snag_printer *to);
void completion_detectors(struct snag_printer *to, enum cli_offer offer);
void completion_choices(struct snag_printer *to, const char *words); /* "a|b|c" */

#endif
