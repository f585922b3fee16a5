/* SPDX-License-Identifier: Apache-2.0
 *
 * sparselu.c - a sparse matrix of blocks taken apart into triangles: sparselu of KASTORS
 *
 * 128 by 128 blocks of 32 by 32, many of them empty. Tasks as there: the block of the diagonal, those
 * beside and below it, and all those whose product is not empty. Where KASTORS has
 * depend clauses, each task has a promise, and waits for those of the last tasks that wrote what
 * it uses.  The triangles times a vector have to be the matrix times it.
 *
 * Mistake: an inner block does not wait for the block above it.
 */
#include "program.h"

static const struct size {
	int n, block;
} sizes[] = {{8, 4}, {32, 32}, {128, 32}, {32, 8}};

static int n, m;
static double **blocks;		      /* NULL: empty */
static struct snag_promise **written; /* by the last task that writes the block; NULL: by none */

static bool is_filled_at_first(int i, int j) /* as in BOTS */
{
	if (i < j && i % 3 != 0)
		return false;
	if (i > j && j % 3 != 0)
		return false;
	if (i % 2 == 1 || j % 2 == 1)
		return i == j || i == j + 1 || i + 1 == j;
	return true;
}

static void diagonal(double *d)
{
	for (int k = 0; k < m; k++)
		for (int i = k + 1; i < m; i++) {
			d[i * m + k] /= d[k * m + k];
			for (int j = k + 1; j < m; j++)
				d[i * m + j] -= d[i * m + k] * d[k * m + j];
		}
}

static void beside(const double *d, double *x)
{
	for (int k = 0; k < m; k++)
		for (int i = k + 1; i < m; i++)
			for (int j = 0; j < m; j++)
				x[i * m + j] -= d[i * m + k] * x[k * m + j];
}

static void below(const double *d, double *x)
{
	for (int i = 0; i < m; i++)
		for (int k = 0; k < m; k++) {
			x[i * m + k] /= d[k * m + k];
			for (int j = k + 1; j < m; j++)
				x[i * m + j] -= x[i * m + k] * d[k * m + j];
		}
}

static void inner(const double *left, const double *above, double *x)
{
	for (int i = 0; i < m; i++)
		for (int j = 0; j < m; j++) {
			double sum = x[i * m + j];
			for (int k = 0; k < m; k++)
				sum -= left[i * m + k] * above[k * m + j];
			x[i * m + j] = sum;
		}
}

struct work {
	int k, i, j; /* the step, and the block to be written */
};

static void work(void *arg)
{
	const struct work *w = arg;
	double *x = blocks[w->i * n + w->j];
	if (w->i == w->k && w->j == w->k)
		diagonal(x);
	else if (w->i == w->k)
		beside(blocks[w->k * n + w->k], x);
	else if (w->j == w->k)
		below(blocks[w->k * n + w->k], x);
	else
		inner(blocks[w->i * n + w->k], blocks[w->k * n + w->j], x);
}

static double *new_block(void)
{
	return program_array((size_t)m * (size_t)m, sizeof(double));
}

static void add_work(int k, int i, int j)
{
	int at = i * n + j;
	bool is_inner = i > k && j > k;
	if (!blocks[at])
		blocks[at] = new_block();
	struct work w = {k, i, j};
	struct program_after after = {.function = work, .done = snag_promise_new()};
	memcpy(after.arg, &w, sizeof(w));
	program_need(&after, written[at]);
	if (j > k)
		program_need(&after, written[i * n + k]);
	if (i > k && !(MISTAKE && is_inner))
		program_need(&after, written[k * n + j]);
	written[at] = after.done; /* the one before is not freed: tasks may wait for it */
	program_async_after(&after);
}

static void first(void *arg)
{
	(void)arg;
	for (int k = 0; k < n; k++) {
		add_work(k, k, k);
		for (int j = k + 1; j < n; j++)
			if (blocks[k * n + j])
				add_work(k, k, j);
		for (int i = k + 1; i < n; i++)
			if (blocks[i * n + k])
				add_work(k, i, k);
		for (int i = k + 1; i < n; i++)
			for (int j = k + 1; blocks[i * n + k] && j < n; j++)
				if (blocks[k * n + j])
					add_work(k, i, j);
	}
}

/* y = the matrix times x; of the triangles only `lower` or upper. */
enum part { WHOLE, LOWER, UPPER };

static double element(int row, int column, enum part part)
{
	const double *block = blocks[row / m * n + column / m];
	if (part == LOWER && row == column)
		return 1;
	if (!block || (part == LOWER && column > row) || (part == UPPER && column < row))
		return 0;
	return block[row % m * m + column % m];
}

static double *times(const double *x, enum part part)
{
	double *y = program_array((size_t)(n * m), sizeof(*y));
	for (int row = 0; row < n * m; row++)
		for (int column = 0; column < n * m; column++)
			y[row] += element(row, column, part) * x[column];
	return y;
}

int main(int argc, char **argv)
{
	struct size size = sizes[program_size_before(SIZES, argc, argv)];
	n = size.n;
	m = size.block;
	blocks = program_array((size_t)(n * n), sizeof(*blocks));
	written = program_array((size_t)(n * n), sizeof(*written));
	unsigned random = 1325;
	for (int at = 0; at < n * n; at++) {
		if (!is_filled_at_first(at / n, at % n))
			continue;
		blocks[at] = new_block();
		for (int i = 0; i < m * m; i++)
			blocks[at][i] = program_random_real(&random) - 0.5;
		for (int i = 0; at / n == at % n && i < m; i++)
			blocks[at][i * m + i] += n * m; /* needs no pivots */
	}
	double *x = program_array((size_t)(n * m), sizeof(*x));
	for (int i = 0; i < n * m; i++)
		x[i] = program_random_real(&random);
	double *expected = times(x, WHOLE);
	program_launch(first);
	double *found = times(times(x, UPPER), LOWER);
	bool is_right = true;
	for (int i = 0; i < n * m; i++)
		is_right &= fabs(found[i] - expected[i]) < 1e-9 * n * m;
	return program_end(is_right);
}
