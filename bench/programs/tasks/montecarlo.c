/* SPDX-License-Identifier: Apache-2.0
 *
 * montecarlo.c - the price of a share, simulated: MonteCarlo of the Java Grande suite
 *
 * Random walks with drift and volatility, each with a generator and memory of its own, in five
 * loops with a task per walk: seeds, paths, returns, their squares, results. Their mean has to be
 * what the formula says.
 *
 * Mistake: the sum of all returns is kept by the tasks.
 */
#include "program.h"

enum { TIMES = 100 };
static const int sizes[] = {100, 30000, 60000};
static const double DRIFT = 0.05, VOLATILITY = 0.2;

struct walk {
	unsigned seed;
	double path[TIMES];
	double yield, square, result;
};

static int n;
static struct walk **walks;
static double total;

static double normal(unsigned *random) /* by the method of Box and Muller */
{
	double u = program_random_real(random), v = program_random_real(random);
	return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

static void seed(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++) {
		walks[i] = program_array(1, sizeof(**walks));
		walks[i]->seed = (unsigned)i * 2654435761u + 12345;
	}
}

static void simulate(void *arg)
{
	const struct program_range *range = arg;
	double dt = 1.0 / TIMES;
	for (int i = range->from; i < range->to; i++) {
		struct walk *walk = walks[i];
		double price = 1;
		for (int t = 0; t < TIMES; t++) {
			price *= exp((DRIFT - VOLATILITY * VOLATILITY / 2) * dt +
				     VOLATILITY * sqrt(dt) * normal(&walk->seed));
			walk->path[t] = price;
		}
	}
}

static void yields(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++) {
		double sum = log(walks[i]->path[0]);
		for (int t = 1; t < TIMES; t++)
			sum += log(walks[i]->path[t] / walks[i]->path[t - 1]);
		walks[i]->yield = sum;
	}
}

static void squares(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++)
		walks[i]->square = walks[i]->yield * walks[i]->yield;
}

static void results(void *arg)
{
	const struct program_range *range = arg;
	for (int i = range->from; i < range->to; i++) {
		walks[i]->result = walks[i]->path[TIMES - 1];
		if (MISTAKE)
			total += walks[i]->yield;
	}
}

static void first(void *arg)
{
	(void)arg;
	snag_task_function *const loops[] = {seed, simulate, yields, squares, results};
	for (int i = 0; i < 5; i++) {
		snag_finish_begin();
		program_for(n, 1, loops[i]);
		snag_finish_end();
	}
}

int main(int argc, char **argv)
{
	n = sizes[program_size(argc, argv)];
	walks = program_array((size_t)n, sizeof(*walks));
	program_launch(first);
	double mean = 0, square = 0;
	for (int i = 0; i < n; i++) {
		mean += walks[i]->yield / n;
		square += walks[i]->square / n;
	}
	double allowed = 6 * VOLATILITY / sqrt(n);
	return program_end(fabs(mean - (DRIFT - VOLATILITY * VOLATILITY / 2)) < allowed &&
			   fabs(sqrt(square - mean * mean) - VOLATILITY) < allowed);
}
