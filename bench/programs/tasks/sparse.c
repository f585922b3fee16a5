/* SPDX-License-Identifier: Apache-2.0
 *
 * sparse.c - a sparse matrix times a vector, 200 times: SparseMatmult of the Java Grande suite
 *
 * The matrix is a list of entries; 64 tasks, each for a range of rows, whose entries it has got by
 * sorting them.  The same done without tasks has to give the same.
 *
 * Mistake: the entries are divided by number, so that a row may belong to two tasks.
 */
#include "program.h"

enum { TASKS = 64, ITERATIONS = 200 };
static const int sizes[] = {320, 20000, 500000};

static int n, entries, iterations;
static int *row, *column;
static double *value, *x, *y;
static int from_entry[TASKS + 1];

static void multiply(void *arg)
{
	const struct program_range *range = arg;
	for (int repeat = 0; repeat < iterations; repeat++)
		for (int e = from_entry[range->from]; e < from_entry[range->to]; e++)
			y[row[e]] += x[column[e]] * value[e];
}

static void first(void *arg)
{
	(void)arg;
	program_for(TASKS, 1, multiply);
}

static void divide(void)
{
	for (int task = 0; task <= TASKS; task++) {
		int e = (int)((long)entries * task / TASKS);
		while (!MISTAKE && e > 0 && e < entries && row[e] == row[e - 1])
			e++;
		from_entry[task] = e;
	}
}

int main(int argc, char **argv)
{
	enum program_size size = program_size(argc, argv);
	n = sizes[size];
	entries = 5 * n;
	iterations = size == SMALL ? 2 : ITERATIONS;
	row = program_array((size_t)entries, sizeof(*row));
	column = program_array((size_t)entries, sizeof(*column));
	value = program_array((size_t)entries, sizeof(*value));
	x = program_array((size_t)n, sizeof(*x));
	y = program_array((size_t)n, sizeof(*y));
	unsigned random = 1;
	for (int i = 0; i < n; i++)
		x[i] = program_random_real(&random);
	for (int e = 0; e < entries; e++) {
		row[e] = (e + (int)(program_random(&random) % 4)) / 5 % n;
		if (e > 0 && row[e] < row[e - 1])
			row[e] = row[e - 1];
		column[e] = (int)(program_random(&random) % (unsigned)n);
		value[e] = program_random_real(&random);
	}
	divide();
	program_launch(first);
	double *expected = program_array((size_t)n, sizeof(*expected));
	for (int repeat = 0; repeat < iterations; repeat++)
		for (int e = 0; e < entries; e++)
			expected[row[e]] += x[column[e]] * value[e];
	return program_end(memcmp(y, expected, (size_t)n * sizeof(*y)) == 0);
}
