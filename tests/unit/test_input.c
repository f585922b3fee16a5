/* SPDX-License-Identifier: Apache-2.0
 *
 * test_input.c - bytes from files, pipes and compressed streams, whole, cut and damaged
 */
#include "unit.h"

#include "base/memory.h"
#include "trace/input.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { NBYTES = 700001 }; /* several buffers, and no round number */

struct bytes {
	uint8_t *at;
	size_t n;
};

/* Compressible, but not too much. */
static struct bytes plain_bytes(void)
{
	struct bytes b = {snag_alloc(NBYTES), NBYTES};
	uint32_t x = 1;
	for (size_t i = 0; i < b.n; i++) {
		x = x * 1664525 + 1013904223;
		b.at[i] = (uint8_t)('a' + (x >> 24) % 24);
	}
	return b;
}

static struct bytes gzip_bytes(struct bytes plain)
{
	struct bytes b = {snag_alloc(plain.n + 1000), 0};
	z_stream z = {.next_in = plain.at,
		      .avail_in = (uInt)plain.n,
		      .next_out = b.at,
		      .avail_out = (uInt)plain.n + 1000};
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	b.n = z.total_out;
	deflateEnd(&z);
	return b;
}

static struct bytes zstd_bytes(struct bytes plain)
{
	struct bytes b = {snag_alloc(ZSTD_compressBound(plain.n)), 0};
	ZSTD_CCtx *z = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	b.n = ZSTD_compress2(z, b.at, ZSTD_compressBound(plain.n), plain.at, plain.n);
	ZSTD_freeCCtx(z);
	return b;
}

static struct bytes twice(struct bytes b)
{
	struct bytes two = {snag_alloc(2 * b.n), 2 * b.n};
	memcpy(two.at, b.at, b.n);
	memcpy(two.at + b.n, b.at, b.n);
	return two;
}

static struct snag_input *open_bytes(struct bytes b)
{
	struct snag_error err = {0};
	struct snag_input *in;
	char path[64];
	int fd = memfd_create("input", 0);
	assert_int_equal(write(fd, b.at, b.n), b.n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(snag_input_open(path, &in, &err), 0);
	close(fd);
	return in;
}

/* Reads everything, `need` bytes at least at a time, and consumes two thirds each time so that
 * the rest must move.  Returns the number of bytes, which are those of `expected` repeated, or
 * the error. */
static ssize_t drain(struct snag_input *in, struct bytes expected, size_t need,
		     struct snag_error *err)
{
	size_t total = 0;
	for (;;) {
		ssize_t have = snag_input_fill(in, need, err);
		if (have <= 0) {
			snag_input_close(in);
			return have < 0 ? have : (ssize_t)total;
		}
		assert_int_equal(have, in->end - in->at);
		assert_int_equal(snag_input_offset(in), total);
		if ((size_t)have < need) /* the end: the padding is there and zero */
			for (int i = 0; i < SNAG_INPUT_PAD; i++)
				assert_int_equal(in->end[i], 0);
		size_t take = have < 3 ? (size_t)have : (size_t)have / 3 * 2;
		for (size_t i = 0; i < take; i++)
			if (in->at[i] != expected.at[(total + i) % expected.n])
				fail_msg("byte %zu is wrong", total + i);
		in->at += take;
		total += take;
	}
}

static void test_encodings(void **state)
{
	static const size_t needs[] = {1, 1000, 300000, 2 * NBYTES + 1};
	struct bytes plain = plain_bytes();
	struct bytes gzip = gzip_bytes(plain), zstd = zstd_bytes(plain);
	struct bytes gzip_2 = twice(gzip), zstd_2 = twice(zstd); /* members and frames in a row */
	struct snag_error err = {0};
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		assert_int_equal(drain(open_bytes(plain), plain, needs[i], &err), NBYTES);
		assert_int_equal(drain(open_bytes(gzip), plain, needs[i], &err), NBYTES);
		assert_int_equal(drain(open_bytes(zstd), plain, needs[i], &err), NBYTES);
		assert_int_equal(drain(open_bytes(gzip_2), plain, needs[i], &err), 2 * NBYTES);
		assert_int_equal(drain(open_bytes(zstd_2), plain, needs[i], &err), 2 * NBYTES);
		assert_int_equal(drain(snag_input_from_memory("m", plain.at, plain.n), plain,
				       needs[i], &err),
				 NBYTES);
	}
	assert_int_equal(err.code, 0);
	free(plain.at), free(gzip.at), free(zstd.at), free(gzip_2.at), free(zstd_2.at);
}

/* Every way to cut a small stream, and a few of a long one. */
static void test_cut(void **state)
{
	struct bytes plain = plain_bytes();
	for (int long_one = 0; long_one < 2; long_one++) {
		struct bytes part = {plain.at, long_one ? NBYTES : 50};
		struct bytes packed[2] = {gzip_bytes(part), zstd_bytes(part)};
		for (int kind = 0; kind < 2; kind++) {
			for (size_t n = 4; n < packed[kind].n; n += long_one ? 50021 : 1) {
				struct bytes cut = {packed[kind].at, n};
				struct snag_error err = {0};
				assert_int_equal(drain(open_bytes(cut), plain, 1, &err),
						 SNAG_EINPUT);
				assert_non_null(strstr(err.msg, kind ? "zstd data is cut short"
								     : "gzip data is cut short"));
				char offset[32];
				snprintf(offset, sizeof(offset), ": offset %zu: ", n);
				assert_non_null(strstr(err.msg, offset));
			}
			free(packed[kind].at);
		}
	}
	free(plain.at);
}

static void test_damaged(void **state)
{
	struct bytes plain = plain_bytes();
	struct bytes packed[2] = {gzip_bytes(plain), zstd_bytes(plain)};
	for (int kind = 0; kind < 2; kind++) {
		for (size_t at = 20; at < packed[kind].n; at += 40009) {
			struct snag_error err = {0};
			packed[kind].at[at] ^= 0x55;
			/* zlib may find what it needs missing rather than wrong. */
			ssize_t rc = drain(open_bytes(packed[kind]), plain, NBYTES + 1, &err);
			packed[kind].at[at] ^= 0x55;
			assert_int_equal(rc, SNAG_EINPUT);
			assert_non_null(strstr(err.msg, kind ? "zstd data is " : "gzip data is "));
		}
		free(packed[kind].at);
	}
	free(plain.at);
}

static void test_garbage_behind(void **state)
{
	struct bytes plain = plain_bytes();
	struct bytes packed[2] = {gzip_bytes(plain), zstd_bytes(plain)};
	for (int kind = 0; kind < 2; kind++) {
		struct snag_error err = {0};
		struct bytes more = twice(packed[kind]);
		memset(more.at + packed[kind].n, 'g', packed[kind].n);
		assert_int_equal(drain(open_bytes(more), plain, 1, &err), SNAG_EINPUT);
		assert_non_null(strstr(err.msg, "data is damaged"));
		free(more.at);
		free(packed[kind].at);
	}
	free(plain.at);
}

/* A window of 2 GB is not worth the memory. */
static void test_large_window(void **state)
{
	static uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00};
	struct bytes b = {frame, sizeof(frame)};
	struct snag_error err = {0};
	assert_int_equal(drain(open_bytes(b), b, 1, &err), SNAG_EINPUT);
	assert_non_null(strstr(err.msg, "zstd data is compressed with too large a window"));
}

/* Through a pipe, a few bytes at a time, so that the magic comes in parts. */
static void test_pipe(void **state)
{
	struct bytes plain = plain_bytes(), part = {plain.at, 5000};
	struct bytes form[3] = {part, gzip_bytes(part), zstd_bytes(part)};
	for (int kind = 0; kind < 3; kind++) {
		struct snag_error err = {0};
		struct snag_input *in;
		char path[64];
		int ends[2];
		assert_int_equal(pipe(ends), 0);
		pid_t child = fork();
		if (child == 0) {
			for (size_t i = 0; i < form[kind].n; i += 3) {
				size_t n = form[kind].n - i < 3 ? form[kind].n - i : 3;
				if (write(ends[1], form[kind].at + i, n) != (ssize_t)n)
					_exit(1);
			}
			_exit(0);
		}
		close(ends[1]);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
		assert_int_equal(snag_input_open(path, &in, &err), 0);
		close(ends[0]);
		assert_true(snag_input_progress(in) < 0);
		struct snag_input *again;
		assert_int_equal(snag_input_again(in, &again, &err), 0);
		assert_int_equal(drain(in, part, 100, &err), 5000);
		int status;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	free(plain.at), free(form[1].at), free(form[2].at);
}

static void test_short_files(void **state)
{
	static const char *const table[] = {"", "a", "\x1f", "\x28\xb5\x2f", "abc"};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct bytes b = {(uint8_t *)table[i], strlen(table[i])};
		struct snag_error err = {0};
		assert_int_equal(drain(open_bytes(b), b, 1, &err), b.n);
	}
}

static void test_stdin(void **state)
{
	struct snag_error err = {0};
	struct snag_input *in;
	int fd = memfd_create("stdin", 0), saved = dup(0);
	assert_int_equal(write(fd, "hello", 5), 5);
	lseek(fd, 0, SEEK_SET);
	dup2(fd, 0);
	assert_int_equal(snag_input_open("-", &in, &err), 0);
	assert_string_equal(in->name, "<stdin>");
	assert_int_equal(drain(in, (struct bytes){(uint8_t *)"hello", 5}, 1, &err), 5);
	dup2(saved, 0);
	close(saved);
	close(fd);
}

static void test_refuse(void **state)
{
	static const struct {
		const char *path, *message;
	} table[] = {
		{"/nonexistent/x.std", "/nonexistent/x.std: No such file or directory"},
		{"/", "/: is a directory"},
		{"", ": No such file or directory"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct snag_error err = {0};
		struct snag_input *in = NULL;
		assert_int_equal(snag_input_open(table[i].path, &in, &err), SNAG_EIO);
		assert_string_equal(err.msg, table[i].message);
		assert_null(in);
	}
}

static void test_progress(void **state)
{
	struct bytes plain = plain_bytes(), gzip = gzip_bytes(plain);
	struct bytes form[2] = {plain, gzip};
	for (int kind = 0; kind < 2; kind++) {
		struct snag_error err = {0};
		struct snag_input *in = open_bytes(form[kind]);
		double last = snag_input_progress(in);
		assert_true(last == 0);
		while (snag_input_fill(in, 1, &err) > 0) {
			in->at = in->end;
			assert_true(snag_input_progress(in) > last && snag_input_progress(in) <= 1);
			last = snag_input_progress(in);
		}
		assert_true(last == 1);
		snag_input_close(in);
	}
	free(plain.at), free(gzip.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encodings),    cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damaged),	     cmocka_unit_test(test_garbage_behind),
		cmocka_unit_test(test_large_window), cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_short_files),  cmocka_unit_test(test_stdin),
		cmocka_unit_test(test_refuse),	     cmocka_unit_test(test_progress),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
