/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul.c - a product of two matrices, rows shared out among threads
 *
 * Checked with a vector: (a b) x = a (b x), exact because all numbers are small integers.
 */
#include "program.h"

static double *a, *b, *c;

static void *rows(void *arg)
{
	int me = (int)(long)arg, end = program_share(n, me + 1);
	for (int i = program_share(n, me); i < end; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;
			for (int k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
		}
	return NULL;
}

static void apply(const double *matrix, const double *x, double *ret_y)
{
	for (int i = 0; i < n; i++) {
		ret_y[i] = 0;
		for (int j = 0; j < n; j++)
			ret_y[i] += matrix[i * n + j] * x[j];
	}
}

int main(int argc, char **argv)
{
	program_arguments(argc, argv, 400);
	size_t size = (size_t)n * (size_t)n;
	a = program_array(size, sizeof(*a));
	b = program_array(size, sizeof(*b));
	c = program_array(size, sizeof(*c));
	for (size_t i = 0; i < size; i++) {
		a[i] = (double)(i % 7);
		b[i] = (double)(i % 5);
	}
	program_threads(rows);

	double *x = program_array(4 * (size_t)n, sizeof(*x)), *bx = x + n, *abx = bx + n;
	double *cx = abx + n;
	for (int i = 0; i < n; i++)
		x[i] = i % 3;
	apply(b, x, bx);
	apply(a, bx, abx);
	apply(c, x, cx);
	bool is_right = true;
	for (int i = 0; i < n; i++)
		is_right = is_right && abx[i] == cx[i];
	return program_end(is_right);
}
