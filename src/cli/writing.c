/* SPDX-License-Identifier: Apache-2.0
 *
 * writing.c - files that commands write
 */
#include "cli/writing.h"

#include "trace/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int cli_output_probe(const char *path, struct snag_error *err)
{
	struct stat st;
	struct snag_output *out;
	if (strcmp(path, "-") == 0)
		return 0;
	/* Opening a pipe and closing it again would end it for its reader. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return 0;
	int rc = snag_output_open(path, &out, err);
	if (rc == 0)
		snag_output_abort(out);
	return rc;
}

bool cli_same_file(const char *a, const char *b)
{
	struct stat sa, sb;
	return stat(a, &sa) == 0 && stat(b, &sb) == 0 && S_ISREG(sa.st_mode) &&
	       sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

bool cli_want_colour(int fd)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(fd) && !(no_colour && *no_colour) && term && strcmp(term, "dumb") != 0;
}

int cli_folder_make(const char *dir, struct snag_error *err)
{
	struct stat st;
	if (mkdir(dir, 0777) == 0)
		return 0;
	if (errno == EEXIST && stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		errno = ENOTDIR;
	return errno == EEXIST ? 0 : snag_fail(err, SNAG_EIO, "%s: %s", dir, strerror(errno));
}
