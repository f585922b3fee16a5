/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.c - how fast traces are read and analysed, and in how much memory
 *
 * bench [-r REPETITIONS] [-c CONFIGURATION] [-C COMMIT] "
			    "[-p PROGRAM,...] FILE...
 * bench --header
 *
 * For each file: reading alone (its format to batches), reading with the check of the
 * trace rules, and each detector by itself; for CSV only the first, as there the
 * detectors see the same events.  Each measurement runs in a child process of its own,
 * so that its peak memory is its own; files are read once before, so that they are in
 * the page cache.  One CSV line each:
 *
 *   program        what:format, such as read:std, check:snag, hb:snag
 *   configuration  as given
 *   repetitions    how many runs
 *   median         of their CPU seconds, user and system
 *   spread         slowest minus fastest, over the median
 *   commit         as given
 *   wall           median of the elapsed seconds
 *   events         in the file
 *   bytes          an event, on disk
 *   peak_mb        most memory used by any run
 *   calibration    nanoseconds per event of a bare loop over events in memory, median of
 *                  measurements right before each run: a yardstick for the machine, so
 *                  that "times the bare loop" compares across machines and noise
 */
#include <fcntl.h>
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
#include "bench/generate.h"
#include "detect/analyze/analyze.h"
#include "trace/input.h"

enum { MAX_REPETITIONS = 99, CALIBRATION_EVENTS = 1000000, CALIBRATION_PASSES = 4 };

struct job {
	const char *path, *format;	      /* "std" */
	const struct snag_detector *detector; /* NULL: reading only */
	bool is_checked;		      /* reading through the check of the rules */
};

struct result {
	double cpu, wall; /* seconds */
	uint64_t events;
	double peak_mb; /* filled in by the parent */
};

static void die(const char *msg)
{
	fprintf(stderr, "bench: %s\n", msg);
	exit(2);
}

static int open_source(const struct job *job, struct snag_source **ret_src, struct snag_error *err)
{
	struct snag_source_options options = {0};
	struct snag_input *in;
	if (job->is_checked)
		return snag_source_open(job->path, &options, ret_src, err);
	int rc = snag_input_open(job->path, &in, err);
	if (rc < 0)
		return rc;
	if (strcmp(job->format, "std") == 0)
		return snag_std_source(in, &options, ret_src, err);
	if (strcmp(job->format, "csv") == 0)
		return snag_csv_source(in, &options, ret_src, err);
	return snag_binary_source(in, &options, ret_src, err);
}

static int read_all(struct snag_source *src, struct result *ret_result, struct snag_error *err)
{
	struct snag_batch batch;
	int rc;
	while ((rc = snag_source_next(src, &batch, err)) > 0)
		ret_result->events += batch.n;
	return rc;
}

static int analyze_all(struct snag_source *src, const struct snag_detector *detector,
		       struct result *ret_result, struct snag_error *err)
{
	/* One thread, and what `snag analyze --json -` needs. */
	struct snag_analyze_options options = {
		.detector = {detector}, .ndetectors = 1, .jobs = 1, .brief = true};
	struct snag_analysis analysis;
	int rc = snag_analyze(src, &options, &analysis, err);
	if (rc < 0)
		return rc;
	ret_result->events = analysis.events;
	snag_analysis_done(&analysis);
	return 0;
}

static void job_run(const struct job *job, struct result *ret_result)
{
	struct snag_source *src;
	struct snag_error err;
	if (open_source(job, &src, &err) < 0)
		die(err.msg);
	int rc = job->detector ? analyze_all(src, job->detector, ret_result, &err)
			       : read_all(src, ret_result, &err);
	if (rc < 0)
		die(err.msg);
	snag_source_close(src);
}

/* The bare loop: looks at every field that a detector looks at, and counts by object. */
static void calibration_run(const struct snag_event *ev, size_t n, uint32_t *count,
			    uint32_t ncounts)
{
	for (int pass = 0; pass < CALIBRATION_PASSES; pass++)
		for (size_t i = 0; i < n; i++)
			count[(ev[i].target + ev[i].op * 7919u) % ncounts] +=
				ev[i].thread + ev[i].loc;
}

static void calibrate(const struct job *job, struct result *ret_result)
{
	enum { COUNTS = 1 << 14 };
	static uint32_t count[COUNTS];
	struct snag_generate_options options = snag_generate_defaults;
	struct snag_source *src;
	struct snag_batch batch;
	struct snag_error err;
	options.events = CALIBRATION_EVENTS;
	if (snag_generate_source(&options, &src, &err) < 0)
		die(err.msg);
	struct snag_event *ev = snag_calloc(CALIBRATION_EVENTS, sizeof(*ev));
	while (snag_source_next(src, &batch, &err) > 0)
		memcpy(ev + batch.first, batch.ev, batch.n * sizeof(*ev));
	snag_source_close(src);
	double start = snag_seconds(CLOCK_PROCESS_CPUTIME_ID);
	calibration_run(ev, CALIBRATION_EVENTS, count, COUNTS);
	ret_result->cpu = snag_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
	uint32_t sum = 0;
	for (int i = 0; i < COUNTS; i++)
		sum += count[i];
	/* The sum is used, so that the loop is not removed. */
	ret_result->events = sum ? (uint64_t)CALIBRATION_PASSES * CALIBRATION_EVENTS : 0;
	free(ev);
}

static void child(void (*run)(const struct job *, struct result *), const struct job *job, int fd)
{
	struct result result = {0};
	double wall = snag_seconds(CLOCK_MONOTONIC), cpu = snag_seconds(CLOCK_PROCESS_CPUTIME_ID);
	run(job, &result);
	if (result.cpu == 0)
		result.cpu = snag_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	result.wall = snag_seconds(CLOCK_MONOTONIC) - wall;
	if (write(fd, &result, sizeof(result)) != sizeof(result))
		die("cannot write to a pipe");
	_exit(0);
}

static struct result measure(void (*run)(const struct job *, struct result *),
			     const struct job *job)
{
	struct result result;
	struct rusage usage;
	int fd[2], status;
	if (pipe(fd) < 0)
		die("cannot make a pipe");
	pid_t pid = fork();
	if (pid < 0)
		die("cannot fork");
	if (pid == 0)
		child(run, job, fd[1]);
	close(fd[1]);
	ssize_t n = read(fd[0], &result, sizeof(result));
	close(fd[0]);
	if (wait4(pid, &status, 0, &usage) < 0 || status != 0 || n != sizeof(result))
		exit(2); /* the child has said why */
	result.peak_mb = (double)usage.ru_maxrss / 1024;
	return result;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), by_value);
	return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

struct settings {
	uint64_t repetitions;
	const char *configuration, *commit;
	const char *programs; /* separated by commas; NULL: all */
};

static void bench_job(const struct job *job, const char *what, double nbytes,
		      const struct settings *s)
{
	double cpu[MAX_REPETITIONS], wall[MAX_REPETITIONS], loop[MAX_REPETITIONS], peak_mb = 0;
	size_t n = s->repetitions;
	uint64_t events = 0;
	for (size_t i = 0; i < n; i++) {
		struct result bare = measure(calibrate, NULL);
		struct result result = measure(job_run, job);
		loop[i] = bare.cpu / (double)bare.events * 1e9;
		cpu[i] = result.cpu;
		wall[i] = result.wall;
		peak_mb = result.peak_mb > peak_mb ? result.peak_mb : peak_mb;
		events = result.events;
	}
	double middle = median(cpu, n);
	printf("%s:%s,%s,%zu,%.4f,%.3f,%s,%.4f,%llu,%.2f,%.1f,%.3f\n", what, job->format,
	       s->configuration, n, middle, (cpu[n - 1] - cpu[0]) / middle, s->commit,
	       median(wall, n), (unsigned long long)events, nbytes / (double)events, peak_mb,
	       median(loop, n));
	fflush(stdout);
}

/* Whether the list has the name. */
static bool is_wanted(const struct settings *s, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = s->programs; p; p = strchr(p, ','), p = p ? p + 1 : NULL)
		if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0'))
			return true;
	return !s->programs;
}

/* Reads the file once, so that it is in the page cache; returns its size. */
static double warm_up(const char *path)
{
	static char buffer[1 << 20];
	double nbytes = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		die("cannot open a trace");
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		nbytes += (double)n;
	close(fd);
	return nbytes;
}

static void bench_file(const char *path, const struct settings *s)
{
	const char *dot = strrchr(path, '.');
	struct job job = {.path = path, .format = dot ? dot + 1 : ""};
	if (strcmp(job.format, "std") != 0 && strcmp(job.format, "csv") != 0 &&
	    strcmp(job.format, "snag") != 0)
		die("a trace must end in .std, .csv or .snag");
	double nbytes = warm_up(path);
	if (is_wanted(s, "read"))
		bench_job(&job, "read", nbytes, s);
	if (strcmp(job.format, "csv") == 0)
		return;
	job.is_checked = true;
	if (is_wanted(s, "check"))
		bench_job(&job, "check", nbytes, s);
	for (size_t i = 0; snag_detectors[i]; i++) {
		job.detector = snag_detectors[i];
		if (job.detector->ops & SNAG_OPS_OF_THREADS && is_wanted(s, job.detector->name))
			bench_job(&job, job.detector->name, nbytes, s);
	}
}

int main(int argc, char **argv)
{
	struct settings s = {.repetitions = 3, .configuration = "-", .commit = "-"};
	if (argc == 2 && strcmp(argv[1], "--header") == 0) {
		puts("program,configuration,repetitions,median,spread,commit,wall,events,bytes,"
		     "peak_mb,"
		     "calibration");
		return 0;
	}
	for (int option; (option = getopt(argc, argv, "r:c:C:p:")) != -1;) {
		if (option == 'c')
			s.configuration = optarg;
		else if (option == 'C')
			s.commit = optarg;
		else if (option == 'p')
			s.programs = optarg;
		else if (option != 'r' || !snag_arguments_number(optarg, &s.repetitions) ||
			 s.repetitions < 1 || s.repetitions > MAX_REPETITIONS)
			die("usage: bench [-r REPETITIONS] [-c CONFIGURATION] [-C COMMIT] "
			    "[-p PROGRAM,...] FILE...");
	}
	for (int i = optind; i < argc; i++)
		bench_file(argv[i], &s);
	return 0;
}
