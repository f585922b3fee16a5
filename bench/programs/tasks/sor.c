/* SPDX-License-Identifier: Apache-2.0
 *
 * sor.c - successive over-relaxation of a grid: SOR of the Java Grande suite
 *
 * The even rows, each in a task, then the odd rows, 100 times.  The same done without tasks has
 * to give the same grid.
 *
 * Mistake: the odd rows do not wait for the even ones.
 */
#include "program.h"

enum { ITERATIONS = 100 };
static const double OMEGA = 1.25;
static const int sizes[] = {16, 500, 2000};

static int n;
static double **grid;

static void relax(double **g, int row)
{
	double *mine = g[row], *above = g[row - 1], *below = g[row + 1];
	for (int j = 1; j < n - 1; j++)
		mine[j] = OMEGA / 4 * (above[j] + below[j] + mine[j - 1] + mine[j + 1]) +
			  (1.0 - OMEGA) * mine[j];
}

static void rows(void *arg)
{
	const struct program_range *range = arg;
	for (int row = range->from; row < range->to; row++)
		relax(grid, row);
}

static void half(int odd)
{
	for (int row = 1 + odd; row < n - 1; row += 2) {
		struct program_range range = {row, row + 1};
		snag_async_copy(rows, &range, sizeof(range));
	}
}

static void first(void *arg)
{
	(void)arg;
	for (int i = 0; i < ITERATIONS; i++) {
		snag_finish
		{
			half(0);
			if (!MISTAKE) {
				snag_finish_end();
				snag_finish_begin();
			}
			half(1);
		}
	}
}

static double **random_grid(void)
{
	double **g = program_array((size_t)n, sizeof(*g));
	unsigned random = 1;
	for (int i = 0; i < n; i++) {
		g[i] = program_array((size_t)n, sizeof(**g));
		for (int j = 0; j < n; j++)
			g[i][j] = program_random_real(&random) * 1e-6;
	}
	return g;
}

int main(int argc, char **argv)
{
	n = sizes[program_size(argc, argv)];
	grid = random_grid();
	program_launch(first);
	double **expected = random_grid();
	for (int i = 0; i < 2 * ITERATIONS; i++)
		for (int row = 1 + i % 2; row < n - 1; row += 2)
			relax(expected, row);
	bool is_right = true;
	for (int i = 0; i < n; i++)
		is_right &= memcmp(grid[i], expected[i], (size_t)n * sizeof(double)) == 0;
	return program_end(is_right);
}
