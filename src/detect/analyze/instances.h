/* SPDX-License-Identifier: Apache-2.0
 *
 * instances.h - the nearest pairs of events of each race of two locations
 *
 * Idea.   A race of two locations stands for many pairs of events and shows one of them.  If the
 *         trace is too long to decide pairs in memory, the shown one may lie in no window
 *         (window_pairs.h).  So the nearest ones are kept, too.
 * Cost.   36 bytes for each race.
 */
#ifndef SNAG_DETECT_INSTANCES_H
#define SNAG_DETECT_INSTANCES_H

#include <stddef.h>
#include <stdint.h>

enum { SNAG_INSTANCES = 4 };

struct snag_instances { /* all 0: empty */
	struct snag_nearest {
		uint32_t n;
		struct {
			uint32_t first, second;
		} at[SNAG_INSTANCES]; /* in any order */
	} * nearest;		      /* by number of the race */
	size_t n, cap;
};

/* Keeps a pair of the race if it is one of the nearest. */
void snag_instances_add(struct snag_instances *in, size_t race, uint32_t first, uint32_t second);
void snag_instances_done(struct snag_instances *in);

/* NULL: the race has none. */
static inline const struct snag_nearest *snag_instances_of(const struct snag_instances *in,
							   size_t race)
{
	return race < in->n ? &in->nearest[race] : NULL;
}

#endif
