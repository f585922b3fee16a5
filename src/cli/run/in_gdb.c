/* SPDX-License-Identifier: Apache-2.0
 *
 * in_gdb.c - the command that runs a program inside gdb
 */
#include "cli/run/in_gdb.h"

#include "base/memory.h"
#include "replay_gdb.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The commands, in memory. */
static int script_make(struct snag_error *err)
{
	int fd = memfd_create("snag gdb", 0);
	size_t n = strlen(replay_gdb);
	if (fd >= 0 && write(fd, replay_gdb, n) == (ssize_t)n)
		return fd;
	int why = errno;
	if (fd >= 0)
		close(fd);
	return snag_fail(err, SNAG_EIO, "no memory for gdb's commands: %s", strerror(why));
}

int cli_in_gdb_make(char *const *argv, bool runs, struct cli_in_gdb *ret_command,
		    struct snag_error *err)
{
	struct cli_in_gdb *c = ret_command;
	int script = script_make(err);
	if (script < 0)
		return script;
	c->script = script;
	snprintf(c->words[0], sizeof(c->words[0]), "set $snag_runs = %d", runs);
	snprintf(c->words[1], sizeof(c->words[1]), "/proc/self/fd/%d", script);
	char *const words[] = {"gdb",	"-q",	     "-iex", "set debuginfod enabled off",
			       "-ex",	c->words[0], "-x",   c->words[1],
			       "--args"};
	enum { WORDS = sizeof(words) / sizeof(words[0]) };
	size_t n = 0;
	while (argv[n])
		n++;
	c->argv = snag_calloc(n + WORDS + 1, sizeof(*c->argv));
	memcpy(c->argv, words, sizeof(words));
	memcpy(c->argv + WORDS, argv, n * sizeof(*c->argv));
	return 0;
}

void cli_in_gdb_done(struct cli_in_gdb *command)
{
	free(command->argv);
	close(command->script);
}
