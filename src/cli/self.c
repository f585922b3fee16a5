/* SPDX-License-Identifier: Apache-2.0
 *
 * self.c - runs snag, or another program, and waits until it ends
 */
#include "cli/self.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

int cli_run_quietly(char *const *argv)
{
	posix_spawn_file_actions_t files;
	pid_t pid;
	int status, rc;
	bool is_self = strcmp(argv[0], "snag") == 0;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	if (is_self)
		rc = posix_spawn(&pid, "/proc/self/exe", &files, NULL, argv, environ);
	else
		rc = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (rc != 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
