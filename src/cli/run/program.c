/* SPDX-License-Identifier: Apache-2.0
 *
 * program.c - the program that a command runs
 */
#include "cli/run/program.h"

#include "cli/command.h"

#include <sys/wait.h>

int cli_program_status(int wait_status)
{
	return WIFSIGNALED(wait_status) ? CLI_SIGNAL + WTERMSIG(wait_status)
					: WEXITSTATUS(wait_status);
}
