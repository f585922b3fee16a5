/* SPDX-License-Identifier: Apache-2.0
 *
 * test_output.c - all or nothing: what is left behind when writing succeeds, fails or is aborted
 */
#include "unit.h"

#include "base/memory.h"
#include "trace/input.h"
#include "trace/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NBYTES = 500000 };

struct folder {
	char path[64];
	uint8_t bytes[NBYTES];
};

static int folder_new(void **state)
{
	struct folder *f = snag_calloc(1, sizeof(*f));
	uint32_t x = 7;
	for (size_t i = 0; i < NBYTES; i++) {
		x = x * 1664525 + 1013904223;
		f->bytes[i] = (uint8_t)(x >> 24);
	}
	strcpy(f->path, "/tmp/snag-test-XXXXXX");
	*state = f;
	return mkdtemp(f->path) ? 0 : -1;
}

/* How many files there are; with `remove` they go. */
static int folder_files(const struct folder *f, int and_remove)
{
	int n = 0;
	DIR *dir = opendir(f->path);
	for (struct dirent *e; (e = readdir(dir));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		n++;
		if (and_remove)
			unlinkat(dirfd(dir), e->d_name, 0);
	}
	closedir(dir);
	return n;
}

static int folder_free(void **state)
{
	struct folder *f = *state;
	folder_files(f, 1);
	rmdir(f->path);
	free(f);
	return 0;
}

static const char *in_folder(const struct folder *f, const char *name)
{
	static char path[4][512];
	static int next;
	char *to = path[next++ % 4];
	snprintf(to, sizeof(path[0]), "%s/%s", f->path, name);
	return to;
}

static struct snag_output *open_ok(const char *path)
{
	struct snag_error err = {0};
	struct snag_output *out;
	assert_int_equal(snag_output_open(path, &out, &err), 0);
	return out;
}

static void expect_bytes(const char *path, const void *bytes, size_t n)
{
	struct snag_error err = {0};
	struct snag_input *in;
	assert_int_equal(snag_input_open(path, &in, &err), 0);
	assert_int_equal(snag_input_fill(in, n + 1, &err), n);
	assert_memory_equal(in->at, bytes, n);
	snag_input_close(in);
}

static void put_file(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void test_commit(void **state)
{
	const struct folder *f = *state;
	static const char *const names[] = {"plain", "packed.gz", "packed.zst"};
	for (size_t i = 0; i < 3; i++) {
		struct snag_error err = {0};
		const char *path = in_folder(f, names[i]);
		struct snag_output *out = open_ok(path);
		assert_string_equal(snag_output_name(out), path);
		size_t at = 0;
		for (size_t n = 0; at < NBYTES; n = n * 2 + 1) { /* nothing, a byte, ... a lot */
			n = n < NBYTES - at ? n : NBYTES - at;
			assert_int_equal(snag_output_write(out, f->bytes + at, n, &err), 0);
			at += n;
		}
		assert_int_equal(access(path, F_OK), -1); /* not before the commit */
		assert_int_equal(snag_output_commit(out, &err), 0);
		expect_bytes(path, f->bytes, NBYTES);
		assert_int_equal(folder_files(f, 1), 1);
	}
}

static void test_magic(void **state) /* the suffix does compress */
{
	const struct folder *f = *state;
	static const struct {
		const char *name, *magic;
	} table[] = {{"a.gz", "\x1f\x8b"}, {"a.zst", "\x28\xb5\x2f\xfd"}, {"a.gzip", "hello"}};
	for (size_t i = 0; i < 3; i++) {
		struct snag_error err = {0};
		char head[8] = {0};
		const char *path = in_folder(f, table[i].name);
		struct snag_output *out = open_ok(path);
		assert_int_equal(snag_output_write(out, "hello", 5, &err), 0);
		assert_int_equal(snag_output_commit(out, &err), 0);
		int fd = open(path, O_RDONLY);
		assert_int_equal(read(fd, head, strlen(table[i].magic)), strlen(table[i].magic));
		assert_string_equal(head, table[i].magic);
		close(fd);
	}
}

static void test_empty(void **state)
{
	const struct folder *f = *state;
	static const char *const names[] = {"e", "e.gz", "e.zst"};
	for (size_t i = 0; i < 3; i++) {
		struct snag_error err = {0};
		const char *path = in_folder(f, names[i]);
		assert_int_equal(snag_output_commit(open_ok(path), &err), 0);
		expect_bytes(path, "", 0);
	}
}

static void test_abort(void **state)
{
	const struct folder *f = *state;
	static const char *const names[] = {"a", "a.gz", "a.zst"};
	for (size_t i = 0; i < 3; i++) {
		for (int exists = 0; exists < 2; exists++) {
			struct snag_error err = {0};
			const char *path = in_folder(f, names[i]);
			if (exists)
				put_file(path, "old", 0600);
			struct snag_output *out = open_ok(path);
			assert_int_equal(snag_output_write(out, f->bytes, NBYTES, &err), 0);
			snag_output_abort(out);
			if (exists)
				expect_bytes(path, "old", 3);
			assert_int_equal(folder_files(f, 1), exists);
		}
	}
	snag_output_abort(NULL);
}

/* The file keeps its permissions, or gets those of a new one. */
static void test_mode(void **state)
{
	const struct folder *f = *state;
	const char *path = in_folder(f, "m");
	struct snag_error err = {0};
	struct stat st;
	mode_t mask = umask(027);
	assert_int_equal(snag_output_commit(open_ok(path), &err), 0);
	umask(mask);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);

	put_file(path, "old", 0604);
	assert_int_equal(snag_output_commit(open_ok(path), &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0604);
	assert_int_equal(st.st_size, 0);
}

static void test_link(void **state) /* a symbolic link stays one */
{
	const struct folder *f = *state;
	const char *path = in_folder(f, "file"), *link = in_folder(f, "link");
	struct snag_error err = {0};
	struct stat st;
	put_file(path, "old", 0600);
	assert_int_equal(symlink("file", link), 0);
	struct snag_output *out = open_ok(link);
	assert_int_equal(snag_output_write(out, "new", 3, &err), 0);
	assert_int_equal(snag_output_commit(out, &err), 0);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	expect_bytes(path, "new", 3);
	assert_int_equal(folder_files(f, 1), 2);
}

static void test_long_name(void **state) /* the longest there is */
{
	const struct folder *f = *state;
	char name[256];
	struct snag_error err = {0};
	memset(name, 'n', 255);
	name[255] = '\0';
	assert_int_equal(snag_output_commit(open_ok(in_folder(f, name)), &err), 0);
	assert_int_equal(folder_files(f, 1), 1);
}

static void test_refuse(void **state)
{
	const struct folder *f = *state;
	struct snag_error err = {0};
	struct snag_output *out = NULL;
	char expected[128];
	assert_int_equal(snag_output_open("/nonexistent/a", &out, &err), SNAG_EIO);
	assert_string_equal(err.msg, "/nonexistent/a: No such file or directory");
	assert_int_equal(snag_output_open(f->path, &out, &err), SNAG_EIO);
	snprintf(expected, sizeof(expected), "%s: Is a directory", f->path);
	assert_string_equal(err.msg, expected);
	assert_int_equal(snag_output_open("", &out, &err), SNAG_EIO);
	assert_string_equal(err.msg, ": No such file or directory");
	assert_int_equal(snag_output_open(in_folder(f, "a/"), &out, &err), SNAG_EIO);
	assert_non_null(strstr(err.msg, "/a/: Is a directory"));
	assert_null(out);
	assert_int_equal(folder_files(f, 0), 0);
}

/* A file nobody may write is not replaced, although the folder would allow it. */
static void test_read_only(void **state)
{
	const struct folder *f = *state;
	const char *path = in_folder(f, "r");
	struct snag_error err = {0};
	struct snag_output *out;
	bool is_root = geteuid() == 0; /* whom nothing stops */
	put_file(path, "old", 0444);
	if (is_root) {
		assert_int_equal(chmod(f->path, 0777), 0);
		assert_int_equal(setresuid(65534, 65534, 0), 0);
	}
	int rc = snag_output_open(path, &out, &err);
	if (is_root)
		assert_int_equal(setresuid(0, 0, 0), 0);
	assert_int_equal(rc, SNAG_EIO);
	assert_non_null(strstr(err.msg, ": Permission denied"));
	expect_bytes(path, "old", 3);
}

/* /dev/full, also behind names that ask for compression. */
static void test_full(void **state)
{
	const struct folder *f = *state;
	static const char *const names[] = {"full", "full.gz", "full.zst"};
	for (size_t i = 0; i < 3; i++) {
		for (size_t n = 1; n <= NBYTES; n = n * 40 + 1) {
			struct snag_error err = {0};
			const char *path = in_folder(f, names[i]);
			assert_int_equal(symlink("/dev/full", path), 0);
			struct snag_output *out = open_ok(path);
			if (snag_output_write(out, f->bytes, n, &err) < 0)
				snag_output_abort(out);
			else
				assert_int_equal(snag_output_commit(out, &err), SNAG_EIO);
			assert_int_equal(err.code, SNAG_EIO);
			assert_non_null(strstr(err.msg, ": No space left on device"));
			assert_int_equal(folder_files(f, 1), 1); /* the link */
		}
	}
}

/* The commit itself fails: the folder is gone. */
static void test_folder_gone(void **state)
{
	const struct folder *f = *state;
	struct snag_error err = {0};
	const char *sub = in_folder(f, "sub"), *path = in_folder(f, "sub/a");
	assert_int_equal(mkdir(sub, 0700), 0);
	struct snag_output *out = open_ok(path);
	const char *moved = in_folder(f, "moved");
	assert_int_equal(rename(sub, moved), 0);
	assert_int_equal(snag_output_commit(out, &err), SNAG_EIO);
	assert_non_null(strstr(err.msg, ": No such file or directory"));
	DIR *dir = opendir(moved);
	for (struct dirent *e; (e = readdir(dir));)
		unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
	assert_int_equal(rmdir(moved), 0);
}

/* Standard output, under all its names: what the file has before stays. */
static void test_stdout(void **state)
{
	const struct folder *f = *state;
	static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
	const char *path = in_folder(f, "redirected");
	for (size_t i = 0; i < 4; i++) {
		struct snag_error err = {0};
		fflush(stdout);
		put_file(path, "old", 0600);
		int saved = dup(1), fd = open(path, O_WRONLY | O_APPEND);
		dup2(fd, 1);
		struct snag_output *out = NULL;
		int rc = snag_output_open(names[i], &out, &err);
		if (rc == 0)
			rc = snag_output_write(out, "hello", 5, &err);
		if (rc == 0)
			rc = snag_output_commit(out, &err);
		dup2(saved, 1);
		close(saved);
		close(fd);
		assert_int_equal(rc, 0);
		expect_bytes(path, "oldhello", 8);
		assert_int_equal(folder_files(f, 1), 1);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_new, folder_free)
	const struct CMUnitTest tests[] = {
		TEST(test_commit),    TEST(test_magic), TEST(test_empty),	TEST(test_abort),
		TEST(test_mode),      TEST(test_link),	TEST(test_long_name),	TEST(test_refuse),
		TEST(test_read_only), TEST(test_full),	TEST(test_folder_gone), TEST(test_stdout),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
