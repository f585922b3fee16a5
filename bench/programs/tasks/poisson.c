/* SPDX-License-Identifier: Apache-2.0
 *
 * poisson.c - the Poisson equation on a square by Jacobi's method: poisson of KASTORS
 *
 * Each iteration copies the grid and computes it anew, a task per block for each, 128 by 128 points
 * in 8192 by 8192, three times.  A copy waits for what the iteration before did to the block; a
 * computation for the copies of its block and its four neighbours, and also for those
 * tasks that still read what it writes. The same without tasks has to give the same grid.
 *
 * Mistake: a computation does not wait for the copy of the block to its right.
 */
#include "program.h"

enum { ITERATIONS = 3 };

static const struct size {
	int n, block;
} sizes[] = {{32, 8}, {1024, 128}, {8192, 128}, {2048, 128}};

static int n, m, across; /* points, of a block, blocks */
static double *grid, *copy;
static struct snag_promise *copied, *computed; /* by iteration and block */

static double right_side(int i, int j)
{
	double x = (double)i / (n - 1), y = (double)j / (n - 1);
	return M_PI * M_PI * (x * x + y * y) * sin(M_PI * x * y);
}

static void copy_block(int row, int column)
{
	for (int i = row * m; i < (row + 1) * m; i++)
		for (int j = column * m; j < (column + 1) * m; j++)
			copy[(long)i * n + j] = grid[(long)i * n + j];
}

static void compute_block(int row, int column)
{
	double square = 1.0 / (n - 1) / (n - 1);
	for (int i = row * m; i < (row + 1) * m; i++)
		for (int j = column * m; j < (column + 1) * m; j++) {
			long at = (long)i * n + j;
			if (i == 0 || j == 0 || i == n - 1 || j == n - 1)
				grid[at] = right_side(i, j);
			else
				grid[at] = 0.25 * (copy[at - n] + copy[at + n] + copy[at - 1] +
						   copy[at + 1] + square * right_side(i, j));
		}
}

struct work {
	int iteration, row, column;
};

static struct snag_promise *promise(struct snag_promise *all, const struct work *w, int iteration,
				    int below, int right)
{
	int row = w->row + below, column = w->column + right;
	if (iteration < 0 || row < 0 || column < 0 || row == across || column == across)
		return NULL;
	return &all[(iteration * across + row) * across + column];
}

static const int neighbour[5][2] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};

static void copy_task(void *arg)
{
	const struct work *w = arg;
	copy_block(w->row, w->column);
}

static void compute_task(void *arg)
{
	const struct work *w = arg;
	compute_block(w->row, w->column);
}

static void add_work(struct work w, bool is_copy)
{
	struct program_after after = {
		.function = is_copy ? copy_task : compute_task,
		.done = promise(is_copy ? copied : computed, &w, w.iteration, 0, 0)};
	memcpy(after.arg, &w, sizeof(w));
	for (int i = 0; i < (MISTAKE && !is_copy ? 4 : 5); i++)
		if (is_copy) /* they read the copy */
			program_need(&after, promise(computed, &w, w.iteration - 1, neighbour[i][0],
						     neighbour[i][1]));
		else
			program_need(&after, promise(copied, &w, w.iteration, neighbour[i][0],
						     neighbour[i][1]));
	program_async_after(&after);
}

static void first(void *arg)
{
	(void)arg;
	int count = ITERATIONS * across * across;
	copied = program_array((size_t)count, sizeof(*copied));
	computed = program_array((size_t)count, sizeof(*computed));
	for (int i = 0; i < count; i++) {
		snag_promise_init(&copied[i]);
		snag_promise_init(&computed[i]);
	}
	for (int t = 0; t < ITERATIONS; t++)
		for (int i = 0; i < 2 * across * across; i++) {
			int block = i % (across * across);
			add_work((struct work){t, block / across, block % across}, i == block);
		}
}

static void start(void)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			grid[(long)i * n + j] =
				i == 0 || j == 0 || i == n - 1 || j == n - 1 ? right_side(i, j) : 0;
}

int main(int argc, char **argv)
{
	struct size size = sizes[program_size_before(SIZES, argc, argv)];
	n = size.n;
	m = size.block;
	across = n / m;
	grid = program_array((size_t)n * (size_t)n, sizeof(*grid));
	copy = program_array((size_t)n * (size_t)n, sizeof(*copy));
	start();
	program_launch(first);
	double *found = grid;
	grid = program_array((size_t)n * (size_t)n, sizeof(*grid));
	start();
	for (int t = 0; t < ITERATIONS; t++) {
		memcpy(copy, grid, (size_t)n * (size_t)n * sizeof(*copy));
		for (int block = 0; block < across * across; block++)
			compute_block(block / across, block % across);
	}
	return program_end(memcmp(found, grid, (size_t)n * (size_t)n * sizeof(*grid)) == 0);
}
