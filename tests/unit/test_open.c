/* SPDX-License-Identifier: Apache-2.0
 *
 * test_open.c - which format a trace is in, and traces that travel through all of them
 */
#include "unit.h"

#include "base/memory.h"
#include "render.h"
#include "trace/sink.h"
#include "trace/trace.h"

#include <unistd.h>

static char *path_of(const char *folder, const char *name)
{
	char *path;
	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

/* Writes what is in one file to another; 0 or the code. */
static int convert(const char *from, const char *to, struct snag_error *err)
{
	struct snag_source *src;
	struct snag_sink *sink;
	struct snag_batch batch;
	assert_int_equal(snag_source_open(from, NULL, &src, err), 0);
	int rc = snag_sink_open(to, 3, &sink, err);
	if (rc < 0) {
		snag_source_close(src);
		return rc;
	}
	while ((rc = snag_source_next(src, &batch, err)) > 0)
		assert_int_equal(snag_sink_write(sink, &batch, src->names, err), 0);
	snag_source_close(src);
	assert_int_equal(rc, 0);
	return snag_sink_commit(sink, err);
}

static char *rendered(const char *path)
{
	struct snag_error err = {0};
	struct snag_source *src;
	assert_int_equal(snag_source_open(path, NULL, &src, &err), 0);
	return render(src);
}

static void put(const char *path, const char *text)
{
	FILE *to = fopen(path, "w");
	fputs(text, to);
	fclose(to);
}

/* Through every format and compression, and back to STD; the names of files that say nothing
 * are looked into. */
static void test_travel(void **state)
{
	static const char *const names[] = {
		"a.std", "b.std.gz", "c.std.zst", "d.snag",    "e.snag.zst",
		"f.csv", "g.csv.gz", "h.csv.zst", "i.snag.gz", "z.std",
	};
	/* Locations are lines, so that CSV loses nothing. */
	static const char text[] =
		"T0|fork(T1)|1\nT1|acq(l)|2\nT1|acq(l)|3\nT1|w(x)|4\nT1|rel(l)|5\n"
		"T1|rel(l)|6\nT0|r(x)|7\nT2|br|8\nT0|join(T1)|9\n";
	struct snag_error err = {0};
	char folder[] = "/tmp/snag-test-XXXXXX";
	size_t n = sizeof(names) / sizeof(names[0]);
	assert_non_null(mkdtemp(folder));
	char *first = path_of(folder, names[0]), *unnamed = path_of(folder, "unnamed");
	put(first, text);
	char *expected = rendered(first);
	for (size_t i = 1; i < n; i++) {
		char *from = path_of(folder, names[i - 1]), *to = path_of(folder, names[i]);
		assert_int_equal(convert(from, to, &err), 0);
		free(from);
		free(to);
	}
	for (size_t i = 0; i < n; i++) {
		char *path = path_of(folder, names[i]), *got = rendered(path);
		bool has_lines = !strstr(names[i], ".snag");
		if (has_lines)
			assert_string_equal(got, expected);
		free(got);
		if (!strstr(names[i], ".csv")) { /* STD or .snag, by their first bytes */
			assert_int_equal(rename(path, unnamed), 0);
			got = rendered(unnamed);
			if (has_lines)
				assert_string_equal(got, expected);
			else
				assert_int_equal(strncmp(got, "#0 T0|fork(T1)|1\n#1 ", 20), 0);
			free(got);
			assert_int_equal(rename(unnamed, path), 0);
		}
		unlink(path);
		free(path);
	}
	free(first), free(unnamed), free(expected);
	assert_int_equal(rmdir(folder), 0);
}

static void test_refuse(void **state)
{
	static const char *const bad[] = {"out",  "out.txt", "out.gz",	   "out.std.bz2",
					  ".std", "std",     "out.zst.gz", "out.STD"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct snag_error err = {0};
		struct snag_sink *sink = NULL;
		char expected[256];
		snprintf(expected, sizeof(expected),
			 "%s: unknown kind of trace, expected a name that ends in .std, .csv or "
			 ".snag, "
			 "perhaps with .gz or .zst",
			 bad[i]);
		assert_int_equal(snag_sink_open(bad[i], 1, &sink, &err), SNAG_EINPUT);
		assert_string_equal(err.msg, expected);
		assert_null(sink);
	}
	struct snag_error err = {0};
	struct snag_source *src = NULL;
	struct snag_sink *sink = NULL;
	assert_int_equal(snag_source_open("/nonexistent/a.std", NULL, &src, &err), SNAG_EIO);
	assert_string_equal(err.msg, "/nonexistent/a.std: No such file or directory");
	assert_int_equal(snag_sink_open("/nonexistent/a.std", 1, &sink, &err), SNAG_EIO);
	assert_string_equal(err.msg, "/nonexistent/a.std: No such file or directory");
	assert_true(!src && !sink);
}

static void test_needs_threads(void **state)
{
	assert_true(snag_sink_needs_threads("a.csv"));
	assert_true(snag_sink_needs_threads("a.csv.gz"));
	assert_false(snag_sink_needs_threads("a.std"));
	assert_false(snag_sink_needs_threads("a.csv.std"));
	assert_false(snag_sink_needs_threads("a.snag"));
	assert_false(snag_sink_needs_threads("-"));
}

static void test_empty_file(void **state)
{
	static const char *const names[] = {"a.std", "a.csv", "a"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char folder[] = "/tmp/snag-test-XXXXXX", expected[128];
		assert_non_null(mkdtemp(folder));
		char *path = path_of(folder, names[i]);
		put(path, "");
		char *text = rendered(path);
		snprintf(expected, sizeof(expected), "! %s: the trace is empty\n", path);
		assert_string_equal(text, expected);
		free(text);
		unlink(path);
		rmdir(folder);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_travel),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_needs_threads),
		cmocka_unit_test(test_empty_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
