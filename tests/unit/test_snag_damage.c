/* SPDX-License-Identifier: Apache-2.0
 *
 * test_snag_damage.c - .snag files that are cut, damaged or hostile
 */
#include "snag_files.h"
#include "trace/snag_words.h"

static void test_cut_anywhere(void **state)
{
	struct snag_trace trace = small_trace(), back;
	struct file file = file_of(&trace);
	(void)state;
	for (size_t cut = 0; cut < file.n; cut++) {
		struct snag_error err = {0};
		uint64_t skipped = 0;
		uint8_t *bytes = malloc(cut + 1); /* of its own: a read behind it is found */
		memcpy(bytes, file.at, cut);
		assert_int_equal(read_all(bytes, cut, false, &back, &skipped, &err), SNAG_EINPUT);
		assert_prefix(&back, &trace);
		assert_non_null(strstr(err.msg, "x.snag: offset "));
		snag_trace_done(&back);

		int rc = read_all(bytes, cut, true, &back, &skipped, &err);
		assert_int_equal(rc, cut < SNAG_FILE_HEADER_BYTES ? SNAG_EINPUT : 0);
		assert_int_equal(skipped, rc == 0);
		assert_prefix(&back, &trace);
		assert_int_equal(back.n, cut >= file.n - SNAG_BLOCK_HEADER_BYTES ? trace.n : 0);
		snag_trace_done(&back);
		free(bytes);
	}
	free(file.at);
	snag_trace_done(&trace);
}

/* What is whole before the cut of a compressed file is delivered, too. */
static void test_cut_compressed(void **state)
{
	struct snag_trace trace = random_trace(200000, 50, 3), back;
	const struct snag_source_options options = {.lenient = true};
	struct snag_source *src;
	struct snag_input *in;
	struct snag_error err;
	char path[64];
	(void)state;
	path_of(path, "cut.snag.gz");
	assert_int_equal(write_trace(&trace, path, &err), 0);
	struct file file = slurp(path);
	assert_int_equal(truncate(path, (off_t)(file.n * 9 / 10)), 0);
	assert_int_equal(snag_input_open(path, &in, &err), 0);
	assert_int_equal(snag_binary_source(in, &options, &src, &err), 0);
	snag_trace_init(&back);
	assert_int_equal(snag_trace_load(&back, src, &err), 0);
	assert_int_equal(src->skipped, 1);
	snag_source_close(src);
	assert_in_range(back.n, trace.n / 2, trace.n - 1);
	assert_prefix(&back, &trace);
	unlink(path);
	free(file.at);
	snag_trace_done(&back);
	snag_trace_done(&trace);
}

static void test_cut_message(void **state)
{
	struct snag_trace trace = small_trace(), back;
	struct file file = file_of(&trace);
	struct snag_error err;
	uint64_t skipped;
	char expected[128];
	(void)state;
	read_all(file.at, file.n - 1, false, &back, &skipped, &err);
	snprintf(expected, sizeof(expected),
		 "x.snag: offset %zu: cut short after event 5 (use --lenient to analyse what is "
		 "whole)",
		 file.n - 1);
	assert_string_equal(err.msg, expected);
	snag_trace_done(&back);
	read_all(file.at, 100, false, &back, &skipped, &err);
	assert_string_equal(err.msg, "x.snag: offset 100: cut short before the first event (use "
				     "--lenient to analyse what is whole)");
	snag_trace_done(&back);
	free(file.at);
	snag_trace_done(&trace);
}

static void test_any_flipped_bit_is_found(void **state)
{
	struct snag_trace trace = small_trace(), back;
	struct file file = file_of(&trace);
	(void)state;
	for (size_t bit = 0; bit < 8 * file.n; bit++) {
		struct snag_error err = {0};
		uint64_t skipped = 0;
		file.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(read_all(file.at, file.n, false, &back, &skipped, &err),
				 SNAG_EINPUT);
		assert_prefix(&back, &trace);
		snag_trace_done(&back);
		if (read_all(file.at, file.n, true, &back, &skipped, &err) == 0)
			assert_int_equal(skipped, 1);
		assert_prefix(&back, &trace);
		snag_trace_done(&back);
		file.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	free(file.at);
	snag_trace_done(&trace);
}

/* Where block k starts. */
static size_t block_offset(struct file file, int k)
{
	size_t at = SNAG_FILE_HEADER_BYTES;
	struct snag_block_header h;
	for (; k > 0; k--) {
		assert_true(at + SNAG_BLOCK_HEADER_BYTES <= file.n);
		assert_true(snag_block_header_unpack(file.at + at, &h));
		at += SNAG_BLOCK_HEADER_BYTES + h.stored;
	}
	return at;
}

static void test_damaged_second_block(void **state)
{
	struct snag_trace trace = random_trace(200000, 50, 3), back;
	struct file file = file_of(&trace);
	struct snag_block_header first;
	struct snag_error err;
	uint64_t skipped;
	char expected[128];
	(void)state;
	size_t second = block_offset(file, 1);
	assert_true(snag_block_header_unpack(file.at + block_offset(file, 0), &first));
	file.at[second + SNAG_BLOCK_HEADER_BYTES + 1000] ^= 1;
	assert_int_equal(read_all(file.at, file.n, false, &back, &skipped, &err), SNAG_EINPUT);
	snprintf(expected, sizeof(expected),
		 "x.snag: offset %zu: damaged block after event %u: ", second, first.events - 1);
	assert_memory_equal(err.msg, expected, strlen(expected));
	assert_int_equal(back.n, first.events);
	snag_trace_done(&back);
	assert_int_equal(read_all(file.at, file.n, true, &back, &skipped, &err), 0);
	assert_int_equal(skipped, 1);
	assert_int_equal(back.n, first.events);
	assert_prefix(&back, &trace);
	snag_trace_done(&back);
	free(file.at);
	snag_trace_done(&trace);
}

/* Makes the hashes of a changed file right. */
static void rehash(struct file file)
{
	snag_store64(file.at + 24, snag_format_hash(file.at, 24));
	for (size_t at = SNAG_FILE_HEADER_BYTES; at + SNAG_BLOCK_HEADER_BYTES <= file.n;) {
		size_t stored = snag_load32(file.at + at + 24),
		       payload = at + SNAG_BLOCK_HEADER_BYTES;
		if (stored <= file.n - payload)
			snag_store64(file.at + at + 32,
				     snag_format_hash(file.at + payload, stored));
		snag_store64(file.at + at + 40, snag_format_hash(file.at + at, 40));
		at = payload + stored;
	}
}

/* Writes a small file, changes bytes of it, makes the hashes right, and expects that
 * reading says so. */
static void assert_refused(size_t offset, const void *bytes, size_t n, const char *words)
{
	struct snag_trace trace = small_trace(), back;
	struct file file = file_of(&trace);
	struct snag_error err = {0};
	uint64_t skipped;
	memcpy(file.at + offset, bytes, n);
	rehash(file);
	assert_int_equal(read_all(file.at, file.n, false, &back, &skipped, &err), SNAG_EINPUT);
	if (!strstr(err.msg, words))
		fail_msg("expected '%s' in: %s", words, err.msg);
	assert_int_equal(back.n, 0);
	snag_trace_done(&back);
	free(file.at);
	snag_trace_done(&trace);
}

static void test_hostile_headers(void **state)
{
	const size_t block = SNAG_FILE_HEADER_BYTES;
	(void)state;
	assert_refused(0, "\x88", 1, "x.snag: offset 0: not a .snag trace");
	assert_refused(8, "\x63", 1, "x.snag: offset 8: .snag version 99, but");
	assert_refused(15, "\x80", 1,
		       "offset 12: needs features this program does not know (0x80000000)");
	assert_refused(block, "?", 1, "no valid block header");
	assert_refused(block + 8, "\x07", 1, "unknown kind of block");
	assert_refused(block + 12, "\0", 1, "columns for no events");
	assert_refused(block + 12, "\xff\xff\xff\xff", 4, "offset 32: damaged block");
	assert_refused(block + 16, "\1", 1, "events are missing before it");
	assert_refused(block + 24, "\xff\xff\xff\xff", 4, "block too large");
	assert_refused(block + 24, "\xff\xff\xff\x03", 4, "cut short");
	assert_refused(block + 28, "\xff", 1, "bad column header");
}

/* Offset of a column in the first block of a small file, and its plain size. */
static size_t column_offset(struct file file, enum snag_column_id id)
{
	size_t at = SNAG_FILE_HEADER_BYTES + SNAG_BLOCK_HEADER_BYTES;
	while (file.at[at] != id)
		at += SNAG_COLUMN_HEADER_BYTES + snag_load32(file.at + at + 8);
	assert_int_equal(file.at[at + 1], SNAG_STORED);
	return at + SNAG_COLUMN_HEADER_BYTES;
}

/* Names that share bytes: written and expanded they are the same; what is not valid is refused. */
static void test_shared_names(void **state)
{
	struct snag_bytes column = {0}, plain = {0}, last[SNAG_SPACES] = {0}, got = {0};
	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		uint8_t space = i * 7 % SNAG_SPACES;
		char name[40];
		int len = snprintf(name, sizeof(name), "heap#%u:64@3,T1+0x%x", i / 50, i * i);
		snag_words_put(&column, space, &last[space], name, (size_t)len);
		snag_bytes_put(&plain, &space, 1);
		snag_bytes_put_varint(&plain, (uint32_t)len);
		snag_bytes_put(&plain, name, (size_t)len);
	}
	assert_true(column.n < plain.n / 2);
	assert_true(snag_words_expand(snag_bytes_span(&column), &got));
	assert_int_equal(got.n, plain.n);
	assert_memory_equal(got.at, plain.at, plain.n);
	for (size_t cut = 0; cut < column.n;
	     cut++) { /* at any place: no crash, see the sanitizers */
		got.n = 0;
		snag_words_expand((struct snag_span){column.at + cut, column.at + column.n}, &got);
	}
	static const uint8_t bad[][6] = {
		{0x80, 1, 1, 'x'},	 /* no name before it */
		{0, 1, 'a', 0x80, 2, 0}, /* shares more than there is */
		{0, 1, 'a', 0x81, 1, 0}, /* of another space */
		{0, 1, 'a', 0x80, 1, 9}, /* too long for the column */
		{0, 1, 'a', 0x85, 0, 0}, /* no such space */
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(snag_words_expand((struct snag_span){bad[i], bad[i] + 6}, &got));
	for (int space = 0; space < SNAG_SPACES; space++)
		snag_bytes_done(&last[space]);
	snag_bytes_done(&column);
	snag_bytes_done(&plain);
	snag_bytes_done(&got);
}

static void test_hostile_columns(void **state)
{
	struct snag_trace trace = small_trace();
	struct file file = file_of(&trace);
	size_t names = column_offset(file, SNAG_COLUMN_NAMES);
	size_t sites = column_offset(file, SNAG_COLUMN_SITES);
	(void)state;
	/* names: 00 02 T0 00 02 T1; sites: layout, count, then op, flags, size, mode */
	assert_memory_equal(file.at + names, "\0\2T0\0\2T1", 8);
	assert_refused(names, "\x05", 1, "bad name");
	assert_refused(names + 1, "\x7f", 1, "bad name");
	assert_refused(names + 2, "\0", 1, "bad name");
	assert_refused(names + 7, "0", 1, "a name given twice");
	assert_refused(names + 4, "\4", 1, "table of"); /* T1 is a promise: one thread */
	assert_refused(names - 11, "\x02", 1, "bad column header");   /* unknown encoding */
	assert_refused(names - 11, "\x01", 1, "bad column of names"); /* not zstd data */
	assert_refused(sites, "\x03", 1, "unknown layout");
	assert_refused(sites + 1, "\x7f", 1, "bad table of sites");
	assert_refused(sites + 2, "\x3f", 1, "bad table of sites"); /* op */
	assert_refused(sites + 3, "\x07", 1, "bad table of sites"); /* memory order */
	assert_refused(sites + 3, "\x10", 1, "bad table of sites"); /* flag */
	assert_refused(sites + 5, "\x03", 1, "bad table of sites"); /* mode */
	free(file.at);
	snag_trace_done(&trace);
}

static void test_bytes_behind_the_end(void **state)
{
	struct snag_trace trace = small_trace(), back;
	struct file file = file_of(&trace);
	struct snag_error err;
	uint64_t skipped;
	(void)state;
	file.at[file.n] = 0; /* there is room for one byte more */
	assert_int_equal(read_all(file.at, file.n + 1, false, &back, &skipped, &err), SNAG_EINPUT);
	assert_non_null(strstr(err.msg, "bytes behind the end"));
	assert_int_equal(back.n, trace.n);
	snag_trace_done(&back);
	free(file.at);
	snag_trace_done(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_cut_compressed),
		cmocka_unit_test(test_cut_message),
		cmocka_unit_test(test_any_flipped_bit_is_found),
		cmocka_unit_test(test_damaged_second_block),
		cmocka_unit_test(test_hostile_headers),
		cmocka_unit_test(test_shared_names),
		cmocka_unit_test(test_hostile_columns),
		cmocka_unit_test(test_bytes_behind_the_end),
	};
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
