/* SPDX-License-Identifier: Apache-2.0
 *
 * input.c - a byte stream to read a trace from
 *
 * Idea.   One buffer of plain bytes that refills from the file descriptor, through
 *         a decompressor if the first bytes are the magic of gzip or zstd.
 *         A concatenation of gzip members or zstd frames is one stream.
 * State.  buffer[0 .. cap): what was read; `at` and `end` point into it.
 *         raw[]: compressed bytes not yet given to the decompressor.
 */
#include "trace/input.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { BUFFER_BYTES = 1 << 18, RAW_BYTES = 1 << 17 };

enum encoding { PLAIN, GZIP, ZSTD };

struct snag_input_state {
	int fd; /* -1: in memory, everything is in the buffer */
	enum encoding encoding;
	uint8_t *buffer;
	size_t cap;
	uint8_t *raw;
	size_t raw_at, raw_n;
	uint64_t raw_total; /* bytes read from fd */
	uint64_t file_size; /* 0: unknown */
	int is_regular;
	int raw_eof;	/* the descriptor is at its end */
	int frame_open; /* a gzip member or zstd frame has begun and not ended */
	z_stream gz;
	ZSTD_DCtx *zstd;
};

static int io_error(struct snag_input *in, struct snag_error *err)
{
	return snag_fail(err, SNAG_EIO, "%s: %s", in->name, strerror(errno));
}

static ssize_t read_some(struct snag_input *in, void *to, size_t n, struct snag_error *err)
{
	ssize_t got;
	do
		got = read(in->state->fd, to, n);
	while (got < 0 && errno == EINTR && !(in->stop && *in->stop));
	if (got < 0)
		return io_error(in, err);
	if (got == 0)
		in->state->raw_eof = 1;
	in->state->raw_total += (uint64_t)got;
	return got;
}

static int raw_refill(struct snag_input *in, struct snag_error *err)
{
	struct snag_input_state *s = in->state;
	if (s->raw_at < s->raw_n || s->raw_eof)
		return 0;
	ssize_t got = read_some(in, s->raw, RAW_BYTES, err);
	if (got < 0)
		return (int)got;
	s->raw_at = 0;
	s->raw_n = (size_t)got;
	return 0;
}

/* Compressed bytes given to the decompressor. */
static uint64_t raw_offset(const struct snag_input_state *s)
{
	return s->raw_total - (s->raw_n - s->raw_at);
}

static int bad_stream(struct snag_input *in, const char *what, struct snag_error *err)
{
	return snag_fail(err, SNAG_EINPUT, "%s: offset %llu: %s data is %s", in->name,
			 (unsigned long long)raw_offset(in->state),
			 in->state->encoding == GZIP ? "gzip" : "zstd", what);
}

/* Decompresses up to n bytes; 0 only at the end of the stream. */
static ssize_t gzip_read(struct snag_input *in, void *to, size_t n, struct snag_error *err)
{
	struct snag_input_state *s = in->state;
	s->gz.next_out = to;
	s->gz.avail_out = (uInt)n;
	while (s->gz.avail_out == n) {
		int rc = raw_refill(in, err);
		if (rc < 0)
			return rc;
		if (s->raw_at == s->raw_n) {
			if (s->frame_open)
				return bad_stream(in, "cut short", err);
			return 0;
		}
		if (!s->frame_open) {
			inflateReset(&s->gz);
			s->frame_open = 1;
		}
		s->gz.next_in = s->raw + s->raw_at;
		s->gz.avail_in = (uInt)(s->raw_n - s->raw_at);
		rc = inflate(&s->gz, Z_NO_FLUSH);
		s->raw_at = s->raw_n - s->gz.avail_in;
		if (rc == Z_MEM_ERROR)
			snag_out_of_memory();
		if (rc == Z_STREAM_END)
			s->frame_open = 0;
		else if (rc != Z_OK && rc != Z_BUF_ERROR)
			return bad_stream(in, "damaged", err);
	}
	return (ssize_t)(n - s->gz.avail_out);
}

static ssize_t zstd_read(struct snag_input *in, void *to, size_t n, struct snag_error *err)
{
	struct snag_input_state *s = in->state;
	ZSTD_outBuffer out = {to, n, 0};
	while (out.pos == 0) {
		int rc = raw_refill(in, err);
		if (rc < 0)
			return rc;
		if (s->raw_at == s->raw_n && !s->frame_open)
			return 0;
		ZSTD_inBuffer from = {s->raw, s->raw_n, s->raw_at};
		size_t left = ZSTD_decompressStream(s->zstd, &out, &from);
		int at_end = s->raw_at == s->raw_n;
		s->raw_at = from.pos;
		if (ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge)
			return bad_stream(in, "compressed with too large a window", err);
		if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
			snag_out_of_memory();
		if (ZSTD_isError(left))
			return bad_stream(in, "damaged", err);
		s->frame_open = left != 0;
		if (at_end && out.pos == 0 && s->frame_open && s->raw_eof)
			return bad_stream(in, "cut short", err);
	}
	return (ssize_t)out.pos;
}

static ssize_t plain_read(struct snag_input *in, void *to, size_t n, struct snag_error *err)
{
	struct snag_input_state *s = in->state;
	if (s->fd < 0)
		return 0;
	if (s->raw_at < s->raw_n) { /* the bytes the magic was looked for in */
		size_t have = s->raw_n - s->raw_at;
		n = n < have ? n : have;
		memcpy(to, s->raw + s->raw_at, n);
		s->raw_at += n;
		return (ssize_t)n;
	}
	return s->raw_eof ? 0 : read_some(in, to, n, err);
}

static ssize_t decoded_read(struct snag_input *in, void *to, size_t n, struct snag_error *err)
{
	switch (in->state->encoding) {
	case GZIP:
		return gzip_read(in, to, n, err);
	case ZSTD:
		return zstd_read(in, to, n, err);
	default:
		return plain_read(in, to, n, err);
	}
}

ssize_t snag_input_fill(struct snag_input *in, size_t need, struct snag_error *err)
{
	struct snag_input_state *s = in->state;
	size_t have = (size_t)(in->end - in->at);
	if (have >= need || s->fd < 0)
		return (ssize_t)have;

	size_t at = (size_t)(in->at - s->buffer);
	if (need + SNAG_INPUT_PAD > s->cap)
		s->buffer = snag_grow(s->buffer, &s->cap, need + SNAG_INPUT_PAD, 1);
	if (at > 0)
		memmove(s->buffer, s->buffer + at, have);
	in->at = s->buffer;
	in->end = s->buffer + have;
	while (have < need) {
		ssize_t got =
			decoded_read(in, s->buffer + have, s->cap - SNAG_INPUT_PAD - have, err);
		if (got < 0)
			return got;
		if (got == 0)
			break;
		have += (size_t)got;
		in->end = s->buffer + have;
		in->end_offset += (uint64_t)got;
	}
	memset(s->buffer + have, 0, SNAG_INPUT_PAD);
	return (ssize_t)have;
}

static int choose_encoding(struct snag_input *in, struct snag_error *err)
{
	struct snag_input_state *s = in->state;
	int ok = 1;
	static const uint8_t zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	if (s->raw_n >= 2 && s->raw[0] == 0x1f && s->raw[1] == 0x8b) {
		s->encoding = GZIP;
		ok = inflateInit2(&s->gz, 15 + 16) == Z_OK;
	} else if (s->raw_n >= 4 && memcmp(s->raw, zstd_magic, 4) == 0) {
		s->encoding = ZSTD;
		s->zstd = ZSTD_createDCtx();
		ok = s->zstd != NULL;
	}
	return ok ? 0
		  : snag_fail(err, SNAG_EINTERNAL, "%s: the decompressor does not start", in->name);
}

static struct snag_input *input_new(const char *name, int fd)
{
	struct snag_input *in = snag_calloc(1, sizeof(*in));
	in->name = snag_strdup(name);
	in->state = snag_calloc(1, sizeof(*in->state));
	in->state->fd = fd;
	return in;
}

int snag_input_open(const char *path, struct snag_input **ret_in, struct snag_error *err)
{
	int is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? fcntl(0, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
	struct snag_input *in = input_new(is_stdin ? "<stdin>" : path, fd);
	struct snag_input_state *s = in->state;
	struct stat st;
	int rc;
	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = io_error(in, err);
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		rc = snag_fail(err, SNAG_EIO, "%s: is a directory", in->name);
		goto fail;
	}
	s->is_regular = S_ISREG(st.st_mode) && !is_stdin;
	s->file_size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	s->cap = BUFFER_BYTES + SNAG_INPUT_PAD;
	s->buffer = snag_calloc(1, s->cap);
	s->raw = snag_alloc(RAW_BYTES);
	in->at = in->end = s->buffer;

	while (s->raw_n < 4 && !s->raw_eof) { /* a pipe may give one byte at a time */
		ssize_t got = read_some(in, s->raw + s->raw_n, RAW_BYTES - s->raw_n, err);
		if (got < 0) {
			rc = (int)got;
			goto fail;
		}
		s->raw_n += (size_t)got;
	}
	rc = choose_encoding(in, err);
	if (rc < 0)
		goto fail;
	*ret_in = in;
	return 0;
fail:
	snag_input_close(in);
	return rc;
}

struct snag_input *snag_input_from_memory(const char *name, const void *bytes, size_t nbytes)
{
	struct snag_input *in = input_new(name, -1);
	struct snag_input_state *s = in->state;
	s->cap = nbytes + SNAG_INPUT_PAD;
	s->buffer = snag_calloc(1, s->cap); /* copied: readers rely on the padding */
	if (nbytes)
		memcpy(s->buffer, bytes, nbytes);
	in->at = s->buffer;
	in->end = s->buffer + nbytes;
	in->end_offset = nbytes;
	s->file_size = s->raw_total = nbytes;
	return in;
}

void snag_input_close(struct snag_input *in)
{
	if (!in)
		return;
	struct snag_input_state *s = in->state;
	if (s->encoding == GZIP)
		inflateEnd(&s->gz);
	ZSTD_freeDCtx(s->zstd);
	if (s->fd >= 0)
		close(s->fd);
	free(s->buffer);
	free(s->raw);
	free(s);
	free(in->name);
	free(in);
}

static int unnamed_file(void)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];
	snprintf(path, sizeof(path), "%s/snag.XXXXXX", folder && *folder ? folder : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Copies what is left of the stream to a file that has no name. */
static int copy_rest(struct snag_input *in, FILE *copy, struct snag_error *err)
{
	for (;;) {
		size_t have = (size_t)(in->end - in->at);
		if (fwrite(in->at, 1, have, copy) != have)
			return snag_fail(err, SNAG_EIO, "TMPDIR: %s", strerror(errno));
		in->at = in->end;
		ssize_t got = snag_input_fill(in, 1, err);
		if (got <= 0)
			return (int)got;
	}
}

int snag_input_keep(struct snag_input *in, struct snag_error *err)
{
	struct snag_input_state *s = in->state;
	if (s->fd < 0 || s->is_regular)
		return 0;
	int fd = unnamed_file();
	FILE *copy = fd < 0 ? NULL : fdopen(fcntl(fd, F_DUPFD_CLOEXEC, 0), "w");
	int rc = copy ? copy_rest(in, copy, err)
		      : snag_fail(err, SNAG_EIO, "TMPDIR: %s", strerror(errno));
	if (copy && fclose(copy) != 0 && rc == 0)
		rc = snag_fail(err, SNAG_EIO, "TMPDIR: %s", strerror(errno));
	if (rc < 0) {
		if (fd >= 0)
			close(fd);
		return rc;
	}
	close(s->fd);
	s->fd = fd;
	s->encoding = PLAIN;
	s->file_size = in->end_offset;
	return 0;
}

int snag_input_rewind(struct snag_input *in, struct snag_error *err)
{
	struct snag_input_state *s = in->state;
	in->at = in->end = s->buffer;
	if (s->fd < 0) {
		in->end += s->file_size;
		return 0;
	}
	if (lseek(s->fd, 0, SEEK_SET) < 0)
		return io_error(in, err);
	s->raw_at = s->raw_n = s->raw_total = in->end_offset = 0;
	s->raw_eof = s->frame_open = 0;
	if (s->zstd)
		ZSTD_DCtx_reset(s->zstd, ZSTD_reset_session_only);
	return 0;
}

bool snag_input_tail(const struct snag_input *in, void *to, size_t n)
{
	const struct snag_input_state *s = in->state;
	if (s->encoding != PLAIN || s->file_size < n)
		return false;
	if (s->fd >= 0)
		return s->is_regular &&
		       pread(s->fd, to, n, (off_t)(s->file_size - n)) == (ssize_t)n;
	memcpy(to, s->buffer + s->file_size - n, n);
	return true;
}

double snag_input_progress(const struct snag_input *in)
{
	const struct snag_input_state *s = in->state;
	if (!s->file_size)
		return -1;
	uint64_t done = s->encoding == PLAIN ? snag_input_offset(in) : raw_offset(s);
	/* The file may have grown since it was opened. */
	return done < s->file_size ? (double)done / (double)s->file_size : 1;
}

int snag_input_again(const struct snag_input *in, struct snag_input **ret_in,
		     struct snag_error *err)
{
	if (!in->state->is_regular)
		return 0;
	int rc = snag_input_open(in->name, ret_in, err);
	return rc < 0 ? rc : 1;
}
