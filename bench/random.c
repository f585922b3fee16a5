/* SPDX-License-Identifier: Apache-2.0
 *
 * random.c - seeding, and the tables of the alias method
 */
#include "bench/random.h"

#include <math.h>
#include <stddef.h>

#include "base/memory.h"

void snag_random_init(struct snag_random *r, uint64_t seed)
{
	/* splitmix64, which the authors of xoshiro advise for seeding */
	for (int i = 0; i < 4; i++) {
		uint64_t z = (seed += 0x9e3779b97f4a7c15);
		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
		z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
		r->s[i] = z ^ (z >> 31);
	}
}

static uint32_t keep_of(double weight)
{
	double keep = weight * 0x1p32;
	return keep >= 0x1p32 ? UINT32_MAX : (uint32_t)keep;
}

/* Weights have the mean 1.  Each cell below 1 is filled up by one above it; both
 * kinds are kept as stacks that grow from the two ends of one array. */
static void alias_build(struct snag_zipf_cell *cell, double *weight, uint32_t n)
{
	uint32_t *stack = snag_calloc(n, sizeof(*stack));
	uint32_t nsmall = 0, nlarge = 0;
	for (uint32_t k = 0; k < n; k++)
		stack[weight[k] < 1 ? nsmall++ : n - ++nlarge] = k;
	while (nsmall && nlarge) {
		uint32_t small = stack[--nsmall], large = stack[n - nlarge];
		cell[small] =
			(struct snag_zipf_cell){.keep = keep_of(weight[small]), .other = large};
		weight[large] -= 1 - weight[small];
		if (weight[large] < 1) {
			nlarge--;
			stack[nsmall++] = large;
		}
	}
	/* What rounding leaves over has the weight 1. */
	for (; nsmall; nsmall--)
		cell[stack[nsmall - 1]] = (struct snag_zipf_cell){UINT32_MAX, stack[nsmall - 1]};
	for (; nlarge; nlarge--)
		cell[stack[n - nlarge]] = (struct snag_zipf_cell){UINT32_MAX, stack[n - nlarge]};
	free(stack);
}

void snag_zipf_init(struct snag_zipf *z, uint32_t n, double exponent)
{
	*z = (struct snag_zipf){.n = n};
	if (exponent == 0)
		return;
	double *weight = snag_calloc(n, sizeof(*weight)), sum = 0;
	for (uint32_t k = 0; k < n; k++)
		sum += weight[k] = pow(k + 1.0, -exponent);
	for (uint32_t k = 0; k < n; k++)
		weight[k] *= n / sum;
	z->cell = snag_calloc(n, sizeof(*z->cell));
	alias_build(z->cell, weight, n);
	free(weight);
}

void snag_zipf_done(struct snag_zipf *z)
{
	free(z->cell);
	z->cell = NULL;
}
