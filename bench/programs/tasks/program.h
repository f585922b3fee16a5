/* SPDX-License-Identifier: Apache-2.0
 *
 * program.h - what the task programs measured by bench/suites.py share
 *
 * Each is called as PROGRAM [small|middle|paper], does its work with tasks of <snag/task.h>,
 * checks its own result and says so: exit status 0, or 1 where the result is wrong.  `paper` is
 * the size of the paper's table, `middle` the same with a base time below a second, `small`
 * is for tests.  Some have a size `orders` too: that of the DRDP paper's table 3, of orders of
 * searching (task_search.c).
 *
 * Compiled with -DMISTAKE=1 each has one mistake in its synchronisation, so that there is a race
 * for every input.  Its result may still be right.
 */
#ifndef SNAG_BENCH_TASK_PROGRAM_H
#define SNAG_BENCH_TASK_PROGRAM_H

#include <snag/task.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MISTAKE
#define MISTAKE 0
#endif

enum program_size { SMALL, MIDDLE, PAPER, ORDERS, SIZES };

/* One of the sizes before `end`. */
static inline enum program_size program_size_before(enum program_size end, int argc, char **argv)
{
	static const char *const name[] = {"small", "middle", "paper", "orders"};
	for (int i = SMALL; argc == 2 && i < (int)end; i++)
		if (strcmp(argv[1], name[i]) == 0)
			return (enum program_size)i;
	if (argc == 1)
		return MIDDLE;
	fprintf(stderr, "usage: %s [small|middle|paper%s]\n", argv[0],
		end > ORDERS ? "|orders" : "");
	exit(2);
}

static inline enum program_size program_size(int argc, char **argv)
{
	return program_size_before(ORDERS, argc, argv);
}

static inline void *program_array(size_t count, size_t size)
{
	void *array = calloc(count, size);
	if (!array) {
		perror("calloc");
		exit(2);
	}
	return array;
}

/* Runs `first` with all its tasks. */
static inline void program_launch(snag_task_function *first)
{
	int result = snag_launch(first, NULL);
	if (result != 0) {
		fprintf(stderr, "snag_launch: %d\n", result);
		exit(2);
	}
}

/* What is left to do by a task of a loop: from <= i < to. */
struct program_range {
	int from, to;
};

/* Calls `body` with ranges that make up 0 <= i < count, each of `width` (the last may be
 * shorter) and each in a task; the innermost finish around the call waits for them. */
static inline void program_for(int count, int width, snag_task_function *body)
{
	for (int from = 0; from < count; from += width) {
		struct program_range range = {from, count - from < width ? count : from + width};
		snag_async_copy(body, &range, sizeof(range));
	}
}

/* OpenMP wants a task that sets a promise created before those that need it. */
#ifdef SNAG_TASK_OPENMP
enum { PROGRAM_IN_ORDER = true };
#else
enum { PROGRAM_IN_ORDER = false };
#endif

enum { PROGRAM_NEEDS = 8, PROGRAM_ARG = 48 };

struct program_after {
	snag_task_function *function;
	struct snag_promise *need[PROGRAM_NEEDS], *done;
	int needs;
	_Alignas(16) char arg[PROGRAM_ARG];
};

#ifndef SNAG_TASK_OPENMP
static inline void program_after_run(void *arg)
{
	struct program_after *after = (struct program_after *)arg;
	for (int i = 0; i < after->needs; i++)
		snag_promise_get(after->need[i]);
	after->function(after->arg);
	if (after->done)
		snag_promise_set(after->done, NULL);
}
#endif

/* A task that first gets the promises it needs, and at its end sets one, unless `done` is NULL.
 * The argument is copied. */
static inline void program_async_after(const struct program_after *after)
{
#ifdef SNAG_TASK_OPENMP
	snag_async_after_(after->function, after->arg, sizeof(after->arg), after->need,
			  after->needs, after->done);
#else
	snag_async_copy(program_after_run, after, sizeof(*after));
#endif
}

static inline void program_need(struct program_after *after, struct snag_promise *promise)
{
	if (promise)
		after->need[after->needs++] = promise;
}

static inline unsigned program_random(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* From 0 to 1. */
static inline double program_random_real(unsigned *state)
{
	return program_random(state) / 16777216.0;
}

/* n rows of n numbers, random from the seed on. */
static inline double *program_matrix(int n, unsigned seed)
{
	size_t count = (size_t)n * (size_t)n;
	double *matrix = (double *)program_array(count, sizeof(*matrix));
	for (size_t i = 0; i < count; i++)
		matrix[i] = program_random_real(&seed);
	return matrix;
}

/* C is A times B, as far as its rows' sums tell: matrices of n rows of n. */
static inline bool program_is_product(int n, const double *a, const double *b, const double *c)
{
	bool is_right = true;
	double *sums = (double *)program_array((size_t)n, sizeof(*sums));
	for (int k = 0; k < n; k++)
		for (int j = 0; j < n; j++)
			sums[k] += b[k * n + j];
	for (int i = 0; i < n; i++) {
		double expected = 0, found = 0;
		for (int k = 0; k < n; k++) {
			expected += a[i * n + k] * sums[k];
			found += c[i * n + k];
		}
		is_right &= fabs(found - expected) < 1e-9 * fabs(expected);
	}
	free(sums);
	return is_right;
}

static inline int program_end(bool is_right)
{
	puts(is_right ? "right" : "WRONG");
	return is_right ? 0 : 1;
}

#endif
