/* SPDX-License-Identifier: Apache-2.0
 *
 * repeat.c - whether a program can run again with the input it had
 */
#include "cli/run/repeat.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_input_repeats(void)
{
	struct stat st;
	return fstat(STDIN_FILENO, &st) < 0 || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode));
}

static bool has_input(void)
{
	enum { WAIT_MS = 100 };
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	return poll(&p, 1, WAIT_MS) > 0 && p.revents & POLLIN;
}

bool cli_program_repeats(void)
{
	return cli_input_repeats() || !has_input();
}

enum snag_launch_io cli_input_rewind(void)
{
	return lseek(STDIN_FILENO, 0, SEEK_SET) == 0 ? SNAG_LAUNCH_READS : SNAG_LAUNCH_SILENT;
}
