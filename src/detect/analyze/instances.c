/* SPDX-License-Identifier: Apache-2.0
 *
 * instances.c - the nearest pairs of events of each race of two locations
 */
#include "detect/analyze/instances.h"

#include "base/memory.h"

static uint32_t distance(const struct snag_nearest *nearest, uint32_t i)
{
	return nearest->at[i].second - nearest->at[i].first;
}

void snag_instances_add(struct snag_instances *in, size_t race, uint32_t first, uint32_t second)
{
	in->nearest = snag_grow(in->nearest, &in->cap, race + 1, sizeof(*in->nearest));
	in->n = race < in->n ? in->n : race + 1;
	struct snag_nearest *nearest = &in->nearest[race];
	uint32_t to = nearest->n;
	if (to < SNAG_INSTANCES) {
		nearest->n++;
	} else {
		to = 0;
		for (uint32_t i = 1; i < nearest->n; i++)
			to = distance(nearest, i) > distance(nearest, to) ? i : to;
		if (second - first >= distance(nearest, to))
			return;
	}
	nearest->at[to].first = first;
	nearest->at[to].second = second;
}

void snag_instances_done(struct snag_instances *in)
{
	free(in->nearest);
	*in = (struct snag_instances){0};
}
