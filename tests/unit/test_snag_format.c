/* SPDX-License-Identifier: Apache-2.0
 *
 * test_snag_format.c - .snag files: what is written is read back
 */
#include "snag_files.h"

#include "bench/generate.h"

static void assert_reads_back(const struct snag_trace *trace)
{
	struct file file = file_of(trace);
	struct snag_trace back;
	struct snag_error err = {0};
	uint64_t skipped;
	assert_int_equal(read_all(file.at, file.n, false, &back, &skipped, &err), 0);
	assert_int_equal(skipped, 0);
	assert_int_equal(back.n, trace->n);
	assert_prefix(&back, trace);
	for (int s = 0; s < SNAG_SPACES; s++)
		assert_int_equal(back.names.space[s].n, trace->names.space[s].n);
	snag_trace_done(&back);
	free(file.at);
}

static void test_round_trips(void **state)
{
	static const size_t lengths[] = {6, 4095, 4096, 4097, 70000, 200000};
	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct snag_trace trace = random_trace(lengths[i], i % 2 ? 700 : 3, i);
		assert_reads_back(&trace);
		snag_trace_done(&trace);
	}
}

static void test_batches_do_not_matter(void **state)
{
	struct snag_trace trace = random_trace(130000, 500, 4);
	struct file whole = file_of(&trace), file;
	struct snag_error err;
	char path[64];
	(void)state;
	path_of(path, "pieces.snag");
	assert_int_equal(write_pieces(&trace, 777, path, &err), 0);
	file = slurp(path);
	unlink(path);
	assert_int_equal(file.n, whole.n);
	assert_memory_equal(file.at, whole.at, file.n);
	free(file.at);
	free(whole.at);
	snag_trace_done(&trace);
}

static void test_generated_trace_is_small(void **state)
{
	struct snag_generate_options options = snag_generate_defaults;
	struct snag_source *src;
	struct snag_trace trace;
	struct snag_error err;
	(void)state;
	assert_int_equal(snag_generate_source(&options, &src, &err), 0);
	snag_trace_init(&trace);
	assert_int_equal(snag_trace_load(&trace, src, &err), 0);
	snag_source_close(src);
	assert_reads_back(&trace);
	struct file file = file_of(&trace);
	assert_true(file.n < 2 * options.events);
	free(file.at);
	snag_trace_done(&trace);
}

static void test_odd_names(void **state)
{
	struct snag_trace trace;
	char long_name[100001];
	(void)state;
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	snag_trace_init(&trace);
	snag_trace_add(&trace, "", SNAG_OP_READ, "\n|\xff\x01 ", "");
	snag_trace_add(&trace, "\xc3\xa4", SNAG_OP_WRITE, long_name, "\x89SNAG\r\n\x1a");
	snag_trace_add(&trace, "\xb5SnagBlk", SNAG_OP_ACQUIRE, "\\", "'\"");
	assert_reads_back(&trace);
	snag_trace_done(&trace);
}

/* More names than a block may hold go into several; one that is too long fails. */
static void test_huge_names(void **state)
{
	struct snag_trace trace;
	struct snag_error err = {0};
	char *name = malloc(SNAG_NAME_MAX_BYTES + 2), path[64];
	(void)state;
	memset(name, 'n', SNAG_NAME_MAX_BYTES + 1);
	name[SNAG_NAME_MAX_BYTES] = '\0';
	snag_trace_init(&trace);
	for (int i = 0; i < 70; i++) {
		name[0] = (char)('0' + i);
		snag_trace_add(&trace, "T", SNAG_OP_READ, name, "l");
	}
	assert_reads_back(&trace);

	name[SNAG_NAME_MAX_BYTES] = 'n';
	name[SNAG_NAME_MAX_BYTES + 1] = '\0';
	snag_trace_add(&trace, "T", SNAG_OP_READ, name, "l");
	path_of(path, "huge.snag");
	assert_int_equal(write_trace(&trace, path, &err), SNAG_EINPUT);
	assert_non_null(strstr(err.msg, "huge.snag: "));
	assert_int_not_equal(access(path, F_OK), 0);
	snag_trace_done(&trace);
	free(name);
}

static void test_zero_events(void **state)
{
	struct snag_trace empty, back;
	struct snag_error err;
	uint64_t skipped;
	(void)state;
	snag_trace_init(&empty);
	struct file file = file_of(&empty);
	assert_int_equal(read_all(file.at, file.n, false, &back, &skipped, &err), 0);
	assert_int_equal(back.n, 0);
	free(file.at);
}

static void test_compressed_files(void **state)
{
	static const char *const names[] = {"z.snag.gz", "z.snag.zst"};
	struct snag_trace trace = random_trace(100000, 50, 9), back;
	struct snag_error err;
	(void)state;
	for (int i = 0; i < 2; i++) {
		char path[64];
		struct snag_input *in;
		struct snag_source *src;
		path_of(path, names[i]);
		assert_int_equal(write_trace(&trace, path, &err), 0);
		assert_int_equal(snag_input_open(path, &in, &err), 0);
		assert_int_equal(snag_binary_source(in, NULL, &src, &err), 0);
		snag_trace_init(&back);
		assert_int_equal(snag_trace_load(&back, src, &err), 0);
		snag_source_close(src);
		assert_int_equal(back.n, trace.n);
		assert_prefix(&back, &trace);
		snag_trace_done(&back);
		unlink(path);
	}
	snag_trace_done(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_batches_do_not_matter),
		cmocka_unit_test(test_generated_trace_is_small),
		cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_huge_names),
		cmocka_unit_test(test_zero_events),
		cmocka_unit_test(test_compressed_files),
	};
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
