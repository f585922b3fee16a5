/* SPDX-License-Identifier: Apache-2.0
 *
 * access.h - is this access ordered after all earlier conflicting ones?
 *
 * Idea.   Each variable has two frontiers: of the writes and of the reads.  A later access
 *         replaces an earlier one if it is ordered after it and conflicts with all that the
 *         earlier one conflicts with: a write replaces reads and writes, a read replaces reads.
 *         Any access that races with the replaced one also races with the replacement.  So no
 *         racy access is lost, also after races.
 *
 * Rules.  [read]   racy iff some write is not ordered before; then joins the reads
 *         [write]  racy iff some write or read is not ordered before; if none, it is all that is
 *                  left, otherwise it joins those that are not
 */
#ifndef SNAG_DETECT_ACCESS_H
#define SNAG_DETECT_ACCESS_H

#include "order/frontier.h"

struct snag_access_state {
	struct snag_frontier writes, reads;
};

/* Writes that were ordered after all earlier accesses: the last one, and two earlier ones, some
 * time apart.  Only racy accesses need it, so it is kept apart from the above. */
struct snag_access_past {
	struct snag_frontier settled[3];
};

enum { SNAG_SETTLED_APART = 4096 }; /* events; by then most threads have synchronised */

/* Records a write that was not racy. */
static inline void snag_access_settle(struct snag_access_past *past, uint32_t thread, uint32_t time)
{
	if (past->settled[0].time > past->settled[1].time + SNAG_SETTLED_APART) {
		past->settled[2] = past->settled[1];
		past->settled[1] = past->settled[0];
	}
	past->settled[0] = (struct snag_frontier){thread, time};
}

/* Both return whether the access is racy. */
static inline bool snag_access_read(struct snag_frontier_pool *pool, struct snag_access_state *x,
				    const struct snag_vclock *clock, uint32_t thread, uint32_t time)
{
	bool ordered = snag_frontier_before(pool, &x->writes, clock, thread);
	snag_frontier_add(pool, &x->reads, clock, thread, time);
	return !ordered;
}

static inline bool snag_access_write(struct snag_frontier_pool *pool, struct snag_access_state *x,
				     const struct snag_vclock *clock, uint32_t thread,
				     uint32_t time)
{
	if (__builtin_expect(snag_frontier_before(pool, &x->writes, clock, thread) &&
				     snag_frontier_before(pool, &x->reads, clock, thread),
			     1)) {
		snag_frontier_set(pool, &x->writes, thread, time);
		snag_frontier_set(pool, &x->reads, 0, 0);
		return false;
	}
	snag_frontier_prune(pool, &x->reads, clock, thread);
	snag_frontier_prune(pool, &x->writes, clock, thread);
	snag_frontier_add(pool, &x->writes, clock, thread, time);
	return true;
}

/* For a racy access: returns an event number before which no access races with it.  (It often
 * races with the last settled write; mostly the earlier ones are ordered before it.) */
static inline uint32_t snag_access_since(const struct snag_access_past *past,
					 const struct snag_vclock *clock, uint32_t thread)
{
	for (int i = 0; i < 3; i++)
		if (snag_frontier_one_before(&past->settled[i], clock, thread))
			return past->settled[i].time;
	return 0;
}

#endif
