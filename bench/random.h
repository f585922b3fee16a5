/* SPDX-License-Identifier: Apache-2.0
 *
 * random.h - random numbers for the trace generator: fast, and the same for a seed
 *
 * Reference.  Generator: Blackman and Vigna, "xoshiro256++".  Zipf: Walker's alias
 *             method (Vose, "A linear algorithm for generating random numbers with a
 *             given distribution", 1991): one number and one table look-up per draw.
 */
#ifndef SNAG_BENCH_RANDOM_H
#define SNAG_BENCH_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct snag_random {
	uint64_t s[4];
};

void snag_random_init(struct snag_random *r, uint64_t seed);

static inline uint64_t snag_random_next(struct snag_random *r)
{
	uint64_t *s = r->s;
	uint64_t sum = s[0] + s[3];
	uint64_t result = ((sum << 23) | (sum >> 41)) + s[0];
	uint64_t t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return result;
}

/* Uniform in 0 .. n - 1, n > 0; the bias of 1 in 2^32 / n does not matter here. */
static inline uint32_t snag_random_below(struct snag_random *r, uint32_t n)
{
	return (uint32_t)(((snag_random_next(r) >> 32) * n) >> 32);
}

/* A probability as a threshold on 32 bits, so that 0 never and 1 always happens. */
typedef uint64_t snag_chance;

static inline snag_chance snag_chance_of(double p)
{
	return (snag_chance)(p * 0x1p32);
}

static inline bool snag_random_hit(struct snag_random *r, snag_chance chance)
{
	return (snag_random_next(r) >> 32) < chance;
}

/* Draws k from 0 .. n - 1 with a probability proportional to 1 / (k + 1)^exponent. */
struct snag_zipf {
	uint32_t n;
	struct snag_zipf_cell *cell; /* n of them; NULL: uniform */
};

struct snag_zipf_cell {
	uint32_t keep;	/* of 2^32: how often a draw of this cell means its own number */
	uint32_t other; /* what it means otherwise */
};

void snag_zipf_init(struct snag_zipf *z, uint32_t n, double exponent); /* n > 0 */
void snag_zipf_done(struct snag_zipf *z);

static inline uint32_t snag_zipf_draw(const struct snag_zipf *z, struct snag_random *r)
{
	uint64_t bits = snag_random_next(r);
	uint32_t k = (uint32_t)(((bits >> 32) * z->n) >> 32);
	if (!z->cell)
		return k;
	return (uint32_t)bits < z->cell[k].keep ? k : z->cell[k].other;
}

#endif
