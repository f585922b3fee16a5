/* SPDX-License-Identifier: Apache-2.0
 *
 * test_std.c - STD text in and out: every form of line, every message, lenient or not
 */
#include "unit.h"

#include "base/memory.h"
#include "render.h"
#include "trace/text/lines.h"
#include "trace/output.h"
#include "trace/sink.h"
#include "trace/trace.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static void expect(const char *input, size_t n, bool lenient, const char *expected)
{
	char *text = render_bytes(snag_std_source, "run.std", input, n, lenient, false);
	assert_string_equal(text, expected);
	free(text);
}

struct reading {
	const char *input;
	const char *expected;
};

/* Inputs are NUL-terminated; those with NUL inside have their own test. */
static void test_read(void **state)
{
	static const struct reading table[] = {
		{"", ""},
		{"T0|r(x)|1\n", "1 T0|r(x)|1\n"},
		{"T0|r(x)|1", "1 T0|r(x)|1\n"},
		{"T0|w(x)|1\r\nT1|w(y)|2\r\n", "1 T0|w(x)|1\n2 T1|w(y)|2\n"},
		{"T0|w(x)|1\r\nT1|w(y)|2\r", "1 T0|w(x)|1\n2 T1|w(y)|2\n"},
		{"\xef\xbb\xbfT0|w(x)|1\n", "1 T0|w(x)|1\n"},
		{"T0|acq(l)|1\nT0|rel(l)|2\nT0|fork(T1)|3\nT0|join(T1)|-4\n",
		 "1 T0|acq(l)|1\n2 T0|rel(l)|2\n3 T0|fork(T1)|3\n4 T0|join(T1)|-4\n"},
		{"T0|br|1\nT0|br()|2\nT0|br(x)|3\n", "1 T0|br|1\n2 T0|br|2\n3 T0|br|3\n"},
		{"T0|begin|1\nT0|begin()|2\nT0|begin(main)|3\n",
		 "1 T0|begin|1\n2 T0|begin|2\n3 T0|begin|3\n"},
		{"T0|end|1\nT0|end()|2\nT0|end(main)|3\n", "1 T0|end|1\n2 T0|end|2\n3 T0|end|3\n"},
		/* The operand ends at the last parenthesis. */
		{"T0|w(V234.23[0])|1\nT0|r(a(b))|2\nT0|r(()|3\nT0|r())|4\n",
		 "1 T0|w(V234.23[0])|1\n2 T0|r(a(b))|2\n3 T0|r(()|3\n4 T0|r())|4\n"},
		/* Names of 6, 7, 8, 9, 16 and 17 bytes: around the words of the fast parser. */
		{"thread|w(sixsix)|sixsix\nthreads|w(seven77)|seven77\nthreads8|w(eight888)|"
		 "eight888\n",
		 "1 thread|w(sixsix)|sixsix\n2 threads|w(seven77)|seven77\n"
		 "3 threads8|w(eight888)|eight888\n"},
		{"threads99|w(nine99999)|nine99999\nT|acq(sixteen123456789)|seventeen12345678\n",
		 "1 threads99|w(nine99999)|nine99999\n2 "
		 "T|acq(sixteen123456789)|seventeen12345678\n"},
		/* Bytes that are not ASCII, and control characters that are not white space. */
		{"\xc3\xa4|r(\xff\x80)|\x01\x7f\n", "1 \xc3\xa4|r(\xff\x80)|\x01\x7f\n"},
		/* The same name in each name space. */
		{"x|r(x)|x\nx|acq(x)|x\nx|fork(y)|x\n",
		 "1 x|r(x)|x\n2 x|acq(x)|x\n3 x|fork(y)|x\n"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		expect(table[i].input, strlen(table[i].input), false, table[i].expected);
}

static void test_refuse(void **state)
{
#define FIELDS "expected THREAD|OP(OPERAND)|LOCATION, got "
#define FIELDS_3 "expected 3 fields THREAD|OP(OPERAND)|LOCATION, got "
#define OPS "expected one of r w acq rel fork join br begin end racq rrel ar aw au fence dep"
	static const struct reading table[] = {
		{"\n", FIELDS "an empty line"},
		{"\r\n", FIELDS "an empty line"},
		{"# comment\n", "white space in '# comment'"},
		{"nonsense\n", FIELDS "'nonsense'"},
		{"T0|w(x)\n", FIELDS_3 "2 in 'T0|w(x)'"},
		{"T0|w(x)|1|2\n", FIELDS_3 "4 in 'T0|w(x)|1|2'"},
		{"T0|w(a|b)|1\n", FIELDS_3 "4 in 'T0|w(a|b)|1'"},
		{"|w(x)|1\n", "THREAD is empty in '|w(x)|1'"},
		{"T0|w(x)|\n", "LOCATION is empty in 'T0|w(x)|'"},
		{"T0|w(x)|", "LOCATION is empty in 'T0|w(x)|'"},
		{"T0||1\n", "unknown operation '', " OPS},
		{"T0|wr(x)|1\n", "unknown operation 'wr', " OPS},
		{"T0|W(x)|1\n", "unknown operation 'W', " OPS},
		{"T0|taskend|1\n", "unknown operation 'taskend', " OPS},
		{"T0|au0(x)|1\n", "unknown operation 'au0', " OPS},
		{"T0|au256(x)|1\n", "unknown operation 'au256', " OPS},
		{"T0|ar.sometimes(x)|1\n", "unknown operation 'ar.sometimes', " OPS},
		{"T0|ar.wait.relaxed(x)|1\n", "unknown operation 'ar.wait.relaxed', " OPS},
		{"T0|w4(x)|1\n", "unknown operation 'w4', " OPS},
		{"T0|fence4|1\n", "unknown operation 'fence4', " OPS},
		{"T0|begins|1\n", "unknown operation 'begins', " OPS},
		{"T0|(x)|1\n", "unknown operation '', " OPS},
		{"T0|w|1\n", "an operand is missing in 'w'"},
		{"T0|w()|1\n", "an operand is missing in 'w()'"},
		{"T0|w(|1\n", "expected OP(OPERAND), got 'w('"},
		{"T0|w(x|1\n", "expected OP(OPERAND), got 'w(x'"},
		{"T0|w(x)y|1\n", "expected OP(OPERAND), got 'w(x)y'"},
		{"T0|br(x|1\n", "expected OP(OPERAND), got 'br(x'"},
		{"T 0|w(x)|1\n", "white space in 'T 0|w(x)|1'"},
		{"T0|w(x)|1 \n", "white space in 'T0|w(x)|1 '"},
		{"T0|w(x)|1\r\r\n", "white space in 'T0|w(x)|1?'"},
		{"T0|w(x\t)|1\n", "white space in 'T0|w(x?)|1'"},
		{"T0|w(\xff\xc3)|1|\n", FIELDS_3 "4 in 'T0|w(\?\?)|1|'"},
		{"T0|w(01234567890123456789012345678901234567890123456789)|\n",
		 "LOCATION is empty in 'T0|w(012345678901234567890123456789012345678...'"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const char *bad = table[i].input;
		char expected[512], input[512];
		snprintf(expected, sizeof(expected), "! run.std:1: %s\n", table[i].expected);
		expect(bad, strlen(bad), false, expected);

		/* Behind good lines: those are delivered first. */
		snprintf(input, sizeof(input), "T0|w(x)|1\nT1|w(y)|2\n%s", bad);
		snprintf(expected, sizeof(expected), "1 T0|w(x)|1\n2 T1|w(y)|2\n! run.std:3: %s\n",
			 table[i].expected);
		expect(input, strlen(input), false, expected);

		/* Lenient: the line is skipped, and its names with it. */
		bool ends = bad[strlen(bad) - 1] == '\n';
		snprintf(input, sizeof(input), "T0|w(x)|1\n%s%sT1|w(y)|2\n", bad, ends ? "" : "\n");
		expect(input, strlen(input), true, "1 T0|w(x)|1\n3 T1|w(y)|2\nskipped 1\n");
	}
}

static void test_nul(void **state)
{
	static const char input[] = "T0|w(x)|1\nT\0|w(y)|2\nT0|w(z)|3\0";
	expect(input, sizeof(input) - 1, false,
	       "1 T0|w(x)|1\n! run.std:2: a NUL byte in 'T?|w(y)|2'\n");
	expect(input, sizeof(input) - 1, true, "1 T0|w(x)|1\nskipped 2\n");
}

static void test_skipped_names(void **state)
{
	static const char input[] = "T0|w(x)|1\nT1|w(y)|\nT2|oops(l)|7\n";
	struct snag_source_options lenient = {.lenient = true};
	struct snag_source *src;
	struct snag_batch batch;
	struct snag_input *in = snag_input_from_memory("run.std", input, sizeof(input) - 1);
	assert_int_equal(snag_std_source(in, &lenient, &src, NULL), 0);
	assert_int_equal(snag_source_next(src, &batch, NULL), 1);
	assert_int_equal(batch.counts.n[SNAG_SPACE_THREAD], 1);
	assert_int_equal(batch.counts.n[SNAG_SPACE_VARIABLE], 1);
	assert_int_equal(batch.counts.n[SNAG_SPACE_LOCATION], 1);
	assert_int_equal(snag_source_next(src, &batch, NULL), 0);
	assert_int_equal(src->skipped, 2);
	snag_source_close(src);
}

/* The same error comes again if one asks again. */
static void test_error_stays(void **state)
{
	struct snag_error err = {0};
	struct snag_source *src;
	struct snag_batch batch;
	assert_int_equal(snag_std_source(snag_input_from_memory("a", "x\n", 2), NULL, &src, &err),
			 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(snag_source_next(src, &batch, &err), SNAG_EINPUT);
		assert_string_equal(err.msg, "a:1: " FIELDS "'x'");
	}
	snag_source_close(src);
}

/* "T0|w(xxx...)|1" of `n` bytes. */
static char *long_line(size_t n)
{
	char *line = snag_alloc(n + 1);
	memset(line, 'x', n);
	memcpy(line, "T0|w(", 5);
	memcpy(line + n - 3, ")|1", 4);
	return line;
}

/* A file of that text behind /proc/self/fd, so that it is read piece by piece. */
static struct snag_source *open_file(const char *text, size_t n, bool lenient, char path[64])
{
	struct snag_source_options options = {.lenient = lenient};
	struct snag_error err = {0};
	struct snag_input *in;
	struct snag_source *src;
	int fd = memfd_create("trace", 0);
	assert_int_equal(write(fd, text, n), n);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	assert_int_equal(snag_input_open(path, &in, &err), 0);
	close(fd);
	assert_int_equal(snag_std_source(in, &options, &src, &err), 0);
	return src;
}

static void test_long_lines(void **state)
{
	static const size_t lengths[] = {300 << 10,	      SNAG_LINE_BYTES - 1, SNAG_LINE_BYTES,
					 SNAG_LINE_BYTES + 1, SNAG_LINE_BYTES + 2, 5 << 20};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		for (int crlf = 0; crlf < 2; crlf++) {
			char *line = long_line(lengths[i]), *input, *strict, *lenient, path[64];
			bool fits = lengths[i] <= SNAG_LINE_BYTES;
			size_t n = (size_t)asprintf(&input, "T0|w(x)|1\n%s%s\nT0|w(y)|3\n", line,
						    crlf ? "\r" : "");
			struct snag_source *file = open_file(input, n, false, path);
			if (fits) {
				assert_true(asprintf(&strict, "1 T0|w(x)|1\n2 %s\n3 T0|w(y)|3\n",
						     line) > 0);
				lenient = strdup(strict);
			} else {
				strict = strdup("1 T0|w(x)|1\n! run.std:2: the line is longer than "
						"1048576 bytes\n");
				lenient = strdup("1 T0|w(x)|1\n3 T0|w(y)|3\nskipped 1\n");
			}
			expect(input, n, false, strict);
			expect(input, n, true, lenient);

			char *text = render(file);
			assert_int_equal(strstr(text, "longer than 1048576 bytes") == NULL, fits);
			free(text);
			text = render(open_file(input, n, true, path));
			assert_string_equal(text, lenient);
			free(text);
			free(line), free(input), free(strict), free(lenient);
		}
	}
}

/* A long line without an end, at the end. */
static void test_long_last_line(void **state)
{
	char *line = long_line(3 << 20), path[64];
	char *text = render(open_file(line, 3 << 20, true, path));
	assert_string_equal(text, "skipped 1\n");
	free(text);
	free(line);
}

static void random_name(char *to, size_t max, uint64_t *seed)
{
	static const char alphabet[] = "ab01()[].:<>\x01\x7f\x80\xff";
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	size_t n = 1 + (*seed >> 33) % max;
	for (size_t i = 0; i < n; i++) {
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		to[i] = alphabet[(*seed >> 33) % (sizeof(alphabet) - 1)];
	}
	to[n] = '\0';
}

/* Both parsers, all lengths of names, buffers that end anywhere: what goes in comes out.
 * Names with control characters and the last line go to the full parser. */
static void test_random(void **state)
{
	static const char *const ops[] = {"r",	  "w",	"acq",	 "rel", "fork",
					  "join", "br", "begin", "end"};
	enum { LINES = 40000 };
	char thread[32], operand[64], location[32], *input, *expected, path[64];
	size_t ninput, nexpected;
	FILE *in = open_memstream(&input, &ninput), *out = open_memstream(&expected, &nexpected);
	uint64_t seed = 42;
	for (int i = 1; i <= LINES; i++) {
		const char *op = ops[(seed >> 40) % 9];
		random_name(thread, 12, &seed);
		random_name(operand, 40, &seed);
		random_name(location, 20, &seed);
		bool bare = strchr("be", op[0]) != NULL;
		fprintf(in, "%s|%s(%s)|%s%s", thread, op, operand, location,
			i == LINES ? ""
			: i % 7	   ? "\n"
				   : "\r\n");
		if (bare)
			fprintf(out, "%d %s|%s|%s\n", i, thread, op, location);
		else
			fprintf(out, "%d %s|%s(%s)|%s\n", i, thread, op, operand, location);
	}
	fclose(in);
	fclose(out);
	expect(input, ninput, false, expected);
	char *text = render(open_file(input, ninput, false, path));
	assert_string_equal(text, expected);
	free(text);
	free(input);
	free(expected);
}

/* The text a sink writes for a source, or "! MESSAGE". */
static char *written(struct snag_source *src)
{
	struct snag_error err = {0};
	struct snag_batch batch;
	struct snag_output *out;
	char path[64], *text = snag_calloc(1, 4096);
	int fd = memfd_create("out", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(snag_output_open(path, &out, &err), 0);
	struct snag_sink *sink = snag_std_sink(out);
	int rc;
	while ((rc = snag_source_next(src, &batch, &err)) > 0)
		if (snag_sink_write(sink, &batch, src->names, &err) < 0)
			break;
	if (err.code)
		snag_sink_abort(sink);
	else
		assert_int_equal(snag_sink_commit(sink, &err), 0);
	if (err.code)
		snprintf(text, 4096, "! %s\n", strchr(err.msg, ' ') + 1);
	else
		assert_true(pread(fd, text, 4095, 0) >= 0);
	close(fd);
	snag_source_close(src);
	return text;
}

static void test_write(void **state)
{
	static const char input[] =
		"T0|w(x)|1\nT0|acq(l)|2\nT0|acq(l)|3\nT0|rel(l)|4\nT0|rel(l)|5\n"
		"T0|fork(main(2))|6\nT0|br|7\nT0|begin|8\nT0|end|9\n"
		"T0|join(main(2))|a.c:10\n";
	struct snag_source *src;
	struct snag_input *in = snag_input_from_memory("run.std", input, sizeof(input) - 1);
	assert_int_equal(snag_std_source(in, NULL, &src, NULL), 0);
	char *text = written(snag_wellformed_source(src, NULL)); /* marks line 3 and 4 as nested */
	assert_string_equal(text, input);
	free(text);
}

static void test_write_refuse(void **state)
{
	static const struct {
		const char *thread, *operand, *location;
		enum snag_op op;
		const char *message;
	} table[] = {
		{"T0", "", "1", SNAG_OP_TASK_END,
		 "event 1: STD cannot express 'taskend' (the task ends)"},
		{"T 0", "x", "1", SNAG_OP_READ, "event 1: STD cannot hold the name 'T 0'"},
		{"T0", "a|b", "1", SNAG_OP_READ, "event 1: STD cannot hold the name 'a|b'"},
		{"T0", "", "1", SNAG_OP_READ, "event 1: STD cannot hold the name ''"},
		{"T0", "x", "a.c 1", SNAG_OP_READ, "event 1: STD cannot hold the name 'a.c 1'"},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct snag_trace trace;
		char expected[256];
		snag_trace_init(&trace);
		snag_trace_add(&trace, "T9", SNAG_OP_WRITE, "v", "1");
		snag_trace_add(&trace, table[i].thread, table[i].op, table[i].operand,
			       table[i].location);
		char *text = written(snag_trace_source(&trace));
		snprintf(expected, sizeof(expected), "! %s\n", table[i].message);
		assert_string_equal(text, expected);
		free(text);
		snag_trace_done(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_skipped_names),
		cmocka_unit_test(test_error_stays),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_long_last_line),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_write_refuse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
