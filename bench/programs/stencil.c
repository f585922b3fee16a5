/* SPDX-License-Identifier: Apache-2.0
 *
 * stencil.c - the mean of four neighbours, again and again, with a barrier between steps
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int n = 512, steps = 20, nthreads = 2;
static double *grid[2];
static pthread_barrier_t barrier;

static void *rows(void *arg)
{
	int me = (int)(long)arg;
	for (int s = 0; s < steps; s++) {
		double *from = grid[s % 2], *to = grid[1 - s % 2];
		for (int i = 1 + me * (n - 2) / nthreads; i < 1 + (me + 1) * (n - 2) / nthreads;
		     i++)
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
	pthread_t t[64];
	if (argc > 1)
		n = atoi(argv[1]);
	if (argc > 2)
		nthreads = atoi(argv[2]);
	for (int g = 0; g < 2; g++) {
		grid[g] = malloc(sizeof(double) * (size_t)(n * n));
		for (int i = 0; i < n * n; i++)
			grid[g][i] = i % 11;
	}
	pthread_barrier_init(&barrier, NULL, (unsigned)nthreads);
	for (long i = 0; i < nthreads; i++)
		pthread_create(&t[i], NULL, rows, (void *)i);
	for (int i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	printf("%f\n", grid[0][n * n / 2 + n / 2]);
	return 0;
}
