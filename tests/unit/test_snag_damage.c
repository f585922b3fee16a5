/* SPDX-License-Identifier: Apache-2.0
 *
 * test_snag_damage.c - .snag files that are cut, damaged or hostile
 */
#include "snag_files.h"
#include "trace/snag/snag_words.h"

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

/* Writes a file, changes bytes of it, makes the hashes right, and expects that reading says
 * so. */
static void assert_trace_refused(const struct snag_trace *trace, size_t offset, const void *bytes,
				 size_t n, const char *words)
{
	struct snag_trace back;
	struct file file = file_of(trace);
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
}

static void assert_refused(size_t offset, const void *bytes, size_t n, const char *words)
{
	struct snag_trace trace = small_trace();
	assert_trace_refused(&trace, offset, bytes, n, words);
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

/* Half of them share bytes; of the others, nine in ten follow the one before. */
static size_t nth_name(unsigned i, char name[40])
{
	if (i / 10 % 2)
		return (size_t)snprintf(name, 40, "x%u", i);
	return (size_t)snprintf(name, 40, "heap#%u:64@3,T1+%xh", i / 10, i * i);
}

static void counted_put(struct snag_bytes *plain, unsigned space, unsigned *n)
{
	const uint8_t head = (uint8_t)space | SNAG_NAME_COUNTED;
	if (*n) {
		snag_bytes_put(plain, &head, 1);
		snag_bytes_put_varint(plain, *n);
	}
	*n = 0;
}

/* As the first column of a file. */
static bool expands(struct snag_span column, struct snag_bytes *to)
{
	struct snag_words_bases *bases = calloc(1, sizeof(*bases));
	bool is_valid = snag_words_expand(bases, column, to);
	free(bases);
	return is_valid;
}

/* Names that share bytes or count: written and expanded they are the same; what is not valid is
 * refused. */
static void test_short_names(void **state)
{
	struct snag_bytes column = {0}, plain = {0}, got = {0};
	unsigned all = 0;
	char name[40];
	(void)state;
	for (unsigned space = 0; space < SNAG_SPACES; space++) {
		struct snag_words words = {0};
		unsigned ncounted = 0;
		for (unsigned i = 0; i < 200; i++) {
			size_t len = nth_name(i, name);
			if (snag_words_put(&words, space, name, len, i % 20 != 15)) {
				all++;
				ncounted++;
				continue;
			}
			const uint8_t head = (uint8_t)space;
			counted_put(&plain, space, &ncounted);
			snag_bytes_put(&plain, &head, 1);
			snag_bytes_put_varint(&plain, (uint32_t)len);
			snag_bytes_put(&plain, name, len);
		}
		counted_put(&plain, space, &ncounted);
		snag_words_take(&words, space, &column);
		snag_words_done(&words);
	}
	assert_int_equal(all, SNAG_SPACES * 10 * 8);
	assert_true(column.n < plain.n * 2 / 3);
	assert_true(expands(snag_bytes_span(&column), &got));
	assert_int_equal(got.n, plain.n);
	assert_memory_equal(got.at, plain.at, plain.n);
	for (size_t cut = 0; cut < column.n;
	     cut++) { /* at any place: no crash, see the sanitizers */
		got.n = 0;
		expands((struct snag_span){column.at + cut, column.at + column.n}, &got);
	}
	static const uint8_t bad[][6] = {
		{0x80, 1, 1, 'x'},	   /* no name before it */
		{0, 1, 'a', 0x80, 2, 0},   /* shares more than there is */
		{0, 1, 'a', 0x81, 1, 0},   /* of another space */
		{0, 1, 'a', 0x80, 1, 9},   /* too long for the column */
		{0, 1, 'a', 0x85, 0, 0},   /* no such space */
		{0, 1, '1', 0x45, 1, 0},   /* no such space */
		{0, 1, '1', 0xc0, 1, 0},   /* counted and shared */
		{0, 0, 0, 0, 0x40, 0x80},  /* no number */
		{0, 1, 'a', 0x20, 1, 2},   /* a place in nothing */
		{0, 1, 'a', 0x21, 0, 2},   /* of another space */
		{0, 1, 'a', 0x20, 0, 1},   /* before its object */
		{0, 1, 'a', 0xa0, 0, 2},   /* placed and shared */
		{0, 1, 'a', 0x25, 0, 2},   /* no such space */
		{0, 0, 0, 0x20, 0, 0},	   /* an object without a name */
		{0, 1, 'a', 0x20, 0, 0x80} /* no number */
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(expands((struct snag_span){bad[i], bad[i] + 6}, &got));
	snag_bytes_done(&column);
	snag_bytes_done(&plain);
	snag_bytes_done(&got);
}

static void place_put(struct snag_words *words, enum snag_space space,
		      struct snag_strtab_place place)
{
	struct snag_strtab one;
	snag_strtab_init(&one);
	snag_strtab_have_places(&one);
	snag_strtab_append_place(&one, place);
	assert_int_equal(snag_words_put_places(words, space, &one, 0, 1), 1);
	snag_strtab_done(&one);
}

/* Names of places in the objects of names with bytes, some of which are too long to have any, or
 * say a place themselves: block by block they are those that were put. */
static void test_placed_names(void **state)
{
	enum { BLOCKS = 20, NAMES = 500, OBJECTS = 300 };
	const enum snag_space space = SNAG_SPACE_VARIABLE;
	static const char *const begins[] = {"0123456789012345678901234567890123456789012345678901",
					     "a+0x", "b+0x01", "c+0xabcdefabcdefa", "d"};
	struct snag_words_bases *bases = calloc(1, sizeof(*bases));
	struct snag_words words = {0};
	char object[SNAG_STRTAB_BASES][80]; /* by number, modulo that */
	unsigned spelled = 0, places = 0, longest = 0;
	(void)state;
	srandom(5);
	for (unsigned block = 0; block < BLOCKS; block++) {
		struct snag_bytes column = {0}, plain = {0}, got = {0};
		for (unsigned i = 0; i < NAMES; i++) {
			char name[120];
			const uint8_t head = space;
			unsigned base = (unsigned)random() % SNAG_STRTAB_BASES;
			bool is_base = base < spelled && strlen(object[base]) <= SNAG_PLACED_BYTES;
			if (is_base && random() % 16) {
				uint64_t bits = (uint64_t)random() % SNAG_PLACED_BITS + 1;
				uint64_t offset = ((uint64_t)random() << 24 ^ (uint64_t)random()) &
						  ((UINT64_C(1) << bits) - 1);
				place_put(&words, space, (struct snag_strtab_place){base, offset});
				snprintf(name, sizeof(name), offset ? "%s+0x%lx" : "%s",
					 object[base], (unsigned long)offset);
				places++;
			} else {
				base = spelled++ % SNAG_STRTAB_BASES;
				snprintf(object[base], sizeof(object[base]), "%s%xz%.*s",
					 begins[random() % 5], spelled, (int)(random() % 10),
					 "xxxxxxxxxx");
				longest += strlen(object[base]) > SNAG_PLACED_BYTES;
				unsigned offset = (unsigned)random() % 64;
				snprintf(name, sizeof(name), offset ? "%s+0x%x" : "%s",
					 object[base], offset);
				snag_words_put_base(&words, space, name, strlen(name));
			}
			snag_bytes_put(&plain, &head, 1);
			snag_bytes_put_varint(&plain, strlen(name));
			snag_bytes_put(&plain, name, strlen(name));
		}
		snag_words_take(&words, space, &column);
		assert_true(snag_words_expand(bases, snag_bytes_span(&column), &got));
		assert_int_equal(got.n, plain.n);
		assert_memory_equal(got.at, plain.at, plain.n);
		snag_bytes_done(&column);
		snag_bytes_done(&plain);
		snag_bytes_done(&got);
	}
	assert_true(places > spelled && spelled > OBJECTS && longest > 0);
	snag_words_done(&words);
	free(bases);
}

/* Names that count from none, from one without a number, too far, or more of them than events
 * allow. */
static void test_hostile_counting(void **state)
{
	enum { THREADS = 17000 }; /* a number of three bytes */
	struct snag_trace trace;
	char name[16];
	(void)state;
	snag_trace_init(&trace);
	for (int i = 1; i <= THREADS; i++) {
		snprintf(name, sizeof(name), "T%d", i);
		snag_trace_add(&trace, "T0", SNAG_OP_FORK, name, "x");
	}
	struct file file = file_of(&trace);
	size_t names = column_offset(file, SNAG_COLUMN_NAMES);
	assert_memory_equal(file.at + names, "\0\2T0\x40\xe8\x84\1\3\1x", 11);
	assert_trace_refused(&trace, names + 3, "T", 1, "names that do not count");
	assert_trace_refused(&trace, names, "\1", 1, "names that do not count");
	assert_trace_refused(&trace, names + 5, "\x81\x80\x40", 3, "too many names for");
	free(file.at);
	snag_trace_done(&trace);
}

static void test_hostile_columns(void **state)
{
	struct snag_trace trace = small_trace();
	struct file file = file_of(&trace);
	size_t names = column_offset(file, SNAG_COLUMN_NAMES);
	size_t sites = column_offset(file, SNAG_COLUMN_SITES);
	(void)state;
	/* names: 00 02 Ta 00 02 Tb; sites: layout, count, then op, flags, size, mode */
	assert_memory_equal(file.at + names, "\0\2Ta\0\2Tb", 8);
	assert_refused(names, "\x05", 1, "bad name");
	assert_refused(names + 1, "\x7f", 1, "bad name");
	assert_refused(names + 2, "\0", 1, "bad name");
	assert_refused(names + 7, "a", 1, "a name given twice");
	assert_refused(names + 4, "\4", 1, "table of"); /* Tb is a promise: one thread */
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
		cmocka_unit_test(test_short_names),
		cmocka_unit_test(test_placed_names),
		cmocka_unit_test(test_hostile_counting),
		cmocka_unit_test(test_hostile_columns),
		cmocka_unit_test(test_bytes_behind_the_end),
	};
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
