/* SPDX-License-Identifier: Apache-2.0
 *
 * test_symbols.c - the functions, lines and variables of this very program
 */
#include "unit.h"

#include "report/source/symbols.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

int symbols_global[10];
static uint64_t here, here_line;

static __attribute__((noinline)) uint64_t current_address(void)
{
	return (uintptr_t)__builtin_return_address(0) - 1; /* in the call, not behind it */
}

static inline __attribute__((always_inline)) void symbols_inner(void)
{
	here = current_address();
	here_line = __LINE__ - 1;
}

static __attribute__((noinline)) int symbols_outer(void)
{
	symbols_inner();
	return __LINE__ - 1;
}

struct where {
	struct snag_module module;
	char path[4096];
};

static int where_am_i(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct where *w = arg;
	(void)size;
	w->module = (struct snag_module){.path = w->path, .bias = info->dlpi_addr};
	w->module.start = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr, end = start + ph->p_memsz;
		if (ph->p_type != PT_LOAD)
			continue;
		if (start < w->module.start)
			w->module.start = start;
		if (end > w->module.end)
			w->module.end = end;
	}
	return 1; /* the first is the executable */
}

static struct where this_program(void)
{
	struct where w = {0};
	assert_int_equal(dl_iterate_phdr(where_am_i, &w), 1);
	assert_non_null(realpath("/proc/self/exe", w.path));
	w.module.path = w.path;
	return w;
}

static void test_frames(void **state)
{
	struct where w = this_program();
	struct snag_frame frame[SNAG_MAX_FRAMES];
	struct snag_symbols *s = snag_symbols_new();
	struct snag_error err = {0};
	(void)state;
	w.module.path = w.path;
	assert_int_equal(snag_symbols_add(s, &w.module, &err), 0);
	int call_line = symbols_outer();
	size_t n = snag_symbols_frames(s, here, frame);
	assert_int_equal(n, 2);
	assert_string_equal(frame[0].function, "symbols_inner");
	assert_true(frame[0].is_inlined);
	assert_int_equal(frame[0].line, here_line);
	assert_non_null(strstr(frame[0].file, "test_symbols.c"));
	assert_string_equal(frame[0].module, w.path);
	assert_int_equal(frame[0].offset, here - w.module.bias);
	assert_string_equal(frame[1].function, "symbols_outer");
	assert_false(frame[1].is_inlined);
	assert_int_equal(frame[1].line, call_line);
	assert_non_null(strstr(frame[1].file, "test_symbols.c"));
	snag_symbols_free(s);
}

static void test_objects(void **state)
{
	struct where w = this_program();
	struct snag_symbols *s = snag_symbols_new();
	struct snag_object object;
	struct snag_error err = {0};
	(void)state;
	w.module.path = w.path;
	assert_int_equal(snag_symbols_add(s, &w.module, &err), 0);
	assert_true(snag_symbols_object(s, (uintptr_t)&symbols_global[7], &object));
	assert_string_equal(object.name, "symbols_global");
	assert_int_equal(object.start, (uintptr_t)symbols_global);
	assert_int_equal(object.nbytes, sizeof(symbols_global));
	assert_false(snag_symbols_object(s, (uintptr_t)s, &object)); /* heap */
	snag_symbols_free(s);
}

static void test_not_known(void **state)
{
	struct where w = this_program();
	struct snag_frame frame[SNAG_MAX_FRAMES];
	struct snag_symbols *s = snag_symbols_new();
	struct snag_error err = {0};
	static const uint8_t other[20] = {1, 2, 3};
	(void)state;
	assert_int_equal(snag_symbols_frames(s, 0x1234, frame), 1); /* no module */
	assert_null(frame[0].module);
	assert_int_equal(frame[0].offset, 0x1234);

	struct snag_module gone = {
		.path = "/does/not/exist.so", .bias = 0x1000, .start = 0x1000, .end = 0x2000};
	assert_int_equal(snag_symbols_add(s, &gone, &err), SNAG_EINPUT);
	assert_non_null(strstr(err.msg, "/does/not/exist.so: cannot be read"));
	assert_int_equal(snag_symbols_frames(s, 0x1234, frame), 1);
	assert_string_equal(frame[0].module, "/does/not/exist.so");
	assert_int_equal(frame[0].offset, 0x234);
	assert_null(frame[0].function);
	assert_int_equal(snag_symbols_frames(s, 0x2000, frame), 1);
	assert_null(frame[0].module);

	w.module.path = w.path;
	w.module.build_id = other; /* built anew since */
	w.module.build_id_bytes = sizeof(other);
	assert_int_equal(snag_symbols_add(s, &w.module, &err), SNAG_EINPUT);
	assert_non_null(strstr(err.msg, "not the file that ran"));
	assert_int_equal(snag_symbols_frames(s, (uintptr_t)&test_not_known, frame), 1);
	assert_null(frame[0].function);
	snag_symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_not_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
