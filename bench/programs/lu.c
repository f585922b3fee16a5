/* SPDX-License-Identifier: Apache-2.0
 *
 * lu.c - a matrix taken apart into a lower and an upper triangle, block by block, as Splash's LU
 *
 * In each step one thread does the block of the diagonal, then all do the blocks beside and
 * below it, then all do the rest; blocks belong to threads.  The product of the triangles with
 * a vector has to be that of the matrix.
 */
#include "program.h"

#include <math.h>

enum { BLOCK = 16 };

static double *a;
static pthread_barrier_t barrier;

static bool is_mine(int i, int j, int me)
{
	return (i / BLOCK + j / BLOCK) % nthreads == me;
}

static int block_end(int from)
{
	return from + BLOCK < n ? from + BLOCK : n;
}

static void diagonal(int k0)
{
	int end = block_end(k0);
	for (int k = k0; k < end; k++)
		for (int i = k + 1; i < end; i++) {
			double factor = a[i * n + k] /= a[k * n + k];
			for (int j = k + 1; j < end; j++)
				a[i * n + j] -= factor * a[k * n + j];
		}
}

/* A block beside the diagonal one: L^-1 times it. */
static void beside(int k0, int j0)
{
	for (int k = k0; k < block_end(k0); k++)
		for (int i = k + 1; i < block_end(k0); i++) {
			double factor = a[i * n + k];
			for (int j = j0; j < block_end(j0); j++)
				a[i * n + j] -= factor * a[k * n + j];
		}
}

/* A block below the diagonal one: it times U^-1. */
static void below(int k0, int i0)
{
	for (int i = i0; i < block_end(i0); i++)
		for (int k = k0; k < block_end(k0); k++) {
			double factor = a[i * n + k] /= a[k * n + k];
			for (int j = k + 1; j < block_end(k0); j++)
				a[i * n + j] -= factor * a[k * n + j];
		}
}

static void inside(int k0, int i0, int j0)
{
	for (int i = i0; i < block_end(i0); i++)
		for (int k = k0; k < block_end(k0); k++) {
			double factor = a[i * n + k];
			for (int j = j0; j < block_end(j0); j++)
				a[i * n + j] -= factor * a[k * n + j];
		}
}

static void *blocks(void *arg)
{
	int me = (int)(long)arg;
	for (int k0 = 0; k0 < n; k0 += BLOCK) {
		if (is_mine(k0, k0, me))
			diagonal(k0);
		pthread_barrier_wait(&barrier);
		for (int i = k0 + BLOCK; i < n; i += BLOCK) {
			if (is_mine(k0, i, me))
				beside(k0, i);
			if (is_mine(i, k0, me))
				below(k0, i);
		}
		pthread_barrier_wait(&barrier);
		for (int i = k0 + BLOCK; i < n; i += BLOCK)
			for (int j = k0 + BLOCK; j < n; j += BLOCK)
				if (is_mine(i, j, me))
					inside(k0, i, j);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* The product of the triangles with x, in two steps. */
static void triangles_apply(const double *x, double *ret_y)
{
	for (int i = 0; i < n; i++)
		for (int j = i; j < n; j++)
			ret_y[i] += a[i * n + j] * x[j];
	for (int i = n - 1; i >= 0; i--)
		for (int j = 0; j < i; j++)
			ret_y[i] += a[i * n + j] * ret_y[j];
}

int main(int argc, char **argv)
{
	program_arguments(argc, argv, 512);
	unsigned state = 1;
	a = program_array((size_t)n * (size_t)n, sizeof(*a));
	double *x = program_array(3 * (size_t)n, sizeof(*x)), *before = x + n, *after = before + n;
	for (int i = 0; i < n; i++)
		x[i] = i % 5 - 2;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			a[i * n + j] = program_random(&state) % 100 + (i == j ? 100.0 * n : 0);
			before[i] += a[i * n + j] * x[j];
		}
	pthread_barrier_init(&barrier, NULL, (unsigned)nthreads);
	program_threads(blocks);

	double error = 0;
	triangles_apply(x, after);
	for (int i = 0; i < n; i++)
		error = fmax(error, fabs(after[i] - before[i]));
	return program_end(error < 1e-6 * n);
}
