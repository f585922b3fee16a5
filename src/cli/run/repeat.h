/* SPDX-License-Identifier: Apache-2.0
 *
 * repeat.h - whether a program can run again with the input it had
 *
 * A file or a terminal can be read again.  Input from a pipe or a socket is gone once it was read.
 */
#ifndef SNAG_CLI_REPEAT_H
#define SNAG_CLI_REPEAT_H

#include "record/launch.h"

/* Returns whether standard input can be read again. */
bool cli_input_repeats(void);
/* Returns whether a program that starts now can run again: its input repeats, or is a pipe that
 * no process writes to. Waits up to a tenth of a second for input. */
bool cli_program_repeats(void);
/* Makes standard input ready for another run; returns what the run reads and writes. */
enum snag_launch_io cli_input_rewind(void);

#endif
