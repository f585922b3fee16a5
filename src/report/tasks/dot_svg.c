/* SPDX-License-Identifier: Apache-2.0
 *
 * dot_svg.c - a file for graphviz, or the picture that graphviz draws of it
 *
 * `dot` runs in a process of its own, and what it writes is read through a pipe, so that the
 * file appears only when it is complete.
 */
#include "report/tasks/dot.h"
#include "trace/output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts `dot -Tsvg` from one file into another. */
static int dot_start(int from, int to, pid_t *ret_pid)
{
	char *const argv[] = {"dot", "-Tsvg", NULL};
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
	int rc = posix_spawnp(ret_pid, "dot", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

static int copy(int fd, struct snag_output *out, struct snag_error *err)
{
	char bytes[1 << 16];
	for (;;) {
		ssize_t n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? snag_fail(err, SNAG_EIO, "%s: %s", snag_output_name(out),
						 strerror(errno))
				     : 0;
		int rc = snag_output_write(out, bytes, (size_t)n, err);
		if (rc < 0)
			return rc;
	}
}

/* Whether it ended well. */
static bool dot_end(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Runs `dot` and copies what it writes. */
static int draw(int from, const char *to, struct snag_output *out, struct snag_error *err)
{
	int fd[2];
	pid_t pid;
	if (lseek(from, 0, SEEK_SET) < 0 || pipe2(fd, O_CLOEXEC) < 0)
		return snag_fail(err, SNAG_EIO, "%s: %s", to, strerror(errno));
	int failed = dot_start(from, fd[1], &pid);
	close(fd[1]);
	int rc = failed ? snag_fail(err, SNAG_EIO,
				    "%s: cannot run graphviz's 'dot': %s; without .svg the text "
				    "for it is written",
				    to, strerror(failed))
			: copy(fd[0], out, err);
	close(fd[0]);
	if (!failed && !dot_end(pid) && rc == 0)
		rc = snag_fail(err, SNAG_EIO, "%s: graphviz's 'dot' failed", to);
	return rc;
}

/* Draws the text in the open file `from`, from its beginning, as the SVG file `to`. */
static int svg_draw(int from, const char *to, struct snag_error *err)
{
	struct snag_output *out;
	int rc = snag_output_open(to, &out, err);
	if (rc < 0)
		return rc;
	rc = draw(from, to, out, err);
	if (rc == 0)
		return snag_output_commit(out, err);
	snag_output_abort(out);
	return rc;
}

static int text_write(const char *path, snag_dot_text *print, void *ctx, struct snag_error *err)
{
	struct snag_printer to;
	int rc = snag_printer_open(&to, path, err);
	if (rc < 0)
		return rc;
	print(ctx, &to);
	return snag_printer_commit(&to, err);
}

int snag_dot_output(const char *path, snag_dot_text *print, void *ctx, struct snag_error *err)
{
	size_t n = strlen(path);
	if (n < 4 || strcmp(path + n - 4, ".svg") != 0)
		return text_write(path, print, ctx, err);
	/* The text needs no file: it stays in memory. */
	char text[32];
	int fd = memfd_create("snag-dot", MFD_CLOEXEC);
	if (fd < 0)
		return snag_fail(err, SNAG_EIO, "%s: %s", path, strerror(errno));
	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	int rc = text_write(text, print, ctx, err);
	if (rc == 0)
		rc = svg_draw(fd, path, err);
	close(fd);
	return rc;
}

enum { NAME_BYTES = 60 };

void snag_dot_name(struct snag_printer *to, const char *name)
{
	char text[2 * NAME_BYTES + 4];
	size_t n = 0, i = 0;
	for (; name[i] && i < NAME_BYTES; i++) {
		if (name[i] == '"' || name[i] == '\\')
			text[n++] = '\\';
		text[n++] = name[i];
	}
	memcpy(text + n, "...", 4);
	if (!name[i])
		text[n] = '\0';
	snag_print_name(to, text);
}
