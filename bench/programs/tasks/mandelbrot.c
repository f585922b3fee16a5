/* SPDX-License-Identifier: Apache-2.0
 *
 * mandelbrot.c - the Mandelbrot set as a bitmap: Mandelbrot of the Computer Language Shootout
 *
 * 16 tasks, each with a range of rows. The area of the set is known, and the picture is the same
 * upside down.
 *
 * Mistake: eight dots are a byte, and tasks begin and end in the middle of bytes.
 */
#include "program.h"

enum { TASKS = 16, ITERATIONS = 50 };
static const int sizes[] = {68, 1004, 8004};

static int n;
static unsigned char *bitmap; /* without gaps between rows; n rows below are not kept */

static bool is_inside(double cr, double ci)
{
	double r = 0, i = 0;
	for (int k = 0; k < ITERATIONS; k++) {
		double rr = r * r, ii = i * i;
		if (rr + ii > 4)
			return false;
		i = 2 * r * i + ci;
		r = rr - ii + cr;
	}
	return true;
}

static void dots(long from, long to)
{
	for (long dot = from; dot < to; dot++) {
		double cr = 2.0 * (double)(dot % n) / n - 1.5;
		double ci = (2.0 * (double)(dot / n) + 1) / n - 1;
		if (is_inside(cr, ci))
			bitmap[dot / 8] |= (unsigned char)(128 >> dot % 8);
	}
}

static void rows(void *arg)
{
	const struct program_range *range = arg;
	long all = (long)n * n;
	long from = all * range->from / TASKS, to = all * range->to / TASKS;
	long unit = MISTAKE ? 1 : 8;
	dots(from / unit * unit, range->to == TASKS ? all : to / unit * unit);
}

static void first(void *arg)
{
	(void)arg;
	program_for(TASKS, 1, rows);
}

static int at(long x, long y)
{
	long dot = y * n + x;
	return bitmap[dot / 8] >> (7 - dot % 8) & 1;
}

int main(int argc, char **argv)
{
	n = sizes[program_size(argc, argv)];
	bitmap = program_array(((size_t)n * (size_t)n + 7) / 8, 1);
	program_launch(first);
	bool is_right = true;
	long set = 0;
	for (long y = 0; y < n; y++)
		for (long x = 0; x < n; x++) {
			set += at(x, y);
			is_right &= at(x, y) == at(x, n - 1 - y);
		}
	double area = 4.0 * (double)set / n / n;
	return program_end(is_right && area > 1.5 && area < 1.7);
}
