/* SPDX-License-Identifier: Apache-2.0
 *
 * lufact.c - linear equations by elimination with partial pivoting: LUFact of the Java Grande
 * suite
 *
 * In each step the pivot is sought and its column scaled, then every column to the right is
 * updated, each in a task.  Columns are arrays, as in the suite.  The solution has to
 * satisfy the equations.
 *
 * Mistake: the update begins before the pivot's column has been scaled.
 */
#include "program.h"

static const int sizes[] = {32, 1000, 2000};

static int n;
static double **column;
static int *pivot;

static int k; /* the step; changes only while no task runs */

static void scale(void *arg)
{
	(void)arg;
	for (int i = k + 1; i < n; i++)
		column[k][i] = -column[k][i] / column[k][k];
}

static void update(void *arg)
{
	const struct program_range *range = arg;
	const double *factor = column[k];
	for (int j = k + 1 + range->from; j < k + 1 + range->to; j++) {
		double *mine = column[j];
		double t = mine[pivot[k]];
		mine[pivot[k]] = mine[k];
		mine[k] = t;
		for (int i = k + 1; i < n; i++)
			mine[i] += t * factor[i];
	}
}

static void first(void *arg)
{
	(void)arg;
	for (k = 0; k < n - 1; k++) {
		int best = k;
		for (int i = k + 1; i < n; i++)
			if (fabs(column[k][i]) > fabs(column[k][best]))
				best = i;
		pivot[k] = best;
		double t = column[k][best];
		column[k][best] = column[k][k];
		column[k][k] = t;
		snag_finish
		{
			if (MISTAKE)
				snag_async(scale, NULL);
			else
				scale(NULL);
			program_for(n - k - 1, 1, update);
		}
	}
}

static void solve(double *x)
{
	for (int s = 0; s < n - 1; s++) {
		double t = x[pivot[s]];
		x[pivot[s]] = x[s];
		x[s] = t;
		for (int i = s + 1; i < n; i++)
			x[i] += t * column[s][i];
	}
	for (int s = n - 1; s >= 0; s--) {
		x[s] /= column[s][s];
		for (int i = 0; i < s; i++)
			x[i] -= x[s] * column[s][i];
	}
}

static double entry(unsigned *random)
{
	return program_random_real(random) - 0.5;
}

int main(int argc, char **argv)
{
	n = sizes[program_size(argc, argv)];
	column = program_array((size_t)n, sizeof(*column));
	pivot = program_array((size_t)n, sizeof(*pivot));
	double *x = program_array((size_t)n, sizeof(*x));
	unsigned random = 1;
	for (int j = 0; j < n; j++) {
		column[j] = program_array((size_t)n, sizeof(**column));
		for (int i = 0; i < n; i++)
			x[i] += column[j][i] = entry(&random);
	}
	program_launch(first);
	solve(x); /* the right side is the sum of each row, so that the solution is 1, 1, ... */
	bool is_right = true;
	for (int i = 0; i < n; i++)
		is_right &= fabs(x[i] - 1.0) < 1e-6;
	return program_end(is_right);
}
