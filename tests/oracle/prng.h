/* SPDX-License-Identifier: Apache-2.0
 *
 * prng.h - small, reproducible random numbers (splitmix64)
 */
#ifndef ORACLE_PRNG_H
#define ORACLE_PRNG_H

#include <stdbool.h>
#include <stdint.h>

struct prng {
	uint64_t state;
};

static inline uint64_t prng_next(struct prng *p)
{
	uint64_t z = p->state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static inline unsigned prng_below(struct prng *p, unsigned n) /* n > 0 */
{
	return (unsigned)((prng_next(p) >> 32) * n >> 32);
}

static inline unsigned prng_range(struct prng *p, unsigned low, unsigned high) /* both included */
{
	return low + prng_below(p, high - low + 1);
}

static inline bool prng_chance(struct prng *p, unsigned percent)
{
	return prng_below(p, 100) < percent;
}

#endif
