/* SPDX-License-Identifier: Apache-2.0
 *
 * output.c - a byte stream to write a trace to, all or nothing
 */
#include "trace/output.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER_BYTES = 1 << 17, ZSTD_LEVEL = 3, GZIP_LEVEL = 6 };

struct snag_output {
	char *path;	 /* the target, for messages */
	char *real;	 /* the same behind symbolic links */
	char *temporary; /* NULL: written directly */
	int fd;
	gzFile gz;
	ZSTD_CCtx *zstd;
	uint8_t *buffer; /* plain: bytes to come; zstd: its output */
	size_t n;
};

static int io_error(const struct snag_output *out, struct snag_error *err)
{
	return snag_fail(err, SNAG_EIO, "%s: %s", out->path, strerror(errno ? errno : EIO));
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
	free(out->real);
	free(out->path);
	free(out);
}

/* Whether a path stands for what the process has open already (/dev/stdout, /dev/fd/3): to
 * rename something to it would replace the device, not the file. */
static int names_descriptor(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

static int open_target(struct snag_output *out)
{
	struct stat st;
	int exists = stat(out->path, &st) == 0;
	if (strcmp(out->path, "-") == 0) {
		out->fd = dup(1);
		free(out->path);
		out->path = strdup("<stdout>");
		return out->fd;
	}
	if (exists && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	if (exists && (!S_ISREG(st.st_mode) || names_descriptor(out->path))) {
		out->fd = open(out->path, O_WRONLY | O_APPEND | O_CLOEXEC);
		return out->fd;
	}
	out->real = exists ? realpath(out->path, NULL) : strdup(out->path);
	if (!out->real)
		return -1;
	size_t n = strlen(out->real) + sizeof(".snag-XXXXXX");
	out->temporary = snag_alloc(n);
	snprintf(out->temporary, n, "%s.snag-XXXXXX", out->real);
	out->fd = mkostemp(out->temporary, O_CLOEXEC);
	if (out->fd >= 0) {
		mode_t mask = umask(0);
		umask(mask);
		fchmod(out->fd, exists ? st.st_mode & 07777 : 0666 & ~mask);
	} else {
		free(out->temporary);
		out->temporary = NULL;
	}
	return out->fd;
}

int snag_output_open(const char *path, struct snag_output **ret_out, struct snag_error *err)
{
	struct snag_output *out = snag_calloc(1, sizeof(*out));
	out->path = strdup(path);
	out->fd = -1;
	if (open_target(out) < 0) {
		int rc = io_error(out, err);
		output_free(out);
		return rc;
	}
	if (has_suffix(path, ".gz")) {
		char mode[] = {'w', 'b', '0' + GZIP_LEVEL, 0};
		out->gz = gzdopen(out->fd, mode);
	} else {
		out->buffer = snag_alloc(BUFFER_BYTES);
		if (has_suffix(path, ".zst")) {
			out->zstd = ZSTD_createCCtx();
			ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
			ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_checksumFlag, 1);
		}
	}
	*ret_out = out;
	return 0;
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
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

static int buffer_flush(struct snag_output *out, struct snag_error *err)
{
	size_t n = out->n;
	out->n = 0;
	return write_all(out, out->buffer, n, err);
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

int snag_output_write(struct snag_output *out, const void *bytes, size_t n, struct snag_error *err)
{
	errno = 0;
	if (out->gz)
		return n == 0 || gzwrite(out->gz, bytes, (unsigned)n) == (int)n
			       ? 0
			       : io_error(out, err);
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

static int finish_stream(struct snag_output *out, struct snag_error *err)
{
	errno = 0;
	if (out->gz) {
		int rc = gzclose(out->gz);
		out->gz = NULL;
		out->fd = -1;
		return rc == Z_OK ? 0 : io_error(out, err);
	}
	int rc = out->zstd ? zstd_write(out, NULL, 0, ZSTD_e_end, err) : buffer_flush(out, err);
	if (rc < 0)
		return rc;
	int fd = out->fd;
	out->fd = -1;
	return close(fd) == 0 ? 0 : io_error(out, err);
}

int snag_output_commit(struct snag_output *out, struct snag_error *err)
{
	int rc = finish_stream(out, err);
	if (rc == 0 && out->temporary && rename(out->temporary, out->real) < 0)
		rc = io_error(out, err);
	if (rc < 0) {
		snag_output_abort(out);
		return rc;
	}
	output_free(out);
	return 0;
}

void snag_output_abort(struct snag_output *out)
{
	if (!out)
		return;
	if (out->temporary)
		unlink(out->temporary);
	output_free(out);
}
