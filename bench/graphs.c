/* SPDX-License-Identifier: Apache-2.0
 *
 * graphs.c - what judging computation graphs costs, by their size
 *
 * graphs [-r REPETITIONS] [-C COMMIT] [-m MOST_STEPS] [PROG.task...]
 *
 * First each program of the task language that is named.  Then, up to so many steps, a random
 * program of nested asyncs and finishes, run depth first: a tenth of its steps are isolated
 * blocks that update one of four counters; the others write to a variable of their task and
 * read one that no task writes; one in three hundred writes to a variable it should not, which
 * races.  Last, programs of the same kind with about as many accesses each, but more and more
 * tasks, which vector clocks judge as well: hb, wcp and plain ones get the same events as threads, forks, joins
 * and one lock.  Each measurement runs in a child process, so that its peak memory is its
 * own; a detector is not asked again once a run took longer than 10 s.  One CSV line each:
 *
 *   program      name of the file, "random", or "tasks"
 *   detector     cg, zipper, isograph; hb, wcp, plain
 *   tasks, events   of the program
 *   steps        nodes of the graph, for which the events were made
 *   edges, isolated, accesses   of that graph
 *   repetitions  how many runs
 *   median       seconds of CPU time, building the graph included
 *   spread       slowest minus fastest run, over the median
 *   peak_mb      most memory used by any run, the events included
 *   races        pairs reported
 *   commit       as given
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "bench/arguments.h"
#include "bench/clocks.h"
#include "bench/random.h"
#include "detect/analyze/analyze.h"
#include "detect/tasks/graph.h"
#include "lang/run.h"
#include "trace/trace.h"

enum { MAX_REPETITIONS = 99, COUNTERS = 4, READ_ONLY = 16, RACY = 8, SHARED = 64 };
enum { TASKS_ACCESSES = 400000 };
enum { MAX_DEPTH = 12, LOCATIONS = 100, SLOW_SECONDS = 10, MAX_TEXT = 1 << 20 };

static const char *const detectors[] = {"cg", "zipper", "isograph", "hb", "wcp", "plain"};
enum { OF_GRAPHS = 3 }; /* the first ones; the others judge threads, plain is clocks.h */
enum { NDETECTORS = sizeof(detectors) / sizeof(detectors[0]) };
static const uint64_t sizes[] = {1000, 2005, 5000, 10000, 30000, 100000, 300000, 1000000};
static const uint64_t task_steps[] = {100, 300, 1000, 3000, 10000, 30000, 100000};

static void die(const char *msg)
{
	fprintf(stderr, "graphs: %s\n", msg);
	exit(2);
}

struct program {
	const char *name;
	struct snag_event *ev;
	size_t n, cap;
	uint32_t ntasks, nvariables, nlocks;
	long left;	 /* steps to make */
	uint32_t rounds; /* of the accesses of a step */
	struct snag_random random;
};

static void emit(struct program *p, snag_tid t, enum snag_op op, uint32_t target)
{
	p->ev = snag_grow(p->ev, &p->cap, p->n + 1, sizeof(*p->ev));
	p->ev[p->n] = (struct snag_event){.thread = t,
					  .op = (uint8_t)op,
					  .target = target,
					  .loc = (uint32_t)p->n % LOCATIONS};
	p->n++;
}

static uint32_t below(struct program *p, uint32_t n)
{
	return snag_random_below(&p->random, n);
}

/* What one step does; an isolated block is a step, and one begins behind it. */
static void work(struct program *p, snag_tid t)
{
	for (uint32_t i = 0; i < p->rounds; i++) {
		emit(p, t, SNAG_OP_WRITE, SHARED + t);
		emit(p, t, SNAG_OP_READ, COUNTERS + below(p, READ_ONLY));
	}
	if (below(p, 300) == 0)
		emit(p, t, SNAG_OP_WRITE, COUNTERS + READ_ONLY + below(p, RACY));
	if (below(p, 6) > 0)
		return;
	uint32_t counter = below(p, COUNTERS);
	emit(p, t, SNAG_OP_ISOLATED_BEGIN, 0);
	emit(p, t, SNAG_OP_READ, counter);
	emit(p, t, SNAG_OP_WRITE, counter);
	emit(p, t, SNAG_OP_ISOLATED_END, 0);
	p->left -= 2;
}

static void body(struct program *p, snag_tid t, unsigned depth)
{
	uint32_t rounds = depth ? below(p, 8) : UINT32_MAX;
	for (uint32_t i = 0; i < rounds && p->left > 0; i++) {
		work(p, t);
		if (depth == MAX_DEPTH)
			return;
		p->left -= 2; /* both ways */
		if (below(p, 4) == 0) {
			emit(p, t, SNAG_OP_FINISH_BEGIN, 0);
			body(p, t, depth + 1);
			emit(p, t, SNAG_OP_FINISH_END, 0);
		} else {
			snag_tid child = p->ntasks++;
			emit(p, t, SNAG_OP_TASK_CREATE, child);
			body(p, child, depth + 1);
			emit(p, child, SNAG_OP_TASK_END, 0);
		}
	}
}

/* The events of a run of the program in a file. */
static void program_run(struct program *p, const char *path)
{
	const struct snag_run_options options = {0};
	struct snag_program *program;
	struct snag_source *src;
	struct snag_trace trace;
	struct snag_error err;
	size_t nbytes = 0;
	FILE *file = fopen(path, "r");
	char *text = snag_alloc(MAX_TEXT);
	if (!file || (nbytes = fread(text, 1, MAX_TEXT, file)) == MAX_TEXT)
		die(path);
	fclose(file);
	if (snag_program_parse(path, text, nbytes, &program, &err) < 0 ||
	    snag_run_source(program, &options, &src, &err) < 0)
		die(err.msg);
	snag_trace_init(&trace);
	if (snag_trace_load(&trace, src, &err) < 0)
		die(err.msg);
	struct snag_counts counts = snag_names_counts(&trace.names);
	*p = (struct program){.name = basename(path),
			      .ev = snag_alloc((trace.n + 1) * sizeof(*p->ev)),
			      .n = trace.n,
			      .ntasks = counts.n[SNAG_SPACE_THREAD],
			      .nvariables = counts.n[SNAG_SPACE_VARIABLE]};
	memcpy(p->ev, trace.ev, trace.n * sizeof(*p->ev));
	snag_trace_done(&trace);
	snag_source_close(src);
	snag_program_free(program);
	free(text);
}

static void program_init(struct program *p, const char *name, uint64_t steps, uint32_t rounds)
{
	*p = (struct program){
		.name = name, .ntasks = 1, .left = (long)steps, .rounds = rounds ? rounds : 1};
	snag_random_init(&p->random, 1);
	body(p, 0, 0);
	p->nvariables = SHARED + p->ntasks;
}

/* The same run as events of threads. */
static struct program as_threads(const struct program *p)
{
	struct program to = *p;
	uint32_t *open = NULL; /* tasks that are not waited for yet; 0: a finish begins */
	size_t nopen = 0, open_cap = 0;
	to.ev = NULL;
	to.n = to.cap = 0;
	to.nlocks = 1;
	for (size_t i = 0; i < p->n; i++) {
		const struct snag_event *ev = &p->ev[i];
		switch (ev->op) {
		case SNAG_OP_TASK_CREATE:
		case SNAG_OP_FINISH_BEGIN:
			open = snag_grow(open, &open_cap, nopen + 1, sizeof(*open));
			open[nopen++] = ev->op == SNAG_OP_TASK_CREATE ? ev->target : 0;
			if (ev->op == SNAG_OP_TASK_CREATE)
				emit(&to, ev->thread, SNAG_OP_FORK, ev->target);
			break;
		case SNAG_OP_FINISH_END:
			while (nopen > 0 && open[--nopen])
				emit(&to, ev->thread, SNAG_OP_JOIN, open[nopen]);
			break;
		case SNAG_OP_ISOLATED_BEGIN:
		case SNAG_OP_ISOLATED_END:
			emit(&to, ev->thread,
			     ev->op == SNAG_OP_ISOLATED_BEGIN ? SNAG_OP_ACQUIRE : SNAG_OP_RELEASE,
			     0);
			break;
		case SNAG_OP_TASK_END:
			break;
		default:
			emit(&to, ev->thread, (enum snag_op)ev->op, ev->target);
		}
	}
	free(open);
	return to;
}

struct list {
	struct snag_source base;
	const struct program *program;
	size_t at;
	struct snag_names names;
};

static int list_next(struct snag_source *src, struct snag_batch *ret_batch, struct snag_error *err)
{
	struct list *l = (struct list *)src;
	size_t left = l->program->n - l->at;
	if (left == 0)
		return 0;
	*ret_batch = (struct snag_batch){.ev = l->program->ev + l->at,
					 .n = left < SNAG_BATCH_EVENTS ? left : SNAG_BATCH_EVENTS,
					 .first = l->at};
	ret_batch->counts.n[SNAG_SPACE_THREAD] = l->program->ntasks;
	ret_batch->counts.n[SNAG_SPACE_VARIABLE] = l->program->nvariables;
	ret_batch->counts.n[SNAG_SPACE_LOCK] = l->program->nlocks;
	l->at += ret_batch->n;
	return 1;
}

static double list_progress(const struct snag_source *src)
{
	return -1;
}

static void list_close(struct snag_source *src)
{
}

static int list_again(const struct snag_source *src, struct snag_source **ret_src,
		      struct snag_error *err)
{
	*ret_src = (struct snag_source *)src;
	((struct list *)src)->at = 0;
	return 1;
}

static const struct snag_source_ops list_ops = {
	.next = list_next, .progress = list_progress, .close = list_close, .again = list_again};

static void list_init(struct list *l, const struct program *p)
{
	*l = (struct list){.base = {.ops = &list_ops, .name = "program"}, .program = p};
	l->base.names = &l->names;
	snag_names_init(&l->names);
}

struct settings {
	uint64_t repetitions, most;
	const char *commit;
};

struct result {
	double seconds;
	uint64_t races;
	double peak_mb; /* filled in by the parent */
};

/* NULL: plain vector clocks. */
static struct result judge(const struct program *p, const struct snag_detector *detector)
{
	struct snag_analyze_options options = {.detector = {detector},
					       .ndetectors = 1,
					       .jobs = 1,
					       .brief = true,
					       .whole = true,
					       .undecided = true};
	struct snag_analysis analysis;
	struct snag_error err;
	struct list l;
	list_init(&l, p);
	double begin = snag_seconds(CLOCK_PROCESS_CPUTIME_ID);
	if (!detector) {
		uint64_t races = snag_plain_clocks(p->ev, p->n, p->ntasks, p->nvariables);
		return (struct result){snag_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin, races, 0};
	}
	if (snag_analyze(&l.base, &options, &analysis, &err) < 0)
		die(err.msg);
	struct result r = {.seconds = snag_seconds(CLOCK_PROCESS_CPUTIME_ID) - begin,
			   .races = analysis.findings[0].npairs};
	snag_analysis_done(&analysis);
	return r;
}

/* In a child process. */
static struct result measure(const struct program *p, const struct snag_detector *detector)
{
	struct result r;
	struct rusage usage;
	int fd[2], status;
	if (pipe(fd) < 0)
		die("no pipe");
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		die("cannot fork");
	if (pid == 0) {
		r = judge(p, detector);
		_exit(write(fd[1], &r, sizeof(r)) == sizeof(r) ? 0 : 2);
	}
	close(fd[1]);
	bool ok = read(fd[0], &r, sizeof(r)) == sizeof(r);
	close(fd[0]);
	if (wait4(pid, &status, 0, &usage) < 0 || status != 0 || !ok)
		die("a run failed");
	r.peak_mb = (double)usage.ru_maxrss / 1024;
	return r;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Prints a line; returns the median. */
static double row(const struct program *p, const struct snag_cgraph *g, const char *name,
		  const struct settings *s)
{
	double seconds[MAX_REPETITIONS], peak = 0;
	const struct snag_detector *detector = snag_detector_find(name, strlen(name));
	uint64_t n = s->repetitions;
	struct result r = {0};
	for (uint64_t i = 0; i < n; i++) {
		r = measure(p, detector);
		seconds[i] = r.seconds;
		if (r.peak_mb > peak)
			peak = r.peak_mb;
		if (r.seconds > 2 && i == 0)
			n = 1; /* a long run averages itself */
	}
	qsort(seconds, (size_t)n, sizeof(seconds[0]), compare);
	printf("%s,%s,%u,%zu,%zu,%zu,%u,%zu,%llu,%.6f,%.2f,%.1f,%llu,%s\n", p->name, name,
	       p->ntasks, p->n, g->nnodes, g->npreds, g->nisolated, g->naccesses,
	       (unsigned long long)n, seconds[n / 2],
	       (seconds[n - 1] - seconds[0]) / seconds[n / 2], peak, (unsigned long long)r.races,
	       s->commit);
	return seconds[n / 2];
}

/* The first n detectors on one program, which is then freed; is_asked becomes false for those that
 * are too slow to be asked again. */
static void program_measure(struct program *p, unsigned n, bool *is_asked, const struct settings *s)
{
	struct snag_cgraph g;
	struct list l;
	list_init(&l, p);
	if (snag_graph_load(&l.base, &g, NULL) < 0)
		die("no graph");
	struct program threads = n > OF_GRAPHS ? as_threads(p) : (struct program){0};
	for (unsigned i = 0; i < n; i++)
		if (is_asked[i])
			is_asked[i] = row(i < OF_GRAPHS ? p : &threads, &g, detectors[i], s) <
				      SLOW_SECONDS;
	snag_cgraph_done(&g);
	free(threads.ev);
	free(p->ev);
}

static void by_tasks(const struct settings *s)
{
	bool is_asked[NDETECTORS] = {false, true, true, true, true, true};
	struct program p;
	for (unsigned i = 0; i < sizeof(task_steps) / sizeof(task_steps[0]); i++) {
		if (task_steps[i] > s->most)
			return;
		/* a step that is no isolated block has two accesses in each round */
		program_init(&p, "tasks", task_steps[i],
			     (uint32_t)(TASKS_ACCESSES / task_steps[i]));
		program_measure(&p, NDETECTORS, is_asked, s);
	}
}

int main(int argc, char **argv)
{
	struct settings s = {.repetitions = 3, .most = 1000000, .commit = "-"};
	bool is_asked[NDETECTORS] = {true, true, true};
	struct program p;
	for (int option; (option = getopt(argc, argv, "r:C:m:")) != -1;) {
		if (option == 'C')
			s.commit = optarg;
		else if (option == 'm' && snag_arguments_number(optarg, &s.most))
			continue;
		else if (option != 'r' || !snag_arguments_number(optarg, &s.repetitions) ||
			 s.repetitions < 1 || s.repetitions > MAX_REPETITIONS)
			die("usage: graphs [-r REPETITIONS] [-C COMMIT] [-m MOST_STEPS] "
			    "[PROG.task...]");
	}
	puts("program,detector,tasks,events,steps,edges,isolated,accesses,repetitions,median,"
	     "spread,peak_mb,races,commit");
	for (int i = optind; i < argc; i++) {
		program_run(&p, argv[i]);
		program_measure(&p, OF_GRAPHS, is_asked, &s);
	}
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && sizes[i] <= s.most; i++) {
		program_init(&p, "random", sizes[i], 1);
		program_measure(&p, OF_GRAPHS, is_asked, &s);
	}
	by_tasks(&s);
	return 0;
}
