/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_observed.c - `snag observed`: what a program that observes itself starts
 *
 * Not for people: the runtime in a program built with `snag cc` executes it when the program was
 * started without `snag run` (runtime/observe.c), or is a child of fork.  It does what `snag run`
 * does.  At its end it tells the program, which waits for it, the exit status.
 */
#include "cli/command.h"
#include "cli/run/run_attached.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct snag_attached attached;

static void answer(int status, void *unused)
{
	snag_attached_answer(&attached, status);
}

/* Closes standard output, which belongs to the program: its reader waits for the end of it. */
static void output_leave(void)
{
	int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (nothing >= 0)
		dup2(nothing, STDOUT_FILENO);
	close(nothing);
}

static int observed_run(const void *values, char *const *operand, struct snag_error *err)
{
	int n = 0, nwords = 0;
	if (sscanf(operand[0], "%d,%d,%d%n", &attached.channel, &attached.ready, &attached.pid,
		   &n) == 3)
		attached.is_forked = strcmp(operand[0] + n, ",forked") == 0;
	if (n == 0 || (operand[0][n] && !attached.is_forked))
		return snag_fail(err, SNAG_EINPUT,
				 "programs built with 'snag cc' start this; see 'snag help run'");
	fcntl(attached.channel, F_SETFD, FD_CLOEXEC);
	fcntl(attached.ready, F_SETFD, FD_CLOEXEC);
	output_leave();
	on_exit(answer, NULL);
	while (operand[1 + nwords])
		nwords++;
	return cli_run_attached(&attached, operand + 1, nwords, err);
}

const struct cli_command cli_command_observed = {
	.name = "observed",
	.summary = "observe the program that starts this",
	.operands = "FD,FD,PID[,forked] [OPTIONS] -- PROG [ARGS...]",
	.min_operands = 3,
	.max_operands = CLI_ALL_OPERANDS,
	.about = "Programs built with 'snag cc' start this when they are started without\n"
		 "'snag run'.\n",
	.hidden = true,
	.is_raw = true,
	.values_size = 1,
	.run = observed_run,
};
