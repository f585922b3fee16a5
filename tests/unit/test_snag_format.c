/* SPDX-License-Identifier: Apache-2.0
 *
 * test_snag_format.c - .snag files: whole, cut, damaged and hostile
 */
#include "unit.h"

#include "random_events.h"

#include "base/memory.h"
#include "bench/generate.h"
#include "trace/format.h"
#include "trace/input.h"
#include "trace/output.h"
#include "trace/sink.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file {
	uint8_t *at;
	size_t n;
};

static char directory[] = "/tmp/snag-format-XXXXXX";

static int group_setup(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int group_teardown(void **state)
{
	(void)state;
	return rmdir(directory);
}

static void path_of(char path[static 64], const char *name)
{
	snprintf(path, 64, "%s/%s", directory, name);
}

static struct file slurp(const char *path)
{
	struct file file;
	FILE *f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	file.n = (size_t)ftell(f);
	rewind(f);
	file.at = malloc(file.n + 1);
	assert_int_equal(fread(file.at, 1, file.n, f), file.n);
	fclose(f);
	return file;
}

static int write_trace(const struct snag_trace *trace, const char *path, struct snag_error *err)
{
	struct snag_output *out;
	struct snag_batch batch;
	assert_int_equal(snag_output_open(path, &out, err), 0);
	struct snag_sink *sink = snag_binary_sink(out);
	struct snag_source *src = snag_trace_source(trace);
	int rc = 0;
	while (rc == 0 && snag_source_next(src, &batch, err) > 0)
		rc = snag_sink_write(sink, &batch, &trace->names, err);
	snag_source_close(src);
	if (rc == 0)
		return snag_sink_commit(sink, err);
	snag_sink_abort(sink);
	return rc;
}

static struct file file_of(const struct snag_trace *trace)
{
	struct snag_error err;
	char path[64];
	path_of(path, "x.snag");
	assert_int_equal(write_trace(trace, path, &err), 0);
	struct file file = slurp(path);
	unlink(path);
	return file;
}

/* Reads all; returns what the last call or the opening did. */
static int read_all(const uint8_t *bytes, size_t n, bool lenient, struct snag_trace *ret_trace,
		    uint64_t *ret_skipped, struct snag_error *err)
{
	const struct snag_source_options options = {.lenient = lenient};
	struct snag_source *src;
	struct snag_batch batch;
	snag_trace_init(ret_trace);
	int rc =
		snag_binary_source(snag_input_from_memory("x.snag", bytes, n), &options, &src, err);
	if (rc < 0)
		return rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0) {
		assert_int_equal(batch.first, ret_trace->n);
		assert_in_range(batch.n, 1, SNAG_BATCH_EVENTS);
		for (int s = 0; s < SNAG_SPACES; s++)
			assert_true(batch.counts.n[s] <= src->names->space[s].n);
		for (size_t i = 0; i < batch.n; i++) {
			assert_true(batch.ev[i].thread < batch.counts.n[SNAG_SPACE_THREAD]);
			assert_true(batch.ev[i].loc < batch.counts.n[SNAG_SPACE_LOCATION]);
		}
		ret_trace->ev = snag_huge_grow(ret_trace->ev, &ret_trace->cap,
					       ret_trace->n + batch.n, sizeof(*batch.ev));
		memcpy(ret_trace->ev + ret_trace->n, batch.ev, batch.n * sizeof(*batch.ev));
		ret_trace->n += batch.n;
	}
	for (int s = 0; s < SNAG_SPACES; s++)
		for (uint32_t id = 0; id < src->names->space[s].n; id++)
			snag_strtab_intern(&ret_trace->names.space[s],
					   snag_strtab_get(&src->names->space[s], id),
					   snag_strtab_len(&src->names->space[s], id));
	assert_int_equal(snag_source_next(src, &batch, err), 0); /* the end stays the end */
	*ret_skipped = src->skipped;
	snag_source_close(src);
	return rc;
}

static void assert_prefix(const struct snag_trace *part, const struct snag_trace *whole)
{
	assert_true(part->n <= whole->n);
	assert_memory_equal(part->ev, whole->ev, part->n * sizeof(*part->ev));
	for (int s = 0; s < SNAG_SPACES; s++) {
		assert_true(part->names.space[s].n <= whole->names.space[s].n);
		for (uint32_t id = 0; id < part->names.space[s].n; id++)
			assert_string_equal(snag_name(&part->names, s, id),
					    snag_name(&whole->names, s, id));
	}
}

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

/* A trace of n random events over names of each space, all in use. */
static struct snag_trace random_trace(size_t n, uint32_t names, uint64_t seed)
{
	struct snag_random random;
	struct snag_trace trace;
	struct snag_counts counts;
	char name[32];
	snag_random_init(&random, seed);
	snag_trace_init(&trace);
	for (int s = 0; s < SNAG_SPACES; s++) {
		counts.n[s] = names;
		for (uint32_t i = 0; i < names; i++)
			snag_strtab_intern(&trace.names.space[s], name,
					   (size_t)snprintf(name, sizeof(name), "%d/%u", s, i));
	}
	trace.ev = snag_huge_grow(NULL, &trace.cap, n, sizeof(*trace.ev));
	for (; trace.n < n; trace.n++)
		trace.ev[trace.n] = random_event(&random, &counts);
	static const uint8_t user[SNAG_SPACES] = {SNAG_OP_FORK,	       SNAG_OP_READ,
						  SNAG_OP_ACQUIRE,     SNAG_OP_BRANCH,
						  SNAG_OP_TASK_CREATE, SNAG_OP_PROMISE_SET};
	for (int s = 0; s < SNAG_SPACES; s++) /* uses the last name of each space */
		trace.ev[n - 1 - (size_t)s] =
			(struct snag_event){.op = user[s],
					    .target = s == SNAG_SPACE_LOCATION ? 0 : names - 1,
					    .loc = names - 1};
	return trace;
}

static struct snag_trace small_trace(void)
{
	struct snag_trace trace;
	snag_trace_init(&trace);
	snag_trace_add(&trace, "T0", SNAG_OP_FORK, "T1", "a.c:1");
	snag_trace_add(&trace, "T0", SNAG_OP_ACQUIRE, "l", "a.c:2");
	snag_trace_add(&trace, "T0", SNAG_OP_WRITE, "x", "a.c:3");
	snag_trace_add(&trace, "T0", SNAG_OP_RELEASE, "l", "a.c:4");
	snag_trace_add(&trace, "T1", SNAG_OP_READ, "x", "b.c:1");
	snag_trace_add(&trace, "T0", SNAG_OP_JOIN, "T1", "a.c:5");
	return trace;
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

static void test_hostile_columns(void **state)
{
	struct snag_trace trace = small_trace();
	struct file file = file_of(&trace);
	size_t names = column_offset(file, SNAG_COLUMN_NAMES);
	size_t sites = column_offset(file, SNAG_COLUMN_SITES);
	(void)state;
	/* names: 00 02 T0 00 02 T1; sites: layout, count, then op, flags, size, mode */
	assert_memory_equal(file.at + names, "\0\2T0\0\2T1", 8);
	assert_refused(names, "\x06", 1, "bad name");
	assert_refused(names + 1, "\x7f", 1, "bad name");
	assert_refused(names + 2, "\0", 1, "bad name");
	assert_refused(names + 7, "0", 1, "a name given twice");
	assert_refused(names + 4, "\5", 1, "table of"); /* T1 is a promise: one thread */
	assert_refused(names - 11, "\x02", 1, "bad column header");   /* unknown encoding */
	assert_refused(names - 11, "\x01", 1, "bad column of names"); /* not zstd data */
	assert_refused(sites, "\x03", 1, "unknown layout");
	assert_refused(sites + 1, "\x7f", 1, "bad table of sites");
	assert_refused(sites + 2, "\x17", 1, "bad table of sites"); /* op */
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
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_generated_trace_is_small),
		cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_huge_names),
		cmocka_unit_test(test_zero_events),
		cmocka_unit_test(test_compressed_files),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_cut_message),
		cmocka_unit_test(test_any_flipped_bit_is_found),
		cmocka_unit_test(test_damaged_second_block),
		cmocka_unit_test(test_hostile_headers),
		cmocka_unit_test(test_hostile_columns),
		cmocka_unit_test(test_bytes_behind_the_end),
	};
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
