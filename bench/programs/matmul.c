/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul.c - a product of two matrices, rows shared out among threads
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int n = 256, nthreads = 2;
static double *a, *b, *c;

static void *rows(void *arg)
{
	int me = (int)(long)arg;
	for (int i = me * n / nthreads; i < (me + 1) * n / nthreads; i++)
		for (int j = 0; j < n; j++) {
			double sum = 0;
			for (int k = 0; k < n; k++)
				sum += a[i * n + k] * b[k * n + j];
			c[i * n + j] = sum;
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
	a = malloc(sizeof(*a) * (size_t)(n * n));
	b = malloc(sizeof(*b) * (size_t)(n * n));
	c = malloc(sizeof(*c) * (size_t)(n * n));
	for (int i = 0; i < n * n; i++) {
		a[i] = i % 7;
		b[i] = i % 5;
	}
	for (long i = 0; i < nthreads; i++)
		pthread_create(&t[i], NULL, rows, (void *)i);
	for (int i = 0; i < nthreads; i++)
		pthread_join(t[i], NULL);
	double sum = 0;
	for (int i = 0; i < n * n; i++)
		sum += c[i];
	printf("%.0f\n", sum);
	return 0;
}
