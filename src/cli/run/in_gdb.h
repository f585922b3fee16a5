/* SPDX-License-Identifier: Apache-2.0
 *
 * in_gdb.h - the command that runs a program inside gdb
 */
#ifndef SNAG_CLI_IN_GDB_H
#define SNAG_CLI_IN_GDB_H

#include "base/error.h"

#include <stdbool.h>

struct cli_in_gdb {
	char **argv;
	int script; /* a descriptor that gdb inherits */
	char words[2][64];
};

/* Makes the command.  With `runs`, gdb runs the program at once, up to the race of its schedule
 * (cli/replay.gdb). */
int cli_in_gdb_make(char *const *argv, bool runs, struct cli_in_gdb *ret_command,
		    struct snag_error *err);
void cli_in_gdb_done(struct cli_in_gdb *command);

#endif
