/* SPDX-License-Identifier: Apache-2.0
 *
 * task_traces.c - how fast traces of tasks are analysed, and in how much memory
 *
 * task_traces -s [-p PATTERN,...]    orders of searching instead, see task_search.c
 * task_traces -s TRACE...            the same in these traces, which are called as their files
 * task_traces [-m] [-r REPETITIONS] [-C COMMIT] [-p PATTERN,...] [-w DETECTOR,...]
 *
 * Traces of typical programs are made in memory; each detector that can judge one gets it from
 * memory, and from a .snag file through `snag_analyze`.  Each measurement runs in a
 * child process of its own.  One CSV line each:
 *
 *   pattern       see patterns[]
 *   detector
 *   repetitions, commit
 *   accesses, tasks, waits   in the trace (waits: gets of promises)
 *   memory_rate   million accesses per CPU second, from memory; median
 *   file_rate     the same from the file, with reading and the check of the rules; -m: 0
 *   mb            memory of the detector
 *   spread        slowest minus fastest from memory, over the median
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "bench/random.h"
#include "bench/task_search.h"
#include "detect/analyze/analyze.h"
#include "trace/sink.h"
#include "trace/trace.h"

enum { MAX_REPETITIONS = 99 };

struct maker {
	struct snag_trace trace;
	uint64_t accesses, tasks, waits;
	uint32_t variables, promises;
};

static void emit(struct maker *m, uint32_t task, enum snag_op op, uint32_t target)
{
	struct snag_trace *t = &m->trace;
	t->ev = snag_huge_grow(t->ev, &t->cap, t->n + 1, sizeof(*t->ev));
	t->ev[t->n++] = (struct snag_event){
		.thread = task, .target = target, .loc = (uint32_t)op, .op = (uint8_t)op};
	m->accesses += snag_op_is_access((uint8_t)op);
	m->waits += op == SNAG_OP_PROMISE_GET;
	if (snag_op_is_access((uint8_t)op) && target >= m->variables)
		m->variables = target + 1;
	if (op == SNAG_OP_PROMISE_SET && target >= m->promises)
		m->promises = target + 1;
}

static uint32_t create(struct maker *m, uint32_t task, enum snag_op op)
{
	emit(m, task, op, (uint32_t)m->tasks);
	return (uint32_t)m->tasks++;
}

/* Writes, then reads of an array, over and over. */
static void make_one(struct maker *m)
{
	enum { CELLS = 1 << 16, ROUNDS = 300 };
	for (uint32_t i = 0; i < ROUNDS; i++)
		for (uint32_t v = 0; v < CELLS; v++)
			emit(m, 0, i % 4 == 0 ? SNAG_OP_WRITE : SNAG_OP_READ, v);
	emit(m, 0, SNAG_OP_FINISH_BEGIN, 0);
	emit(m, 0, SNAG_OP_FINISH_END, 0);
}

/* A million tasks, in ten finishes; each reads a table, and reads and writes cells of its own. */
static void make_forall(struct maker *m)
{
	enum { ROUNDS = 10, TASKS = 100000, CELLS = 8, TABLE = 64 };
	for (uint32_t i = 0; i < ROUNDS * TASKS; i++) {
		if (i % TASKS == 0)
			emit(m, 0, SNAG_OP_FINISH_BEGIN, 0);
		uint32_t t = create(m, 0, SNAG_OP_TASK_CREATE);
		for (uint32_t k = 0; k < CELLS; k++) {
			emit(m, t, SNAG_OP_READ, (i + k) % TABLE);
			emit(m, t, SNAG_OP_WRITE, TABLE + i % TASKS * CELLS + k);
			emit(m, t, SNAG_OP_READ, TABLE + i % TASKS * CELLS + k);
		}
		emit(m, t, SNAG_OP_TASK_END, 0);
		if ((i + 1) % TASKS == 0)
			emit(m, 0, SNAG_OP_FINISH_END, 0);
	}
}

/* Divide and conquer: the leaves fill cells, who waited for two halves reads some of them. */
static void divide(struct maker *m, uint32_t task, uint32_t low, uint32_t n, bool is_spawn)
{
	enum { LEAF = 16, LOOK = 16, TABLE = 64 };
	if (n == LEAF) {
		for (uint32_t k = 0; k < LEAF; k++) {
			emit(m, task, SNAG_OP_READ, (low + k) % TABLE);
			emit(m, task, SNAG_OP_WRITE, TABLE + low + k);
		}
		return;
	}
	if (!is_spawn)
		emit(m, task, SNAG_OP_FINISH_BEGIN, 0);
	for (uint32_t half = 0; half < 2; half++) {
		uint32_t t = create(m, task, is_spawn ? SNAG_OP_TASK_SPAWN : SNAG_OP_TASK_CREATE);
		divide(m, t, low + half * (n / 2), n / 2, is_spawn);
		emit(m, t, SNAG_OP_TASK_END, 0);
	}
	emit(m, task, is_spawn ? SNAG_OP_SYNC : SNAG_OP_FINISH_END, 0);
	for (uint32_t k = 0; k < LOOK; k++)
		emit(m, task, SNAG_OP_READ, TABLE + low + k * (n / LOOK));
}

static void make_divide(struct maker *m)
{
	divide(m, 0, 0, 1 << 22, false);
}

static void make_cilk(struct maker *m)
{
	divide(m, 0, 0, 1 << 22, true);
}

/* A grid of blocks; in each round a task per block waits for its neighbours' last round, reads
 * their edges and its own block, and writes it.  About 100,000 waits. */
static void make_poisson(struct maker *m)
{
	enum { SIDE = 16, BLOCKS = SIDE * SIDE, ROUNDS = 82, CELLS = 256, EDGE = 16 };
	static const int step[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
	emit(m, 0, SNAG_OP_FINISH_BEGIN, 0);
	for (uint32_t round = 0; round < ROUNDS; round++)
		for (int b = 0; b < BLOCKS; b++) {
			uint32_t t = create(m, 0, SNAG_OP_TASK_CREATE);
			uint32_t from = (round + 1) % 2 * BLOCKS * CELLS,
				 to = round % 2 * BLOCKS * CELLS + (uint32_t)b * CELLS;
			for (int s = 0; s < 5 && round; s++) {
				int y = b / SIDE + step[s][0], x = b % SIDE + step[s][1];
				if (x < 0 || x >= SIDE || y < 0 || y >= SIDE)
					continue;
				uint32_t near = (uint32_t)(y * SIDE + x);
				emit(m, t, SNAG_OP_PROMISE_GET, (round - 1) * BLOCKS + near);
				for (uint32_t k = 0; k < (s ? EDGE : CELLS); k++)
					emit(m, t, SNAG_OP_READ, from + near * CELLS + k);
			}
			for (uint32_t k = 0; k < CELLS; k++)
				emit(m, t, SNAG_OP_WRITE, to + k);
			emit(m, t, SNAG_OP_PROMISE_SET, round * BLOCKS + (uint32_t)b);
			emit(m, t, SNAG_OP_TASK_END, 0);
		}
	emit(m, 0, SNAG_OP_FINISH_END, 0);
}

/* Futures: each reads a table and the results of two random earlier ones, which it gets. */
static void make_futures(struct maker *m)
{
	enum { TASKS = 50000, TABLE = 256, LOOK = 64 };
	struct snag_random random;
	snag_random_init(&random, 1);
	for (uint32_t i = 0; i < TASKS; i++) {
		uint32_t t = create(m, 0, SNAG_OP_TASK_CREATE);
		for (int k = 0; k < 2 && i; k++) {
			uint32_t of = snag_random_below(&random, i);
			emit(m, t, SNAG_OP_PROMISE_GET, of);
			emit(m, t, SNAG_OP_READ, TABLE + of);
		}
		for (uint32_t k = 0; k < LOOK; k++)
			emit(m, t, SNAG_OP_READ, (i + k) % TABLE);
		emit(m, t, SNAG_OP_WRITE, TABLE + i);
		emit(m, t, SNAG_OP_PROMISE_SET, i);
		emit(m, t, SNAG_OP_TASK_END, 0);
	}
}

/* For the memory of a task, a promise got, and a cell: much of one of them, little of the rest. */

/* Four million tasks of one access, which nothing waits for. */
static void make_tasks(struct maker *m)
{
	for (uint32_t i = 0; i < 4000000; i++) {
		uint32_t t = create(m, 0, SNAG_OP_TASK_CREATE);
		emit(m, t, SNAG_OP_READ, 0);
		emit(m, t, SNAG_OP_TASK_END, 0);
	}
}

/* As many that are spawned, two before each sync. */
static void make_spawns(struct maker *m)
{
	for (uint32_t i = 0; i < 4000000; i++) {
		uint32_t t = create(m, 0, SNAG_OP_TASK_SPAWN);
		emit(m, t, SNAG_OP_READ, 0);
		emit(m, t, SNAG_OP_TASK_END, 0);
		if (i % 2)
			emit(m, 0, SNAG_OP_SYNC, 0);
	}
}

/* A task sets promises, another gets them. */
static void make_joins(struct maker *m)
{
	enum { PROMISES = 4000000 };
	uint32_t t = create(m, 0, SNAG_OP_TASK_CREATE);
	emit(m, t, SNAG_OP_WRITE, 0);
	for (uint32_t i = 0; i < PROMISES; i++)
		emit(m, t, SNAG_OP_PROMISE_SET, i);
	emit(m, t, SNAG_OP_TASK_END, 0);
	for (uint32_t i = 0; i < PROMISES; i++)
		emit(m, 0, SNAG_OP_PROMISE_GET, i);
	emit(m, 0, SNAG_OP_READ, 0);
}

static void make_cells(struct maker *m)
{
	emit(m, 0, SNAG_OP_FINISH_BEGIN, 0);
	for (uint32_t v = 0; v < 8000000; v++)
		emit(m, 0, SNAG_OP_WRITE, v);
	for (uint32_t v = 0; v < 8000000; v++)
		emit(m, 0, SNAG_OP_READ, v);
	emit(m, 0, SNAG_OP_FINISH_END, 0);
}

static const struct {
	const char *name;
	void (*make)(struct maker *m);
	bool is_memory_only;
} patterns[] = {
	{"one", make_one},	     {"forall", make_forall},	    {"divide", make_divide},
	{"cilk", make_cilk},	     {"poisson", make_poisson},	    {"futures", make_futures},
	{"tasks", make_tasks, true}, {"spawns", make_spawns, true}, {"joins", make_joins, true},
	{"cells", make_cells, true},
};

enum { NPATTERNS = sizeof(patterns) / sizeof(patterns[0]) };

static void names_make(struct maker *m)
{
	const uint64_t n[SNAG_SPACES] = {[SNAG_SPACE_THREAD] = m->tasks,
					 [SNAG_SPACE_VARIABLE] = m->variables,
					 [SNAG_SPACE_LOCATION] = SNAG_OPS,
					 [SNAG_SPACE_PROMISE] = m->promises};
	for (int s = 0; s < SNAG_SPACES; s++)
		for (uint64_t i = 0; i < n[s]; i++) {
			char name[24];
			int len = snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
			snag_strtab_intern(&m->trace.names.space[s], name, (size_t)len);
		}
}

struct result {
	double seconds, mb;
	uint64_t races;
};

static double resident_mb(void)
{
	unsigned long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (f) {
		if (fscanf(f, "%lu %lu", &pages, &resident) != 2)
			resident = 0;
		fclose(f);
	}
	return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void die(const char *msg)
{
	fprintf(stderr, "task_traces: %s\n", msg);
	exit(2);
}

static void on_race_with(void *ctx, const struct snag_event *ev, uint32_t event, uint32_t first)
{
	((struct result *)ctx)->races++;
}

static void on_refuse(void *ctx, const struct snag_event *ev, uint32_t event, const char *why)
{
	die(why);
}

static struct result run_memory(const struct snag_detector *d, const struct maker *m)
{
	struct result r = {0};
	struct snag_detector_env env = {
		.on_race_with = on_race_with, .on_refuse = on_refuse, .ctx = &r};
	struct snag_batch batch = {.counts = snag_names_counts(&m->trace.names)};
	double mb = resident_mb(), begin = snag_seconds(CLOCK_PROCESS_CPUTIME_ID);
	void *state = d->open(&env);
	for (size_t i = 0; i < m->trace.n; i += batch.n) {
		batch.ev = m->trace.ev + i;
		batch.first = i;
		batch.n = m->trace.n - i < SNAG_BATCH_EVENTS ? m->trace.n - i : SNAG_BATCH_EVENTS;
		d->events(state, &batch);
	}
	r.seconds = snag_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
	r.mb = resident_mb() - mb;
	d->close(state);
	return r;
}

static struct result run_file(const struct snag_detector *d, const char *path)
{
	struct snag_analyze_options options = {
		.detector = {d}, .ndetectors = 1, .jobs = 1, .brief = true};
	struct snag_source_options source_options = {0};
	struct snag_analysis analysis;
	struct snag_source *src;
	struct snag_error err;
	struct result r = {0};
	double begin = snag_seconds(CLOCK_PROCESS_CPUTIME_ID);
	if (snag_source_open(path, &source_options, &src, &err) < 0 ||
	    snag_analyze(src, &options, &analysis, &err) < 0)
		die(err.msg);
	r.races = analysis.findings[0].npairs;
	snag_analysis_done(&analysis);
	snag_source_close(src);
	r.seconds = snag_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin;
	return r;
}

static struct result measure(const struct snag_detector *d, const struct maker *m, const char *path)
{
	struct result r;
	int fd[2];
	if (pipe(fd) < 0)
		die("pipe");
	pid_t child = fork();
	if (child == 0) {
		r = path ? run_file(d, path) : run_memory(d, m);
		_exit(write(fd[1], &r, sizeof(r)) == sizeof(r) ? 0 : 1);
	}
	close(fd[1]);
	if (child < 0 || read(fd[0], &r, sizeof(r)) != sizeof(r))
		die("a measurement failed");
	close(fd[0]);
	waitpid(child, NULL, 0);
	return r;
}

static int by_seconds(const void *a, const void *b)
{
	double x = ((const struct result *)a)->seconds, y = ((const struct result *)b)->seconds;
	return x < y ? -1 : x > y;
}

struct settings {
	unsigned repetitions;
	bool is_memory_only, is_search;
	const char *commit, *patterns, *detectors;
};

static bool is_wanted(const char *list, const char *name)
{
	size_t len = strlen(name);
	for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
		if (strncmp(at, name, len) == 0 && (at[len] == ',' || !at[len]))
			return true;
	return !list;
}

static void file_write(const struct maker *m, const char *path)
{
	struct snag_source *src = snag_trace_source(&m->trace);
	struct snag_sink *sink;
	struct snag_batch batch;
	struct snag_error err;
	if (snag_sink_open(path, 0, &sink, &err) < 0)
		die(err.msg);
	while (snag_source_next(src, &batch, &err) > 0)
		if (snag_sink_write(sink, &batch, src->names, &err) < 0)
			die(err.msg);
	if (snag_sink_commit(sink, &err) < 0)
		die(err.msg);
	snag_source_close(src);
}

static void bench_detector(const struct snag_detector *d, const char *pattern,
			   const struct maker *m, const char *path, const struct settings *s)
{
	struct result memory[MAX_REPETITIONS], file[MAX_REPETITIONS];
	unsigned n = s->repetitions;
	for (unsigned i = 0; i < n; i++) {
		memory[i] = measure(d, m, NULL);
		file[i] = s->is_memory_only ? (struct result){.seconds = INFINITY}
					    : measure(d, m, path);
		if (memory[i].races || file[i].races)
			die("a race was found where none is");
	}
	qsort(memory, n, sizeof(memory[0]), by_seconds);
	qsort(file, n, sizeof(file[0]), by_seconds);
	double median = memory[n / 2].seconds, accesses = (double)m->accesses / 1e6;
	printf("%s,%s,%u,%s,%llu,%llu,%llu,%.1f,%.1f,%.1f,%.2f\n", pattern, d->name, n, s->commit,
	       (unsigned long long)m->accesses, (unsigned long long)m->tasks,
	       (unsigned long long)m->waits, accesses / median, accesses / file[n / 2].seconds,
	       memory[n / 2].mb, (memory[n - 1].seconds - memory[0].seconds) / median);
	fflush(stdout);
}

static void search_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	char *name = strndup(file, strcspn(file, "."));
	struct snag_counts counts = {0};
	struct snag_source *src;
	struct snag_trace trace;
	struct snag_batch batch;
	struct snag_error err;
	int rc = snag_source_open(path, NULL, &src, &err);
	snag_trace_init(&trace);
	while (rc >= 0 && (rc = snag_source_next(src, &batch, &err)) > 0) {
		snag_trace_append(&trace, &batch);
		counts = batch.counts;
	}
	if (rc < 0)
		die(err.msg);
	snag_source_close(src);
	task_search(name, &trace, &counts, true);
	snag_trace_done(&trace);
	free(name);
}

static void bench_pattern(unsigned p, const struct settings *s)
{
	char path[] = "/tmp/snag-tasks-XXXXXX.snag";
	struct maker m = {.tasks = 1};
	uint32_t ops = 0;
	int fd = mkstemps(path, 5);
	if (fd < 0)
		die("no temporary file");
	close(fd);
	snag_trace_init(&m.trace);
	patterns[p].make(&m);
	names_make(&m);
	for (size_t i = 0; i < m.trace.n; i++)
		ops |= UINT32_C(1) << m.trace.ev[i].op;
	struct snag_counts counts = snag_names_counts(&m.trace.names);
	if (s->is_search && m.waits && !patterns[p].is_memory_only)
		task_search(patterns[p].name, &m.trace, &counts, false);
	else if (!s->is_memory_only && !s->is_search)
		file_write(&m, path);
	for (size_t i = 0; snag_detectors[i] && !s->is_search; i++) {
		const struct snag_detector *d = snag_detectors[i];
		if (d->events && !(ops & ~d->ops) && is_wanted(s->detectors, d->name))
			bench_detector(d, patterns[p].name, &m, path, s);
	}
	unlink(path);
	snag_trace_done(&m.trace);
}

int main(int argc, char **argv)
{
	struct settings s = {.repetitions = 3, .commit = "-"};
	for (int option; (option = getopt(argc, argv, "msr:C:p:w:")) != -1;) {
		if (option == 'm')
			s.is_memory_only = true;
		else if (option == 's')
			s.is_search = true;
		else if (option == 'r')
			s.repetitions = (unsigned)atoi(optarg);
		else if (option == 'C')
			s.commit = optarg;
		else if (option == 'p')
			s.patterns = optarg;
		else if (option == 'w')
			s.detectors = optarg;
		else
			die("usage: task_traces [-ms] [-r REPETITIONS] [-C COMMIT] [-p "
			    "PATTERN,...] "
			    "[-w DETECTOR,...]");
	}
	if (optind < argc && !s.is_search)
		die("traces are for -s");
	if (s.repetitions < 1 || s.repetitions > MAX_REPETITIONS)
		die("bad number of repetitions");
	if (s.is_search)
		task_search_header();
	else
		puts("pattern,detector,repetitions,commit,accesses,tasks,waits,memory_rate,"
		     "file_rate,mb,spread");
	for (int i = optind; i < argc; i++)
		search_file(argv[i]);
	for (unsigned p = 0; p < NPATTERNS && optind == argc; p++)
		if (is_wanted(s.patterns, patterns[p].name)) {
			struct settings of_pattern = s;
			of_pattern.is_memory_only |= patterns[p].is_memory_only;
			bench_pattern(p, &of_pattern);
		}
	return 0;
}
