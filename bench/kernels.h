/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels.h - what parallel.c and openmp.c have in common: all but the tasks
 *
 * PROGRAM [-r REPETITIONS] [-C COMMIT]: one CSV line per kernel:
 *
 *   kernel       fib: 2.7 M tasks that do nothing; nqueens: 0.2 M tasks, each with a board of
 *                its own; sort: merge sort of 4 M numbers, 8 K tasks
 *   runtime      as given by the program
 *   workers      how many
 *   repetitions  how many runs
 *   median       of their elapsed seconds
 *   spread       slowest minus fastest, over the median
 *   cpu          median of their seconds of processor time
 *   commit       as given
 */
#ifndef SNAG_BENCH_KERNELS_H
#define SNAG_BENCH_KERNELS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIB = 30, FIB_RESULT = 832040, QUEENS = 11, QUEENS_RESULT = 2680 };
enum { NUMBERS = 4 << 20, CUTOFF = 1024, MAX_REPETITIONS = 99 };

struct board {
	int n;
	signed char column[QUEENS];
};

static bool board_add(struct board *board, int column) /* false: it is attacked */
{
	for (int i = 0; i < board->n; i++) {
		int across = board->column[i] - column;
		if (across == 0 || abs(across) == board->n - i)
			return false;
	}
	board->column[board->n++] = (signed char)column;
	return true;
}

static void insertion_sort(int *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int x = a[i];
		size_t j = i;
		for (; j > 0 && a[j - 1] > x; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

static void merge(int *a, int *scratch, size_t half, size_t n)
{
	size_t i = 0, j = half, k = 0;
	memcpy(scratch, a, half * sizeof(int));
	while (i < half)
		a[k++] = j < n && a[j] < scratch[i] ? a[j++] : scratch[i++];
}

static void sort_serially(int *a, int *scratch, size_t n)
{
	if (n <= 32) {
		insertion_sort(a, n);
		return;
	}
	sort_serially(a, scratch, n / 2);
	sort_serially(a + n / 2, scratch, n - n / 2);
	merge(a, scratch, n / 2, n);
}

/* By the runtime. */
static const char *runtime_name(void);
static int runtime_workers(void);
static long run_fib(long n);
static long run_queens(void);
static void run_sort(int *numbers, int *scratch, size_t n);

static int numbers[NUMBERS], scratch[NUMBERS];

static bool kernel_run(int kernel) /* whether the result is right */
{
	if (kernel == 0)
		return run_fib(FIB) == FIB_RESULT;
	if (kernel == 1)
		return run_queens() == QUEENS_RESULT;
	run_sort(numbers, scratch, NUMBERS);
	for (size_t i = 1; i < NUMBERS; i++)
		if (numbers[i - 1] > numbers[i])
			return false;
	return true;
}

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_seconds(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"fib", "nqueens", "sort"};
	int repetitions = 3, option;
	const char *commit = "unknown";
	while ((option = getopt(argc, argv, "r:C:")) != -1) {
		if (option == 'r')
			repetitions = atoi(optarg);
		else if (option == 'C')
			commit = optarg;
	}
	if (repetitions < 1 || repetitions > MAX_REPETITIONS)
		return 2;
	for (int kernel = 0; kernel < 3; kernel++) {
		double took[MAX_REPETITIONS], cpu[MAX_REPETITIONS];
		for (int i = 0; i < repetitions; i++) {
			for (unsigned k = 0; k < NUMBERS; k++)
				numbers[k] = (int)(k * 2654435761u >> 2);
			double start = seconds(CLOCK_MONOTONIC);
			double cpu_start = seconds(CLOCK_PROCESS_CPUTIME_ID);
			bool is_right = kernel_run(kernel);
			took[i] = seconds(CLOCK_MONOTONIC) - start;
			cpu[i] = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
			if (!is_right) {
				fprintf(stderr, "%s: wrong result\n", names[kernel]);
				return 1;
			}
		}
		qsort(took, (size_t)repetitions, sizeof(*took), compare_seconds);
		qsort(cpu, (size_t)repetitions, sizeof(*cpu), compare_seconds);
		double median = took[repetitions / 2];
		printf("%s,%s,%d,%d,%.4f,%.2f,%.4f,%s\n", names[kernel], runtime_name(),
		       runtime_workers(), repetitions, median,
		       (took[repetitions - 1] - took[0]) / median, cpu[repetitions / 2], commit);
	}
	return 0;
}

#endif
