/* SPDX-License-Identifier: Apache-2.0
 *
 * openmp.c - tasks of OpenMP on three kernels, for comparison; see kernels.h
 *
 * $OMP_NUM_THREADS says how many threads.
 */
#include "kernels.h"

#include <omp.h>

static const char *runtime_name(void)
{
	return "openmp";
}

static int runtime_workers(void)
{
	return omp_get_max_threads();
}

static long fib(long n)
{
	if (n < 2)
		return n;
	long a, b;
#pragma omp task shared(a)
	a = fib(n - 1);
#pragma omp task shared(b)
	b = fib(n - 2);
#pragma omp taskwait
	return a + b;
}

static long run_fib(long n)
{
	long result = 0;
#pragma omp parallel
#pragma omp single
	result = fib(n);
	return result;
}

static long queens(const struct board *board)
{
	if (board->n == QUEENS)
		return 1;
	long counts[QUEENS] = {0}, result = 0;
	for (int c = 0; c < QUEENS; c++) {
		struct board next = *board;
		if (!board_add(&next, c))
			continue;
#pragma omp task shared(counts) firstprivate(next, c)
		counts[c] = queens(&next);
	}
#pragma omp taskwait
	for (int c = 0; c < QUEENS; c++)
		result += counts[c];
	return result;
}

static long run_queens(void)
{
	long result = 0;
#pragma omp parallel
#pragma omp single
	result = queens(&(struct board){0});
	return result;
}

static void sort(int *a, int *with, size_t n)
{
	if (n <= CUTOFF) {
		sort_serially(a, with, n);
		return;
	}
	size_t half = n / 2;
#pragma omp task
	sort(a, with, half);
#pragma omp task
	sort(a + half, with + half, n - half);
#pragma omp taskwait
	merge(a, with, half, n);
}

static void run_sort(int *a, int *with, size_t n)
{
#pragma omp parallel
#pragma omp single
	sort(a, with, n);
}
