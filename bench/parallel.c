/* SPDX-License-Identifier: Apache-2.0
 *
 * parallel.c - the parallel runtime of <snag/task.h> on three kernels; see kernels.h
 *
 * $SNAG_WORKERS says how many workers.
 */
#include "kernels.h"

#include <snag/task.h>

static unsigned workers;

static const char *runtime_name(void)
{
	return "snag";
}

static int runtime_workers(void)
{
	return (int)workers;
}

struct fib {
	long n, result;
};

static void fib(void *arg)
{
	struct fib *f = arg;
	if (f->n < 2) {
		f->result = f->n;
		return;
	}
	struct fib a = {.n = f->n - 1}, b = {.n = f->n - 2};
	snag_spawn(fib, &a);
	snag_spawn(fib, &b);
	snag_sync();
	f->result = a.result + b.result;
}

static void fib_first(void *arg)
{
	workers = snag_workers();
	fib(arg);
}

static long run_fib(long n)
{
	struct fib f = {.n = n};
	snag_launch(fib_first, &f);
	return f.result;
}

struct queens {
	struct board board;
	long *result;
};

static void queens(void *arg)
{
	const struct queens *q = arg;
	if (q->board.n == QUEENS) {
		*q->result = 1;
		return;
	}
	long counts[QUEENS] = {0};
	for (int c = 0; c < QUEENS; c++) {
		struct queens next = {.board = q->board, .result = &counts[c]};
		if (board_add(&next.board, c))
			snag_spawn_copy(queens, &next, sizeof(next));
	}
	snag_sync();
	*q->result = 0;
	for (int c = 0; c < QUEENS; c++)
		*q->result += counts[c];
}

static long run_queens(void)
{
	long result = 0;
	struct queens q = {.result = &result};
	snag_launch(queens, &q);
	return result;
}

struct part {
	int *a, *scratch;
	size_t n;
};

static void sort(void *arg)
{
	const struct part *p = arg;
	if (p->n <= CUTOFF) {
		sort_serially(p->a, p->scratch, p->n);
		return;
	}
	size_t half = p->n / 2;
	struct part low = {p->a, p->scratch, half};
	struct part high = {p->a + half, p->scratch + half, p->n - half};
	snag_spawn(sort, &low);
	snag_spawn(sort, &high);
	snag_sync();
	merge(p->a, p->scratch, half, p->n);
}

static void run_sort(int *a, int *with, size_t n)
{
	struct part all = {a, with, n};
	snag_launch(sort, &all);
}
