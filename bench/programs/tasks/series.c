/* SPDX-License-Identifier: Apache-2.0
 *
 * series.c - the first Fourier coefficients of (x+1)^x on [0,2]: Series of the Java Grande suite
 *
 * One task per pair of coefficients, each an integral by the trapezoid rule with 1000 steps. The
 * first ones are known (with 200,000 steps); the others have to be small and fall.
 *
 * Mistake: all tasks use one variable for the sum.
 */
#include "program.h"

enum { STEPS = 1000 };
static const int sizes[] = {100, 10000, 1000000};

static int n;
static double *a, *b;
static double shared_sum;

static double integral(double omega, bool sine)
{
	double own, *sum = MISTAKE ? &shared_sum : &own;
	double step = 2.0 / STEPS;
	*sum = sine ? 4.5 * sin(2 * omega) : 0.5 + 4.5 * cos(2 * omega);
	for (int i = 1; i < STEPS; i++) {
		double x = i * step;
		*sum += pow(x + 1.0, x) * (sine ? sin(omega * x) : cos(omega * x));
	}
	return *sum * step;
}

static void coefficients(void *arg)
{
	const struct program_range *range = arg;
	double omega = M_PI;
	for (int i = range->from; i < range->to; i++) {
		a[i] = integral(omega * i, false) * (i == 0 ? 0.5 : 1.0);
		b[i] = i == 0 ? 0.0 : integral(omega * i, true);
	}
}

static void first(void *arg)
{
	(void)arg;
	program_for(n, 1, coefficients);
}

int main(int argc, char **argv)
{
	static const double known_a[] = {2.881918, 1.134036, 0.362220, 0.170317};
	static const double known_b[] = {0.000000, -1.882090, -1.164806, -0.814709};
	n = sizes[program_size(argc, argv)];
	a = program_array((size_t)n, sizeof(*a));
	b = program_array((size_t)n, sizeof(*b));
	program_launch(first);
	bool is_right = true;
	for (int i = 0; i < 4; i++)
		is_right &= fabs(a[i] - known_a[i]) < 1e-4 && fabs(b[i] - known_b[i]) < 1e-4;
	for (int i = 4; i < n && i < STEPS / 4; i++)
		is_right &= fabs(b[i]) < fabs(b[i - 1]) && fabs(a[i]) < known_a[3];
	return program_end(is_right);
}
