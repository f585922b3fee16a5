/* SPDX-License-Identifier: Apache-2.0
 *
 * explore_digest.h - digests of states and computation graphs
 */
#ifndef SNAG_LANG_EXPLORE_DIGEST_H
#define SNAG_LANG_EXPLORE_DIGEST_H

#include "base/keyed.h"
#include "lang/explore_world.h"

/* A bijection of 64 bits in which every input bit reaches every output bit. */
static inline uint64_t digest_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Of an ordered pair. */
static inline uint64_t digest_pair(uint64_t a, uint64_t b)
{
	return digest_mix(digest_mix(a) * 3 + b);
}

/* Adds the task's next action to the digest of its graph, before it is done. */
void digest_action(struct world *w, struct world_task *t);

/* A set of digests; all 0: empty. */
struct digest_set {
	struct snag_keyed digests;
};

void digest_set_add(struct digest_set *set, uint64_t digest);
bool digest_set_has(const struct digest_set *set, uint64_t digest);
void digest_set_done(struct digest_set *set);

#endif
