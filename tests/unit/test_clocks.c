/* SPDX-License-Identifier: Apache-2.0
 *
 * test_clocks.c - what orders what: shared locks, atomics and fences, which text traces
 * cannot say
 */
#include "unit.h"

#include "detect/analyze/analyze.h"
#include "trace/trace.h"

#include <string.h>

struct step {
	const char *thread;
	enum snag_op op;
	const char *operand;
	enum snag_order order;
};

/* How many racy accesses the detector finds. */
static size_t racy(const char *detector, const struct step *step, size_t n)
{
	struct snag_trace trace;
	struct snag_analyze_options options = {
		.detector = {snag_detector_find(detector, strlen(detector))}, .ndetectors = 1};
	struct snag_analysis a;
	struct snag_error err;
	snag_trace_init(&trace);
	for (size_t i = 0; i < n; i++) {
		snag_trace_add(&trace, step[i].thread, step[i].op, step[i].operand, "1");
		trace.ev[i].flags = (uint8_t)step[i].order;
	}
	struct snag_source *src = snag_trace_source(&trace);
	assert_int_equal(snag_analyze(src, &options, &a, &err), 0);
	size_t found = a.findings[0].nracy;
	snag_analysis_done(&a);
	snag_source_close(src);
	snag_trace_done(&trace);
	return found;
}

#define RACY(detector, ...)                                \
	racy(detector, (const struct step[]){__VA_ARGS__}, \
	     sizeof((const struct step[]){__VA_ARGS__}) / sizeof(struct step))

static void shared_sections_do_not_order_each_other(void **state)
{
	assert_int_equal(RACY("hb", {"A", SNAG_OP_ACQUIRE_SHARED, "l"}, {"A", SNAG_OP_WRITE, "x"},
			      {"A", SNAG_OP_RELEASE_SHARED, "l"},
			      {"B", SNAG_OP_ACQUIRE_SHARED, "l"}, {"B", SNAG_OP_WRITE, "x"},
			      {"B", SNAG_OP_RELEASE_SHARED, "l"}),
			 1);
}

static void an_exclusive_section_comes_after_all_shared_ones(void **state)
{
	assert_int_equal(RACY("hb", {"A", SNAG_OP_ACQUIRE_SHARED, "l"},
			      {"B", SNAG_OP_ACQUIRE_SHARED, "l"}, {"A", SNAG_OP_READ, "x"},
			      {"B", SNAG_OP_READ, "x"}, {"B", SNAG_OP_RELEASE_SHARED, "l"},
			      {"A", SNAG_OP_RELEASE_SHARED, "l"}, {"C", SNAG_OP_ACQUIRE, "l"},
			      {"C", SNAG_OP_WRITE, "x"}, {"C", SNAG_OP_RELEASE, "l"},
			      {"A", SNAG_OP_ACQUIRE_SHARED, "l"}, {"A", SNAG_OP_READ, "x"}),
			 0);
}

static void release_and_acquire_order_an_atomic_hand_over(void **state)
{
#define HAND_OVER(store, load)                                                            \
	RACY("hb", {"A", SNAG_OP_WRITE, "x"}, {"A", SNAG_OP_ATOMIC_WRITE, "flag", store}, \
	     {"B", SNAG_OP_ATOMIC_READ, "flag", load}, {"B", SNAG_OP_READ, "x"})
	assert_int_equal(HAND_OVER(SNAG_RELEASE, SNAG_ACQUIRE), 0);
	assert_int_equal(HAND_OVER(SNAG_SEQ_CST, SNAG_SEQ_CST), 0);
	assert_int_equal(HAND_OVER(SNAG_RELAXED, SNAG_ACQUIRE), 1);
	assert_int_equal(HAND_OVER(SNAG_RELEASE, SNAG_RELAXED), 1);
}

static void an_update_continues_a_release_sequence_a_store_ends_it(void **state)
{
#define THROUGH(op)                                                                              \
	RACY("hb", {"A", SNAG_OP_WRITE, "x"}, {"A", SNAG_OP_ATOMIC_WRITE, "flag", SNAG_RELEASE}, \
	     {"C", op, "flag", SNAG_RELAXED}, {"B", SNAG_OP_ATOMIC_READ, "flag", SNAG_ACQUIRE},  \
	     {"B", SNAG_OP_READ, "x"})
	assert_int_equal(THROUGH(SNAG_OP_ATOMIC_UPDATE), 0);
	assert_int_equal(THROUGH(SNAG_OP_ATOMIC_WRITE), 1);
}

static void fences_make_relaxed_accesses_synchronise(void **state)
{
#define FENCED(first, second)                                                                      \
	RACY("hb", {"A", SNAG_OP_WRITE, "x"}, {"A", SNAG_OP_FENCE, NULL, first},                   \
	     {"A", SNAG_OP_ATOMIC_WRITE, "flag", SNAG_RELAXED},                                    \
	     {"B", SNAG_OP_ATOMIC_READ, "flag", SNAG_RELAXED}, {"B", SNAG_OP_FENCE, NULL, second}, \
	     {"B", SNAG_OP_READ, "x"})
	assert_int_equal(FENCED(SNAG_RELEASE, SNAG_ACQUIRE), 0);
	assert_int_equal(FENCED(SNAG_ACQUIRE, SNAG_ACQUIRE), 1);
	assert_int_equal(FENCED(SNAG_RELEASE, SNAG_RELEASE), 1);
	assert_int_equal(FENCED(SNAG_SEQ_CST, SNAG_SEQ_CST), 0);
}

static void a_read_comes_after_its_writer_for_shb(void **state)
{
	/* The write of z races with its read, for shb too; but shb orders x behind that read. */
#define CHAIN(detector)                                                      \
	RACY(detector, {"A", SNAG_OP_WRITE, "x"}, {"A", SNAG_OP_WRITE, "z"}, \
	     {"B", SNAG_OP_READ, "z"}, {"B", SNAG_OP_WRITE, "x"})
	assert_int_equal(CHAIN("hb"), 2);
	assert_int_equal(CHAIN("shb"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shared_sections_do_not_order_each_other),
		cmocka_unit_test(an_exclusive_section_comes_after_all_shared_ones),
		cmocka_unit_test(release_and_acquire_order_an_atomic_hand_over),
		cmocka_unit_test(an_update_continues_a_release_sequence_a_store_ends_it),
		cmocka_unit_test(fences_make_relaxed_accesses_synchronise),
		cmocka_unit_test(a_read_comes_after_its_writer_for_shb),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
