/* SPDX-License-Identifier: Apache-2.0
 *
 * test_slice.c - detectors find the same in the slice of a trace with loops as in all of it
 *
 * Random threads run loops over arrays, some of them under locks, increment counters, and hand
 * over to each other through a variable.  The trace is written with its runs, so that the pass that
 * finds contended variables meets them unexpanded.
 */
#include "snag_files.h"

#include "detect/analyze/analyze.h"
#include "witness/witness.h"

enum {
	THREADS = 3,
	LOCKS = 2,
	VARIABLES = 96,
	LOCATIONS = 6,
	TRACES = 300,
	PIECES = 60,
	MOST = 8000
};

struct made {
	struct snag_trace trace; /* all events */
	struct snag_event ev[MOST];
	size_t stored;
	struct snag_repeat run[PIECES];
	size_t nruns;
};

static uint32_t below(struct snag_random *r, uint32_t n)
{
	return snag_random_below(r, n);
}

static void put(struct made *m, struct snag_event ev)
{
	m->trace.ev = snag_grow(m->trace.ev, &m->trace.cap, m->trace.n + 1, sizeof(ev));
	m->trace.ev[m->trace.n++] = m->ev[m->stored++] = ev;
}

/* A loop of up to three accesses each time round: two rounds, and a run for the others. */
static void loop_make(struct made *m, struct snag_random *r, snag_tid t)
{
	const uint32_t period = 1 + below(r, 3), rounds = below(r, 14);
	struct snag_event first[3];
	uint32_t stride[3];
	for (uint32_t i = 0; i < period; i++) {
		first[i] = (struct snag_event){.thread = t,
					       .target = 16 + below(r, 16),
					       .loc = below(r, LOCATIONS),
					       .op = below(r, 2) ? SNAG_OP_READ : SNAG_OP_WRITE};
		stride[i] = below(r, 4);
	}
	for (uint32_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < period; i++) {
			put(m, first[i]);
			first[i].target += stride[i];
		}
	if (rounds == 0)
		return;
	m->run[m->nruns++] = (struct snag_repeat){(uint32_t)m->stored, period, rounds * period};
	for (uint32_t k = 0; k < rounds; k++)
		for (uint32_t i = 0; i < period; i++) {
			put(m, first[i]);
			m->stored--;
			first[i].target += stride[i];
		}
}

static void access_make(struct made *m, struct snag_random *r, snag_tid t, uint32_t variable,
			uint8_t op)
{
	put(m, (struct snag_event){
		       .thread = t, .target = variable, .loc = below(r, LOCATIONS), .op = op});
}

static void trace_make(struct made *m, uint64_t seed)
{
	struct snag_random r;
	char text[16];
	snag_random_init(&r, seed);
	memset(m, 0, sizeof(*m));
	snag_trace_init(&m->trace);
	static const uint32_t count[SNAG_SPACES] = {THREADS, VARIABLES, LOCKS, LOCATIONS, 0};
	for (int space = 0; space < SNAG_SPACES; space++)
		for (uint32_t i = 0; i < count[space]; i++)
			snag_strtab_intern(
				&m->trace.names.space[space], text,
				(size_t)snprintf(text, sizeof(text), "%c%u", 'a' + space, i));
	for (int i = 0; i < PIECES; i++) {
		const snag_tid t = below(&r, THREADS);
		const uint32_t what = below(&r, 6), lock = below(&r, LOCKS);
		if (what < 3)
			put(m, (struct snag_event){
				       .thread = t, .target = lock, .op = SNAG_OP_ACQUIRE});
		for (uint32_t k = below(&r, 3); what == 0 && k-- > 0;) { /* a counter */
			access_make(m, &r, t, lock, SNAG_OP_READ);
			access_make(m, &r, t, lock, SNAG_OP_WRITE);
		}
		if (what == 1 || what == 3)
			loop_make(m, &r, t);
		if (what == 2 || what == 4)
			access_make(m, &r, t, 2 + below(&r, 4),
				    below(&r, 2) ? SNAG_OP_READ : SNAG_OP_WRITE);
		if (what < 3)
			put(m, (struct snag_event){
				       .thread = t, .target = lock, .op = SNAG_OP_RELEASE});
	}
}

static struct snag_analyze_options options_make(bool whole)
{
	return (struct snag_analyze_options){
		.detector = {snag_detector_find("hb", 2), snag_detector_find("shb", 3),
			     snag_detector_find("mixed", 5), snag_detector_find("m2", 2)},
		.ndetectors = 4,
		.pairs = true,
		.jobs = 1,
		.whole = whole};
}

static void findings_compare(const struct made *m, const struct snag_findings *sliced,
			     const struct snag_findings *whole)
{
	assert_int_equal(sliced->nraces, whole->nraces);
	assert_int_equal(sliced->npairs, whole->npairs);
	assert_int_equal(sliced->nracy, whole->nracy);
	assert_int_equal(sliced->complete, whole->complete);
	for (size_t i = 0; i < whole->nracy; i++)
		assert_int_equal(sliced->racy[i], whole->racy[i]);
	for (size_t i = 0; i < whole->nraces; i++) {
		const struct snag_race *a = &sliced->race[i], *b = &whole->race[i];
		assert_int_equal(a->first.event, b->first.event);
		assert_int_equal(a->second.event, b->second.event);
		assert_int_equal(a->second.target, b->second.target);
		assert_int_equal(a->known.event, b->known.event);
		assert_int_equal(a->verdict, b->verdict);
		if (!a->nwitness)
			continue;
		struct snag_witness w = {.event = a->witness,
					 .n = a->nwitness,
					 .prefix = snag_race_prefix_counts(a, THREADS)};
		struct snag_error err = {0};
		assert_int_equal(snag_witness_check(&m->trace, &w, SNAG_RULES_READS, &err), 0);
		free(w.prefix);
	}
}

static void test_loops(void **state)
{
	static struct made m;
	char path[64];
	const char *more = getenv("SLICE_TRACES"); /* for a longer campaign */
	const uint64_t traces = more ? strtoull(more, NULL, 10) : TRACES;
	size_t nraces = 0, left_out = 0;
	(void)state;
	path_of(path, "loops.snag");
	for (uint64_t seed = 1; seed <= traces; seed++) {
		struct snag_error err = {0};
		struct snag_sink *sink;
		struct snag_source *src;
		struct snag_analysis sliced, whole;
		trace_make(&m, seed);
		const struct snag_batch batch = {.ev = m.ev,
						 .n = m.stored,
						 .counts = snag_names_counts(&m.trace.names),
						 .run = m.run,
						 .nruns = m.nruns};
		assert_int_equal(snag_sink_open(path, 0, &sink, &err), 0);
		assert_int_equal(snag_sink_write(sink, &batch, &m.trace.names, &err), 0);
		assert_int_equal(snag_sink_commit(sink, &err), 0);
		struct snag_analyze_options options = options_make(false);
		assert_int_equal(snag_source_open(path, NULL, &src, &err), 0);
		assert_int_equal(snag_analyze(src, &options, &sliced, &err), 0);
		options = options_make(true);
		struct snag_source *all = snag_trace_source(&m.trace);
		assert_int_equal(snag_analyze(all, &options, &whole, &err), 0);
		assert_int_equal(sliced.n, whole.n);
		for (size_t i = 0; i < whole.n; i++) {
			findings_compare(&m, &sliced.findings[i], &whole.findings[i]);
			nraces += whole.findings[i].nraces;
		}
		left_out += m.trace.n - (sliced.slice ? sliced.slice->trace.n : 0);
		snag_analysis_done(&sliced);
		snag_analysis_done(&whole);
		snag_source_close(src);
		snag_source_close(all);
		snag_trace_done(&m.trace);
	}
	unlink(path);
	assert_true(nraces > TRACES); /* the traces are worth comparing */
	assert_true(left_out > TRACES * 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops)};
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
