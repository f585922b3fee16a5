/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul_rows.c - two matrices multiplied, a task for each row: Matmul of the ESP-bags paper
 *
 * The product times a vector has to be what the factors make of it.
 *
 * Mistake: each task also writes the first element of the next row.
 */
#include "program.h"

static const int sizes[] = {32, 400, 1000};

static int n;
static double *a, *b, *c;

static void rows(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++) {
		for (int j = 0; j < n; j++) {
			double sum = 0;
			for (int k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
		if (MISTAKE && i + 1 < n)
			c[(i + 1) * n] = 0;
	}
}

static void first(void *arg)
{
	(void)arg;
	program_for(n, 1, rows);
}

int main(int argc, char **argv)
{
	n = sizes[program_size(argc, argv)];
	a = program_matrix(n, 1);
	b = program_matrix(n, 2);
	c = program_array((size_t)n * (size_t)n, sizeof(*c));
	program_launch(first);
	return program_end(program_is_product(n, a, b, c));
}
