/* SPDX-License-Identifier: Apache-2.0
 *
 * fft.c - a Fourier transform in six steps, as Splash's FFT: a matrix of SIZE times SIZE points
 *
 * Transpose, transform the rows, multiply by the roots of unity, transpose, transform the
 * rows, transpose; threads share out the rows, with barriers between.  Forth and back again
 * gives what was there before, times the number of points.
 */
#include "program.h"

#include <math.h>

struct complex {
	double re, im;
};

static struct complex *points, *other, *root; /* root[k] of n * n, one turn */
static pthread_barrier_t barrier;

static struct complex times(struct complex a, struct complex b)
{
	return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void transpose(const struct complex *from, struct complex *to, int first, int end)
{
	enum { BLOCK = 8 };
	for (int i0 = first; i0 < end; i0 += BLOCK)
		for (int j0 = 0; j0 < n; j0 += BLOCK)
			for (int i = i0; i < i0 + BLOCK && i < end; i++)
				for (int j = j0; j < j0 + BLOCK && j < n; j++)
					to[i * n + j] = from[j * n + i];
	pthread_barrier_wait(&barrier);
}

static void swap_bits(struct complex *row)
{
	for (int i = 1, j = 0; i < n; i++) {
		int bit = n / 2;
		for (; j & bit; bit /= 2)
			j ^= bit;
		j |= bit;
		if (i < j) {
			struct complex t = row[i];
			row[i] = row[j];
			row[j] = t;
		}
	}
}

/* The root of unity number k of n * n, or its inverse. */
static struct complex root_of(int k, bool is_back)
{
	struct complex w = root[k];
	w.im = is_back ? -w.im : w.im;
	return w;
}

static void row_transform(struct complex *row, bool is_back)
{
	swap_bits(row);
	for (int half = 1; half < n; half *= 2)
		for (int k = 0; k < half; k++) {
			struct complex w = root_of(k * (n / (2 * half)) * n, is_back);
			for (int i = k; i < n; i += 2 * half) {
				struct complex t = times(w, row[i + half]);
				struct complex s = row[i];
				row[i + half] = (struct complex){s.re - t.re, s.im - t.im};
				row[i] = (struct complex){s.re + t.re, s.im + t.im};
			}
		}
}

static void transform(bool is_back, int first, int end)
{
	transpose(points, other, first, end);
	for (int i = first; i < end; i++) {
		row_transform(&other[i * n], is_back);
		for (int j = 0; j < n; j++)
			other[i * n + j] = times(other[i * n + j], root_of(i * j, is_back));
	}
	pthread_barrier_wait(&barrier);
	transpose(other, points, first, end);
	for (int i = first; i < end; i++)
		row_transform(&points[i * n], is_back);
	pthread_barrier_wait(&barrier);
	transpose(points, other, first, end);
	for (int i = first * n; i < end * n; i++)
		points[i] = other[i];
	pthread_barrier_wait(&barrier);
}

static void *rows(void *arg)
{
	int me = (int)(long)arg;
	transform(false, program_share(n, me), program_share(n, me + 1));
	transform(true, program_share(n, me), program_share(n, me + 1));
	return NULL;
}

int main(int argc, char **argv)
{
	program_arguments(argc, argv, 512);
	if (n & (n - 1))
		return fprintf(stderr, "fft: the size is a power of two\n"), 2;
	int size = n * n;
	points = program_array((size_t)size, sizeof(*points));
	other = program_array((size_t)size, sizeof(*other));
	root = program_array((size_t)size, sizeof(*root));
	for (int i = 0; i < size; i++) {
		points[i] = (struct complex){i % 17, i % 13};
		root[i].re = cos(2 * M_PI * i / size);
		root[i].im = -sin(2 * M_PI * i / size);
	}
	pthread_barrier_init(&barrier, NULL, (unsigned)nthreads);
	program_threads(rows);

	double error = 0;
	for (int i = 0; i < size; i++) {
		error = fmax(error, fabs(points[i].re / size - i % 17));
		error = fmax(error, fabs(points[i].im / size - i % 13));
	}
	return program_end(error < 1e-9);
}
