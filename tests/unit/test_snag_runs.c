/* SPDX-License-Identifier: Apache-2.0
 *
 * test_snag_runs.c - runs in .snag files: what is written as runs is read as their events, or as
 * runs that stand for them
 */
#include "snag_files.h"
#include "trace/runs.h"
#include "trace/snag/snag_runs.h"
#include "trace/walk.h"

enum { NAMES = 40000, EVENTS = 300000, PIECES = 2000 };

struct piece { /* of a trace: events, then a run */
	size_t first, n;
	struct snag_repeat run; /* n == 0: none */
};

struct made {
	struct snag_names names;
	struct snag_event *ev; /* all */
	size_t n;
	struct piece piece[PIECES];
	size_t npieces;
};

static void names_make(struct snag_names *names)
{
	char text[32];
	snag_names_init(names);
	for (uint32_t i = 0; i < NAMES; i++) {
		size_t len = (size_t)snprintf(text, sizeof(text), "heap#1+0x%x", i);
		snag_strtab_intern(&names->space[SNAG_SPACE_VARIABLE], text, len);
	}
	for (uint32_t i = 0; i < 8; i++) {
		size_t len = (size_t)snprintf(text, sizeof(text), "T%u", i);
		snag_strtab_intern(&names->space[SNAG_SPACE_THREAD], text, len);
		snag_strtab_intern(&names->space[SNAG_SPACE_LOCATION], text, len);
	}
}

/* The most events that a run can have until a target has no name. */
static uint32_t room_of(const struct made *m, uint32_t k)
{
	int64_t most = 1 << 16;
	for (uint32_t i = 0; i < k; i++) {
		int64_t now = m->ev[m->n - k + i].target, before = m->ev[m->n - 2 * k + i].target;
		int64_t step = now - before, last = now;
		int64_t rounds = 0;
		while (step && rounds < most && last + step >= 0 && last + step < NAMES) {
			last += step;
			rounds++;
		}
		if (step && rounds * k + i < most)
			most = rounds * k + i;
	}
	return (uint32_t)most;
}

static void piece_make(struct made *m)
{
	struct piece *p = &m->piece[m->npieces++];
	uint32_t k = 1 + (uint32_t)rand() % SNAG_RUN_MAX;
	uint32_t threads = rand() % 2 ? 1 : 3, first = (uint32_t)rand() % 3;
	*p = (struct piece){.first = m->n, .n = 1 + (size_t)rand() % (rand() % 10 ? 50 : 5000)};
	for (size_t i = 0; i < p->n; i++)
		m->ev[m->n++] =
			(struct snag_event){.thread = (first + (uint32_t)rand() % threads) % 3,
					    .target = (uint32_t)rand() % NAMES,
					    .loc = (uint32_t)rand() % 8,
					    .op = rand() % 2 ? SNAG_OP_READ : SNAG_OP_WRITE,
					    .size = 8};
	if (rand() % 20 == 0) /* what breaks rules behind it, and what a run has not */
		m->ev[m->n - p->n + (size_t)rand() % p->n] =
			(struct snag_event){.op = rand() % 2 ? SNAG_OP_JOIN : SNAG_OP_FORK,
					    .target = (uint32_t)rand() % 8};
	if (m->n < 2 * k)
		return;
	for (uint32_t i = 0; i < k && p->n >= 2 * k; i++) /* mostly near each other */
		if (snag_op_is_access(m->ev[m->n - k + i].op))
			m->ev[m->n - k + i].target =
				(m->ev[m->n - 2 * k + i].target + (uint32_t)rand() % 9) % NAMES;
	uint32_t room = room_of(m, k), n = room ? 1 + (uint32_t)rand() % room : 0;
	p->run = (struct snag_repeat){.at = (uint32_t)p->n, .period = k, .n = n};
	for (uint32_t i = 0; i < n; i++) { /* by definition */
		m->ev[m->n] = m->ev[m->n - k];
		m->ev[m->n].target = 2 * m->ev[m->n - k].target - m->ev[m->n - 2 * k].target;
		m->n++;
	}
}

static void file_make(struct made *m, const char *path)
{
	struct snag_error err;
	struct snag_output *out;
	assert_int_equal(snag_output_open(path, &out, &err), 0);
	struct snag_sink *sink = snag_binary_sink(out);
	for (size_t i = 0; i < m->npieces; i++) {
		struct piece *p = &m->piece[i];
		const struct snag_batch batch = {.ev = m->ev + p->first,
						 .n = p->n,
						 .first = p->first,
						 .counts = snag_names_counts(&m->names),
						 .run = &p->run,
						 .nruns = p->run.n > 0};
		assert_int_equal(snag_sink_write(sink, &batch, &m->names, &err), 0);
	}
	assert_int_equal(snag_sink_commit(sink, &err), 0);
}

struct expanded {
	struct snag_event *ev;
	size_t n, nruns, in_runs;
};

static void on_event(void *ctx, const struct snag_event *ev, uint64_t number)
{
	struct expanded *e = ctx;
	assert_int_equal(number, e->n);
	e->ev[e->n++] = *ev;
}

static void on_run(void *ctx, const struct snag_steps *given, uint32_t n, uint64_t number)
{
	struct expanded *e = ctx;
	struct snag_steps steps = *given;
	assert_int_equal(number, e->n);
	for (uint32_t i = 0; i < n; i++) {
		e->ev[e->n++] = snag_steps_next(&steps);
		assert_true(snag_op_is_access(e->ev[e->n - 1].op)); /* [run] */
		assert_int_equal(e->ev[e->n - 1].thread, given->next[0].thread);
	}
	e->nruns++;
	e->in_runs += n;
}

/* Reads a file, checked or not. */
static struct expanded file_read(const char *path, bool is_checked, bool takes_runs)
{
	struct expanded e = {.ev = calloc(EVENTS + (1 << 17), sizeof(*e.ev))};
	const struct snag_source_options lenient = {.lenient = true};
	struct snag_walk walk = {0};
	struct snag_source *src;
	struct snag_batch batch;
	struct snag_input *in;
	struct snag_error err;
	int rc;
	assert_int_equal(snag_input_open(path, &in, &err), 0);
	assert_int_equal(snag_binary_source(in, &lenient, &src, &err), 0);
	if (is_checked)
		src = snag_wellformed_source(src, &lenient);
	if (takes_runs)
		assert_true(snag_source_take_runs(src));
	while ((rc = snag_source_next(src, &batch, &err)) > 0) {
		assert_true(batch.n + batch.nruns > 0);
		assert_true(takes_runs || batch.nruns == 0);
		snag_walk_batch(&walk, &batch, on_event, on_run, &e);
	}
	if (rc < 0)
		fail_msg("%s", err.msg);
	snag_source_close(src);
	return e;
}

static void test_taken(void **state)
{
	char path[64];
	size_t nruns = 0, in_runs = 0, removed = 0;
	(void)state;
	path_of(path, "runs.snag");
	for (unsigned seed = 0; seed < 30; seed++) {
		struct made m = {.ev = calloc(EVENTS + (1 << 17), sizeof(*m.ev))};
		srand(seed);
		names_make(&m.names);
		while (m.n < EVENTS && m.npieces < PIECES)
			piece_make(&m);
		file_make(&m, path);
		for (int is_checked = 0; is_checked < 2; is_checked++) {
			struct expanded with = file_read(path, is_checked, true),
					without = file_read(path, is_checked, false);
			assert_int_equal(with.n, without.n);
			assert_memory_equal(with.ev, without.ev, with.n * sizeof(*with.ev));
			nruns += with.nruns;
			in_runs += with.in_runs;
			removed += m.n - with.n;
			free(with.ev);
			free(without.ev);
		}
		snag_names_done(&m.names);
		free(m.ev);
		unlink(path);
	}
	assert_true(nruns > 1000 && in_runs > 100000 && removed > 100000);
}

static void test_round_trip(void **state)
{
	char path[64];
	(void)state;
	path_of(path, "runs.snag");
	for (unsigned seed = 0; seed < 30; seed++) {
		struct made m = {.ev = calloc(EVENTS + (1 << 17), sizeof(*m.ev))};
		srand(seed);
		names_make(&m.names);
		while (m.n < EVENTS && m.npieces < PIECES)
			piece_make(&m);
		file_make(&m, path);
		struct snag_input *in;
		struct snag_source *src;
		struct snag_batch batch;
		struct snag_error err;
		size_t n = 0;
		assert_int_equal(snag_input_open(path, &in, &err), 0);
		assert_int_equal(
			snag_binary_source(in, &(struct snag_source_options){0}, &src, &err), 0);
		while (snag_source_next(src, &batch, &err) > 0) {
			assert_true(n + batch.n <= m.n);
			assert_memory_equal(batch.ev, m.ev + n, batch.n * sizeof(*batch.ev));
			n += batch.n;
		}
		if (n != m.n)
			fail_msg("%s", err.msg);
		snag_source_close(src);
		snag_names_done(&m.names);
		free(m.ev);
		unlink(path);
	}
}

/* Tables that are not valid, and runs that follow from nothing or lead out of the names. */
static void test_hostile_tables(void **state)
{
	const struct snag_counts counts = {.n = {1, 100, 0, 1, 0}};
	static const uint8_t bad[][7] = {
		{1, 2, 1, 0},	       /* no events */
		{1, 2, 1, 99},	       /* more than the block has */
		{1, 50, 1, 9},	       /* behind its end */
		{2, 2, 1, 3, 0},       /* cut short */
		{200, 1, 2, 1, 1},     /* too many */
		{1, 2, 1, 3, 0, 0, 0}, /* bytes behind it */
	};
	static const size_t nbytes[] = {4, 4, 4, 5, 5, 7};
	struct snag_runs runs = {0};
	struct snag_event ev[4] = {{.target = 90}, {.target = 95}}, out[50];
	uint32_t stored;
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(snag_runs_begin(&runs, (struct snag_span){bad[i], bad[i] + nbytes[i]},
					     &counts, 20, &stored));
	static const struct {
		uint8_t table[4];
		int64_t events;
	} given[] = {{{1, 2, 1, 1}, -1}, /* to 100: no name */
		     {{1, 2, 2, 1}, -1}, /* from four events, of which there are two */
		     {{1, 2, 17, 1}, -1},
		     {{1, 2, 0, 1}, -1}};
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		const uint8_t *table = given[i].table;
		assert_true(snag_runs_begin(&runs, (struct snag_span){table, table + 4}, &counts, 3,
					    &stored));
		assert_int_equal(stored, 2);
		assert_int_equal(snag_runs_events(&runs, out, 50), 0);
		assert_int_equal(snag_runs_before(&runs, 50), 2);
		snag_runs_stored(&runs, ev, 2);
		assert_int_equal(snag_runs_events(&runs, out, 50), given[i].events);
	}
	snag_runs_done(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_hostile_tables),
	};
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
