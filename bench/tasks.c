/* SPDX-License-Identifier: Apache-2.0
 *
 * tasks.c - what the depth-first executor of tasks costs, in time and memory
 *
 * tasks [-r REPETITIONS] [-C COMMIT]
 *
 * Each measurement runs in a child process of its own, so that its peak memory is its own.
 * No detector listens to the events.  One CSV line each:
 *
 *   program      what is done, n times
 *   n            how often
 *   repetitions  how many runs
 *   median       nanoseconds of CPU time each
 *   spread       slowest minus fastest run, over the median
 *   bytes        of memory each, at the peak
 *   commit       as given
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "task/fiber.h"
#include "task/task.h"

enum { MAX_REPETITIONS = 99 };

static struct snag_tasks *ts;
static uint32_t p;

static void die(const char *msg)
{
	fprintf(stderr, "tasks: %s\n", msg);
	exit(2);
}

static struct snag_fiber outside, inside;

static void switch_back(void *arg)
{
	for (;;)
		snag_fiber_switch(&inside, &outside);
}

static void switches(long n)
{
	struct snag_stack stack;
	if (snag_stack_map(&stack, 64 << 10) < 0)
		die("no memory");
	snag_fiber_prepare(&inside, &stack, switch_back, NULL);
	for (long i = 0; i < n; i += 2)
		snag_fiber_switch(&outside, &inside);
}

static void nothing(void *arg)
{
}

static void create_flat(void *arg)
{
	for (long n = *(long *)arg; n > 0; n--)
		snag_task_async(ts, nothing, NULL);
}

static void create_finish(void *arg)
{
	for (long n = *(long *)arg; n > 0; n--) {
		snag_task_finish_begin(ts);
		snag_task_async(ts, nothing, NULL);
		snag_task_finish_end(ts);
	}
}

static void create_nested(void *arg)
{
	long *left = arg;
	if (--*left > 0)
		snag_task_async(ts, create_nested, left);
}

/* A binary tree of *arg tasks in all. */
static void create_tree(void *arg)
{
	long n = *(long *)arg - 1, left = n / 2, right = n - left;
	if (left > 0)
		snag_task_async(ts, create_tree, &left);
	if (right > 0)
		snag_task_async(ts, create_tree, &right);
}

static void get(void *arg)
{
	snag_task_promise_get(ts, p);
}

static void block_one_by_one(void *arg)
{
	for (long n = *(long *)arg; n > 0; n--) {
		p = snag_task_promise_new(ts);
		snag_task_async(ts, get, NULL);
		snag_task_promise_set(ts, p);
	}
}

static void block_all(void *arg)
{
	p = snag_task_promise_new(ts);
	for (long n = *(long *)arg; n > 0; n--)
		snag_task_async(ts, get, NULL);
	snag_task_promise_set(ts, p);
}

static void get_what_is_set(void *arg)
{
	for (long n = *(long *)arg; n > 0; n--) {
		p = snag_task_promise_new(ts);
		snag_task_promise_set(ts, p);
		snag_task_promise_get(ts, p);
	}
}

static const struct program {
	const char *name;
	snag_task_body *body; /* NULL: switches */
	long most;
} programs[] = {
	{"switch to another stack", NULL, 100000000},
	{"create a task, which ends", create_flat, 10000000},
	{"the same, each in a finish", create_finish, 10000000},
	{"create tasks in a binary tree", create_tree, 10000000},
	{"create tasks, each in the last", create_nested, 1000000},
	{"create a task that waits, set", block_one_by_one, 10000000},
	{"create tasks that all wait, set", block_all, 1000000},
	{"new promise, set, get", get_what_is_set, 10000000},
};

struct result {
	double ns;
	double bytes;
};

static double peak_bytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss * 1024;
}

static struct result measure(const struct program *program, long n)
{
	long arg = n;
	double bytes = peak_bytes(), start = snag_seconds(CLOCK_PROCESS_CPUTIME_ID);
	if (program->body) {
		struct snag_tasks_options options = {0};
		ts = snag_tasks_new(&options);
		if (!ts || snag_tasks_run(ts, program->body, &arg) != SNAG_TASKS_DONE)
			die("not enough memory");
	} else {
		switches(n);
	}
	double ns = (snag_seconds(CLOCK_PROCESS_CPUTIME_ID) - start) * 1e9;
	return (struct result){ns / (double)n, (peak_bytes() - bytes) / (double)n};
}

static struct result in_child(const struct program *program, long n)
{
	struct result result;
	int ends[2], status;
	if (pipe(ends) < 0)
		die("no pipe");
	pid_t child = fork();
	if (child == 0) {
		result = measure(program, n);
		_exit(write(ends[1], &result, sizeof(result)) != sizeof(result));
	}
	if (child < 0 || read(ends[0], &result, sizeof(result)) != sizeof(result) ||
	    waitpid(child, &status, 0) != child || status != 0)
		die("a run failed");
	close(ends[0]);
	close(ends[1]);
	return result;
}

static int compare(const void *a, const void *b)
{
	double x = ((const struct result *)a)->ns, y = ((const struct result *)b)->ns;
	return (x > y) - (x < y);
}

static void report(const struct program *program, long n, int repetitions, const char *commit)
{
	struct result result[MAX_REPETITIONS];
	for (int i = 0; i < repetitions; i++)
		result[i] = in_child(program, n);
	qsort(result, (size_t)repetitions, sizeof(*result), compare);
	struct result median = result[repetitions / 2];
	printf("\"%s\",%ld,%d,%.1f,%.2f,%.1f,%s\n", program->name, n, repetitions, median.ns,
	       (result[repetitions - 1].ns - result[0].ns) / median.ns, median.bytes, commit);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int repetitions = 5, option;
	const char *commit = "unknown";
	while ((option = getopt(argc, argv, "r:C:")) != -1) {
		if (option == 'r')
			repetitions = atoi(optarg);
		else if (option == 'C')
			commit = optarg;
		else
			die("usage: tasks [-r REPETITIONS] [-C COMMIT]");
	}
	if (repetitions < 1 || repetitions > MAX_REPETITIONS)
		die("repetitions: from 1 to 99");
	printf("program,n,repetitions,median,spread,bytes,commit\n");
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		for (long n = programs[i].most / 100; n <= programs[i].most; n *= 10)
			report(&programs[i], n, repetitions, commit);
	return 0;
}
