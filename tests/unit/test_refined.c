/* SPDX-License-Identifier: Apache-2.0
 *
 * test_refined.c - files with splits: their refined events against the definition
 *
 * Random traces of accesses and runs get random splits.  Each file is read as it was recorded, and
 * refined, with and without runs, and from a pipe.  The definition: an access to v is one to v, and
 * one to each part that is split off v later, and to the parts of that.
 */
#include "snag_files.h"
#include "trace/refined.h"
#include "trace/walk.h"

#include <pthread.h>
#include <sys/stat.h>

enum { NAMES = 20000, EVENTS = 30000, MOST = 1 << 19 };

struct made {
	struct snag_trace trace; /* as it was recorded */
	struct snag_repeat run[EVENTS];
	size_t nruns, stored; /* of trace.ev so many events are in no run */
	struct snag_event ev[EVENTS];
	struct snag_splits_list splits;
};

static void trace_make(struct made *m, bool has_late_names)
{
	char text[32];
	m->trace = (struct snag_trace){.ev = snag_calloc(MOST, sizeof(struct snag_event))};
	snag_names_init(&m->trace.names);
	for (uint32_t i = 0; i < NAMES; i++)
		snag_strtab_intern(&m->trace.names.space[SNAG_SPACE_VARIABLE], text,
				   (size_t)snprintf(text, sizeof(text), "a+0x%x", i * 8));
	for (uint32_t i = 0; i < 4; i++) {
		size_t len = (size_t)snprintf(text, sizeof(text), "T%u", i);
		snag_strtab_intern(&m->trace.names.space[SNAG_SPACE_THREAD], text, len);
		snag_strtab_intern(&m->trace.names.space[SNAG_SPACE_LOCATION], text, len);
	}
	m->stored = m->nruns = 0;
	while (m->stored < EVENTS && m->trace.n < MOST / 16) {
		/* the ids in use grow, so that names come late */
		uint32_t top = has_late_names ? 100 + (uint32_t)m->stored / 2 : NAMES / 2;
		struct snag_event ev = {.thread = (uint32_t)rand() % 4,
					.op = rand() % 2 ? SNAG_OP_READ : SNAG_OP_WRITE,
					.size = 8};
		if (m->stored + 2 * SNAG_RUN_MAX > EVENTS)
			break;
		uint32_t period = 1 + (uint32_t)rand() % 4, n = 1 + (uint32_t)rand() % 400;
		uint32_t stride = (uint32_t)rand() % 3, base = (uint32_t)rand() % top;
		for (uint32_t i = 0; i < 2 * period; i++) {
			ev.target = base + i % period * 7 + i / period * stride;
			m->ev[m->stored++] = m->trace.ev[m->trace.n++] = ev;
		}
		if (rand() % 2 || base + 3 * 7 + n * stride >= top)
			continue;
		m->run[m->nruns++] = (struct snag_repeat){(uint32_t)m->stored, period, n};
		for (uint32_t i = 0; i < n; i++) {
			struct snag_event *to = &m->trace.ev[m->trace.n++];
			*to = to[-(int)period];
			to->target = 2 * to->target - to[-2 * (int)period].target;
		}
	}
}

static void splits_make(struct made *m, unsigned likely)
{
	uint8_t parts[NAMES] = {0}; /* by root */
	uint32_t root[NAMES];
	for (uint32_t v = 0; v < NAMES; v++)
		root[v] = v;
	m->splits = (struct snag_splits_list){0};
	uint32_t event = 0;
	for (uint32_t v = 50; v < NAMES; v++) {
		uint32_t from = (uint32_t)rand() % v;
		if ((unsigned)rand() % 1000 >= likely || parts[root[from]] + 2 > SNAG_SPLIT_PARTS)
			continue;
		event += (uint32_t)rand() % (uint32_t)(2 * m->trace.n * 1000 / NAMES / likely + 1);
		if (event > m->trace.n)
			break;
		root[v] = root[from];
		parts[root[from]]++;
		m->splits.at = snag_grow(m->splits.at, &m->splits.cap, m->splits.n + 1,
					 sizeof(*m->splits.at));
		m->splits.at[m->splits.n++] = (struct snag_split){v, from, event};
	}
}

static void file_make(struct made *m, const char *path)
{
	struct snag_error err;
	struct snag_output *out;
	assert_int_equal(snag_output_open(path, &out, &err), 0);
	struct snag_sink *sink = snag_binary_sink(out);
	snag_sink_expect_splits(sink);
	const struct snag_batch batch = {.ev = m->ev,
					 .n = m->stored,
					 .counts = snag_names_counts(&m->trace.names),
					 .run = m->run,
					 .nruns = m->nruns};
	assert_int_equal(snag_sink_write(sink, &batch, &m->trace.names, &err), 0);
	assert_int_equal(
		snag_sink_put_splits(sink, m->splits.at, m->splits.n, &m->trace.names, &err), 0);
	assert_int_equal(snag_sink_commit(sink, &err), 0);
}

/* The parts of an access, by definition. */
static void parts_make(const struct made *m, size_t number, uint32_t variable,
		       struct snag_trace *to)
{
	to->ev[to->n] = m->trace.ev[number];
	to->ev[to->n].part = variable != m->trace.ev[number].target;
	to->ev[to->n++].target = variable;
	for (size_t i = m->splits.n; i-- > 0 && m->splits.at[i].event > number;)
		if (m->splits.at[i].from == variable)
			parts_make(m, number, m->splits.at[i].variable, to);
}

struct got {
	struct snag_event *ev;
	size_t n, in_runs;
	size_t nsplits;
};

static void on_event(void *ctx, const struct snag_event *ev, uint64_t number)
{
	struct got *g = ctx;
	assert_int_equal(number, g->n);
	assert_true(g->n < MOST);
	g->ev[g->n++] = *ev;
}

static void on_run(void *ctx, const struct snag_steps *given, uint32_t n, uint64_t number)
{
	struct got *g = ctx;
	struct snag_steps steps = *given;
	for (uint32_t i = 0; i < n; i++) {
		struct snag_event ev = snag_steps_next(&steps);
		on_event(ctx, &ev, number + i);
	}
	g->in_runs += n;
}

enum { RUNS = 1, SPLITS = 2, CHECKED = 4, FOLLOWS = 8 };

static void source_read(struct snag_source *src, unsigned how, const struct made *m, struct got *g)
{
	struct snag_walk walk = {0};
	struct snag_batch batch;
	struct snag_error err;
	int rc;
	g->n = g->in_runs = g->nsplits = 0;
	if (how & FOLLOWS)
		assert_int_equal(snag_refined_follow(src), m->splits.n > 0);
	if (how & CHECKED)
		src = snag_wellformed_source(src, NULL);
	if (how & RUNS)
		assert_true(snag_source_take_runs(src));
	if (how & SPLITS)
		assert_int_equal(snag_source_take_splits(src), m->splits.n > 0);
	while ((rc = snag_source_next(src, &batch, &err)) > 0) {
		assert_true(how & RUNS || batch.nruns == 0);
		for (size_t i = 0; i < batch.nsplits; i++) {
			const struct snag_split *split = &m->splits.at[g->nsplits++];
			assert_memory_equal(&batch.split[i], split, sizeof(*split));
			assert_true(split->event >= batch.first);
		}
		if (how & FOLLOWS && m->splits.n > 0)
			for (size_t i = 0; i < batch.n; i++)
				assert_int_equal(m->trace.ev[snag_refined_origin(src)[i]].thread,
						 batch.ev[i].thread);
		snag_walk_batch(&walk, &batch, on_event, on_run, g);
	}
	if (rc < 0)
		fail_msg("%s", err.msg);
	if (how & SPLITS)
		for (; g->nsplits < m->splits.n; g->nsplits++) /* behind the last event */
			assert_true(m->splits.at[g->nsplits].event >= m->trace.n);
	snag_source_close(src);
}

static struct snag_source *source_of(const char *path)
{
	struct snag_source *src;
	struct snag_input *in;
	struct snag_error err = {0};
	assert_int_equal(snag_input_open(path, &in, &err), 0);
	if (snag_binary_source(in, NULL, &src, &err) < 0)
		fail_msg("%s", err.msg);
	return src;
}

static void assert_same(const struct got *g, const struct snag_trace *trace)
{
	assert_int_equal(g->n, trace->n);
	assert_memory_equal(g->ev, trace->ev, g->n * sizeof(*g->ev));
}

static void *copy_to_pipe(void *arg)
{
	const char *const *path = arg;
	struct file file = slurp(path[0]);
	FILE *pipe = fopen(path[1], "w");
	assert_int_equal(fwrite(file.at, 1, file.n, pipe), file.n);
	fclose(pipe);
	free(file.at);
	return NULL;
}

static void pipe_read(const char *path, const struct made *m, struct got *g)
{
	char fifo[64];
	const char *const paths[] = {path, fifo};
	pthread_t writer;
	path_of(fifo, "fifo");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(pthread_create(&writer, NULL, copy_to_pipe, (void *)paths), 0);
	source_read(source_of(fifo), RUNS, m, g);
	pthread_join(writer, NULL);
	unlink(fifo);
}

static void refined_events_are_those_of_parts(void **state)
{
	static const unsigned likely[] = {0, 1, 20, 300};
	static struct made m;
	struct got g = {.ev = snag_calloc(MOST, sizeof(*g.ev))};
	struct snag_trace refined = {.ev = snag_calloc(MOST, sizeof(*refined.ev))};
	size_t in_runs = 0, nsplits = 0, more = 0;
	char path[64];
	(void)state;
	path_of(path, "refined.snag");
	for (unsigned seed = 0; seed < 24; seed++) {
		srand(seed);
		trace_make(&m, seed % 2);
		splits_make(&m, likely[seed % 4]);
		file_make(&m, path);
		refined.n = 0;
		for (size_t i = 0; i < m.trace.n; i++)
			parts_make(&m, i, m.trace.ev[i].target, &refined);
		for (unsigned how = 0; how < 8; how++) {
			source_read(source_of(path), how, &m, &g);
			assert_same(&g, how & SPLITS ? &m.trace : &refined);
			in_runs += how & SPLITS ? 0 : g.in_runs;
		}
		source_read(source_of(path), FOLLOWS, &m, &g);
		assert_same(&g, &refined);
		pipe_read(path, &m, &g);
		assert_same(&g, &refined);
		nsplits += m.splits.n;
		more += refined.n - m.trace.n;
		snag_splits_list_done(&m.splits);
		snag_trace_done(&m.trace);
		unlink(path);
	}
	assert_true(in_runs > 100000 && nsplits > 2000 && more > 10000);
	free(g.ev);
	free(refined.ev);
}

/* [few] counts by the variable where a chain of splits begins: both sides of the bound. */
static void parts_are_counted_by_root(void **state)
{
	enum { ROOTS = 4, N = 20 };
	unsigned refused = 0;
	(void)state;
	for (unsigned seed = 0; seed < 2000; seed++) {
		struct snag_split list[N];
		struct snag_splits_list splits = {.at = list, .n = N};
		uint32_t root[ROOTS + N], parts[ROOTS] = {0}, most = 0;
		srand(seed);
		for (uint32_t i = 0; i < ROOTS; i++)
			root[i] = i;
		for (uint32_t i = 0; i < N; i++) {
			const uint32_t from = (uint32_t)rand() % (ROOTS + i);
			list[i] = (struct snag_split){ROOTS + i, from, i};
			root[ROOTS + i] = root[from];
			const uint32_t n = ++parts[root[from]] + 1; /* and itself */
			most = n > most ? n : most;
		}
		assert_int_equal(snag_splits_check(&splits, ROOTS + N, N),
				 most <= SNAG_SPLIT_PARTS);
		refused += most > SNAG_SPLIT_PARTS;
	}
	assert_in_range(refused, 100, 1900);
}

/* Lists that break a rule of split.h. */
static void wrong_splits_are_refused(void **state)
{
	struct snag_split list[9];
	struct snag_splits_list splits = {.at = list};
	(void)state;
	for (uint32_t i = 0; i < 9; i++)
		list[i] = (struct snag_split){10 + i, i < 2 ? i : 9 + i, i};
	splits.n = 9;
	assert_false(snag_splits_check(&splits, 100, 100)); /* [few] */
	splits.n = 7;
	assert_true(snag_splits_check(&splits, 100, 100));
	assert_false(snag_splits_check(&splits, 16, 100));
	assert_false(snag_splits_check(&splits, 100, 5));
	list[3].event = 1;
	assert_false(snag_splits_check(&splits, 100, 100)); /* [order] */
	list[3].event = 3;
	list[3].variable = 12;
	assert_false(snag_splits_check(&splits, 100, 100));
	static const uint8_t bad[][4] = {{0}, {2, 1, 1, 1}, {1, 5, 0, 1}, {1, 5, 6, 1}};
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct snag_splits_list read = {0};
		assert_false(snag_splits_unpack((struct snag_span){bad[i], bad[i] + (i ? 4 : 1)},
						&read));
		snag_splits_list_done(&read);
	}
}

/* A file that is cut anywhere is an error, or read as far as it is whole. */
static void cut_files_end(void **state)
{
	static struct made m;
	char path[64];
	(void)state;
	path_of(path, "cut.snag");
	srand(1);
	trace_make(&m, true);
	splits_make(&m, 20);
	file_make(&m, path);
	struct file file = slurp(path);
	for (size_t n = file.n - 1; n > 40; n -= n > file.n - 300 ? 7 : 997) {
		struct snag_trace trace;
		struct snag_error err;
		uint64_t skipped;
		assert_true(read_all(file.at, n, false, &trace, &skipped, &err) < 0);
		snag_trace_done(&trace);
		assert_int_equal(read_all(file.at, n, true, &trace, &skipped, &err), 0);
		assert_int_equal(skipped, 1);
		assert_true(trace.n <= m.trace.n);
		assert_memory_equal(trace.ev, m.trace.ev, trace.n * sizeof(*trace.ev));
		snag_trace_done(&trace);
		if (n < 1000)
			break;
	}
	free(file.at);
	snag_splits_list_done(&m.splits);
	snag_trace_done(&m.trace);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refined_events_are_those_of_parts),
		cmocka_unit_test(parts_are_counted_by_root),
		cmocka_unit_test(wrong_splits_are_refused),
		cmocka_unit_test(cut_files_end),
	};
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
