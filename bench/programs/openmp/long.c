/* SPDX-License-Identifier: Apache-2.0
 *
 * long.c - long loops of OpenMP: long KIND MILLIONS
 *
 * KIND is what: `touch` iterations that read and write elements of their own, `silent` ones that touch nothing
 * shared, `triangle` bounds that depend on each other, `tasks` a taskloop, `sums` short loops again and again, with
 * reductions, `kept` likewise, static ones without a barrier in between.
 */
#include <stdlib.h>
#include <string.h>

enum { SHORT = 10000 };

static double *a, *b, sum;

static void touch(long n)
{
#pragma omp parallel for
	for (long i = 0; i < n; i++)
		a[i] = b[i] * 2;
}

static void silent(long n)
{
#pragma omp parallel for reduction(+ : sum)
	for (long i = 0; i < n; i++)
		sum += (double)i * 0.5;
}

static void triangle(long n)
{
	long side = 1;
	while (side * (side + 1) / 2 < n)
		side++;
#pragma omp parallel for collapse(2)
	for (long i = 0; i < side; i++)
		for (long j = 0; j <= i; j++)
			a[i * (i + 1) / 2 + j] = 1;
}

static void tasks(long n)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(100)
	for (long i = 0; i < n; i++)
		a[i] = 1;
}

static void sums(long n)
{
	for (long r = 0; r < n / (2 * SHORT); r++) {
#pragma omp parallel for reduction(+ : sum)
		for (long i = 0; i < SHORT; i++)
			sum += a[i];
#pragma omp parallel for
		for (long i = 0; i < SHORT; i++)
			a[i] += 1;
	}
}

static void kept(long n)
{
	for (long r = 0; r < n / (2 * SHORT); r++) {
#pragma omp parallel
		{
#pragma omp for schedule(static) nowait
			for (long i = 0; i < SHORT; i++)
				a[i] += 1;
#pragma omp for schedule(static) nowait
			for (long i = 0; i < SHORT; i++)
				b[i] = a[i];
		}
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(long n);
	} kinds[] = {{"touch", touch}, {"silent", silent}, {"triangle", triangle},
		     {"tasks", tasks}, {"sums", sums},	   {"kept", kept}};
	long n = argc > 2 ? atol(argv[2]) * 1000000 : 0;
	if (n <= 0)
		return 2;
	a = calloc((size_t)n + SHORT + 100000, sizeof(*a));
	b = calloc((size_t)n + SHORT, sizeof(*b));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			kinds[i].run(n);
	return sum < 0;
}
