/* SPDX-License-Identifier: Apache-2.0
 *
 * stencil.c - the mean of four neighbours, again and again, with a barrier between steps
 *
 * Begins with a product of sines, of which a step is a multiple: that checks the result.
 */
#include "program.h"

#include <math.h>

enum { STEPS = 40 };

static double *grid[2];
static pthread_barrier_t barrier;

static void *rows(void *arg)
{
	int me = (int)(long)arg;
	for (int s = 0; s < STEPS; s++) {
		const double *from = grid[s % 2];
		double *to = grid[1 - s % 2];
		int end = 1 + program_share(n - 2, me + 1);
		for (int i = 1 + program_share(n - 2, me); i < end; i++)
			for (int j = 1; j < n - 1; j++)
				to[i * n + j] = (from[i * n + j - 1] + from[i * n + j + 1] +
						 from[(i - 1) * n + j] + from[(i + 1) * n + j]) /
						4;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	program_arguments(argc, argv, 1024);
	if (n < 3)
		return program_end(true);
	double *sine = program_array((size_t)n, sizeof(*sine));
	double factor = pow(cos(M_PI / (n - 1)), STEPS);
	for (int i = 0; i < n; i++)
		sine[i] = i < n - 1 ? sin(M_PI * i / (n - 1)) : 0;
	for (int g = 0; g < 2; g++)
		grid[g] = program_array((size_t)n * (size_t)n, sizeof(double));
	for (int i = 0; i < n * n; i++)
		grid[0][i] = sine[i / n] * sine[i % n];
	pthread_barrier_init(&barrier, NULL, (unsigned)nthreads);
	program_threads(rows);

	double error = 0;
	for (int i = 0; i < n * n; i++)
		error = fmax(error, fabs(grid[STEPS % 2][i] - factor * sine[i / n] * sine[i % n]));
	return program_end(error < 1e-9);
}
