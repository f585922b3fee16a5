/* SPDX-License-Identifier: Apache-2.0
 *
 * output.c - a byte stream to write a trace to, all or nothing
 *
 * State.  A plain or zstd output goes through buffer[]; zlib has its own.
 *         A target behind a symbolic link is replaced, not the link.
 */
#include "trace/output.h"

#include "base/leftovers.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER_BYTES = 1 << 17, ZSTD_LEVEL = 3, GZIP_LEVEL = 6 };

struct snag_output {
	char *path;	 /* as given, for messages */
	char *target;	 /* the file that commit replaces; NULL: written directly */
	char *temporary; /* which becomes it; NULL: there is none */
	int fd;
	gzFile gz;
	ZSTD_CCtx *zstd;
	uint8_t *buffer; /* plain: bytes to come; zstd: its output */
	size_t n;
	uint64_t written;	/* bytes of the file */
	bool is_kept, is_begun; /* see snag_output_keep; something was written */
};

static int io_error(const struct snag_output *out, struct snag_error *err)
{
	return snag_fail(err, errno == ENOMEM ? SNAG_EINTERNAL : SNAG_EIO, "%s: %s", out->path,
			 strerror(errno ? errno : EIO));
}

static int has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);
	return n >= m && strcmp(path + n - m, suffix) == 0;
}

const char *snag_output_name(const struct snag_output *out)
{
	return out->path;
}

static void output_free(struct snag_output *out)
{
	if (out->gz)
		gzclose(out->gz);
	else if (out->fd >= 0)
		close(out->fd);
	ZSTD_freeCCtx(out->zstd);
	free(out->buffer);
	free(out->temporary);
	free(out->target);
	free(out->path);
	free(out);
}

/* Names of descriptors: a file beside the name is not beside the open file. */
static int is_descriptor_name(const char *path)
{
	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/", 6) == 0;
}

/* Opens a new file in the folder of the target, with the permissions of the file
 * it will replace or of a new one. */
static int open_temporary(struct snag_output *out, const struct stat *replaced)
{
	static const char name[] = ".snag-XXXXXX";
	const char *slash = strrchr(out->target, '/');
	size_t folder = slash ? (size_t)(slash + 1 - out->target) : 0;
	out->temporary = snag_alloc(folder + sizeof(name));
	memcpy(out->temporary, out->target, folder);
	memcpy(out->temporary + folder, name, sizeof(name));
	out->fd = mkostemp(out->temporary, O_CLOEXEC);
	if (out->fd < 0) {
		free(out->temporary);
		out->temporary = NULL;
		return -1;
	}
	snag_leftover_add(out->temporary);
	mode_t mask = umask(0);
	umask(mask);
	return fchmod(out->fd, replaced ? replaced->st_mode & 0777 : 0666 & ~mask);
}

/* Returns -1 with errno set if it cannot be opened. */
static int open_target(struct snag_output *out)
{
	struct stat st;
	if (strcmp(out->path, "-") == 0) {
		free(out->path);
		out->path = snag_strdup("<stdout>");
		out->fd = fcntl(1, F_DUPFD_CLOEXEC, 0);
		return out->fd;
	}
	if (strcmp(out->path, "/dev/stdout") == 0 || strcmp(out->path, "/dev/stderr") == 0) {
		/* The same open file, so that other writers continue after this output. */
		out->fd = fcntl(out->path[8] == 'o' ? 1 : 2, F_DUPFD_CLOEXEC, 0);
		return out->fd;
	}
	int exists = stat(out->path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	if (is_descriptor_name(out->path) || (exists && !S_ISREG(st.st_mode))) {
		out->fd = open(out->path, O_WRONLY | O_APPEND | O_CLOEXEC);
		return out->fd;
	}
	if (exists && faccessat(AT_FDCWD, out->path, W_OK, AT_EACCESS) < 0)
		return -1;
	if (!exists && (!*out->path || has_suffix(out->path, "/"))) {
		errno = *out->path ? EISDIR : ENOENT;
		return -1;
	}
	out->target = exists ? realpath(out->path, NULL) : snag_strdup(out->path);
	return out->target ? open_temporary(out, exists ? &st : NULL) : -1;
}

static int open_compressor(struct snag_output *out, const char *path)
{
	if (has_suffix(path, ".gz")) {
		char mode[] = {'w', 'b', '0' + GZIP_LEVEL, 0};
		out->gz = gzdopen(out->fd, mode);
		return out->gz ? 0 : -1;
	}
	out->buffer = snag_alloc(BUFFER_BYTES);
	if (!has_suffix(path, ".zst"))
		return 0;
	out->zstd = ZSTD_createCCtx();
	if (!out->zstd)
		return -1;
	ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_checksumFlag, 1);
	return 0;
}

int snag_output_open(const char *path, struct snag_output **ret_out, struct snag_error *err)
{
	struct snag_output *out = snag_calloc(1, sizeof(*out));
	int rc = 0;
	out->path = snag_strdup(path);
	out->fd = -1;
	if (open_target(out) < 0)
		rc = io_error(out, err);
	else if (open_compressor(out, path) < 0)
		rc = snag_fail(err, SNAG_EINTERNAL, "%s: the compressor does not start", out->path);
	if (rc < 0) {
		snag_output_abort(out);
		return rc;
	}
	*ret_out = out;
	return 0;
}

/* Renames what was written so far to the target.  Returns false if that failed. */
static bool target_replace(struct snag_output *out)
{
	if (!out->temporary || rename(out->temporary, out->target) < 0)
		return false;
	snag_leftover_forget(out->temporary);
	free(out->temporary);
	out->temporary = NULL;
	return true;
}

static int write_all(struct snag_output *out, const uint8_t *bytes, size_t n,
		     struct snag_error *err)
{
	while (n > 0) {
		ssize_t done = write(out->fd, bytes, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return io_error(out, err);
		out->is_begun = true;
		out->written += (uint64_t)done;
		bytes += done;
		n -= (size_t)done;
	}
	if (out->is_kept)
		target_replace(out); /* if not now, then at the end */
	return 0;
}

uint64_t snag_output_written(const struct snag_output *out)
{
	return out->written + out->n;
}

static int buffer_flush(struct snag_output *out, struct snag_error *err)
{
	size_t n = out->n;
	out->n = 0;
	return write_all(out, out->buffer, n, err);
}

int snag_output_settle(struct snag_output *out, struct snag_error *err)
{
	return out->is_kept && !out->gz && !out->zstd ? buffer_flush(out, err) : 0;
}

static int zstd_write(struct snag_output *out, const void *bytes, size_t n, ZSTD_EndDirective end,
		      struct snag_error *err)
{
	ZSTD_inBuffer from = {bytes, n, 0};
	size_t left;
	do {
		ZSTD_outBuffer to = {out->buffer, BUFFER_BYTES, 0};
		left = ZSTD_compressStream2(out->zstd, &to, &from, end);
		if (ZSTD_isError(left))
			return snag_fail(err, SNAG_EINTERNAL, "%s: %s", out->path,
					 ZSTD_getErrorName(left));
		int rc = write_all(out, out->buffer, to.pos, err);
		if (rc < 0)
			return rc;
	} while (end == ZSTD_e_end ? left != 0 : from.pos < from.size);
	return 0;
}

static int gzip_write(struct snag_output *out, const uint8_t *bytes, size_t n,
		      struct snag_error *err)
{
	while (n > 0) {
		unsigned part = n < INT_MAX ? (unsigned)n : INT_MAX;
		errno = 0;
		if (gzwrite(out->gz, bytes, part) != (int)part)
			return io_error(out, err);
		bytes += part;
		n -= part;
	}
	return 0;
}

int snag_output_write(struct snag_output *out, const void *bytes, size_t n, struct snag_error *err)
{
	if (out->gz)
		return gzip_write(out, bytes, n, err);
	if (out->zstd)
		return zstd_write(out, bytes, n, ZSTD_e_continue, err);
	if (n > BUFFER_BYTES - out->n) {
		int rc = buffer_flush(out, err);
		if (rc < 0)
			return rc;
		if (n > BUFFER_BYTES)
			return write_all(out, bytes, n, err);
	}
	memcpy(out->buffer + out->n, bytes, n);
	out->n += n;
	return 0;
}

bool snag_output_can_rewrite(const struct snag_output *out)
{
	return out->is_kept && out->target && !out->gz && !out->zstd;
}

int snag_output_rewrite(struct snag_output *out, const void *bytes, size_t n,
			struct snag_error *err)
{
	const uint8_t *from = bytes;
	int rc = buffer_flush(out, err);
	for (size_t at = 0; rc == 0 && at < n;) {
		ssize_t done = pwrite(out->fd, from + at, n - at, (off_t)at);
		if (done < 0 && errno != EINTR)
			rc = io_error(out, err);
		at += done > 0 ? (size_t)done : 0;
	}
	return rc;
}

/* Makes what was written durable before the rename makes it visible: after a crash of the system
 * the target is the old file or the whole new one.  Some file systems cannot, which is fine. */
static int make_durable(struct snag_output *out, struct snag_error *err)
{
	if (!out->temporary || fsync(out->fd) == 0 || errno == EINVAL || errno == ENOTSUP)
		return 0;
	return errno == EINTR ? make_durable(out, err) : io_error(out, err);
}

static int finish_stream(struct snag_output *out, struct snag_error *err)
{
	errno = 0;
	if (out->gz) {
		int rc = gzflush(out->gz, Z_FINISH) == Z_OK ? make_durable(out, err)
							    : io_error(out, err);
		int closed = gzclose(out->gz);
		out->gz = NULL;
		out->fd = -1;
		return rc < 0 || closed == Z_OK ? rc : io_error(out, err);
	}
	int rc = out->zstd ? zstd_write(out, NULL, 0, ZSTD_e_end, err) : buffer_flush(out, err);
	if (rc == 0)
		rc = make_durable(out, err);
	if (rc < 0)
		return rc;
	int fd = out->fd;
	out->fd = -1;
	return close(fd) == 0 ? 0 : io_error(out, err);
}

int snag_output_commit(struct snag_output *out, struct snag_error *err)
{
	int rc = finish_stream(out, err);
	if (rc == 0 && out->temporary && !target_replace(out))
		rc = io_error(out, err);
	if (rc < 0) {
		snag_output_abort(out);
		return rc;
	}
	output_free(out);
	return 0;
}

void snag_output_keep(struct snag_output *out)
{
	out->is_kept = true;
}

void snag_output_abort(struct snag_output *out)
{
	if (!out)
		return;
	bool is_kept = out->is_kept && out->is_begun && target_replace(out);
	if (out->temporary && !is_kept) {
		unlink(out->temporary);
		snag_leftover_forget(out->temporary);
	}
	output_free(out);
}
