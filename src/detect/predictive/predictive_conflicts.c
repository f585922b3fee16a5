/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_conflicts.c - the sections of a lock that accessed a variable
 */
#include "detect/predictive/predictive_conflicts.h"

#include "base/memory.h"

void snag_conflicts_grow(struct snag_arrays *tables, struct snag_conflicts *c)
{
	struct snag_conflicts old = *c;
	c->nslots = old.nslots ? old.nslots * 2 : 2;
	c->first = snag_arrays_take(tables, c->nslots, sizeof(struct snag_conflict));
	const struct snag_conflict *from = snag_conflict_slots(tables, &old);
	struct snag_conflict *to = snag_conflict_slots(tables, c);
	for (uint32_t i = 0; i < c->nslots; i++)
		to[i].lock = UINT32_MAX;
	for (uint32_t k = 0; k < old.nslots; k++) {
		if (from[k].lock == UINT32_MAX)
			continue;
		uint32_t i = snag_conflict_slot(c, from[k].lock);
		while (to[i].lock != UINT32_MAX)
			i = (i + 1) & (c->nslots - 1);
		to[i] = from[k];
	}
	if (old.nslots)
		snag_arrays_give(tables, old.first, old.nslots, sizeof(*from));
}

uint32_t snag_conflict_node_new(struct snag_conflict_nodes *nodes)
{
	uint32_t number = nodes->unused;
	if (number) {
		nodes->unused = nodes->node[number].next;
	} else {
		nodes->n += nodes->n == 0;
		number = (uint32_t)nodes->n++;
		nodes->node = snag_grow(nodes->node, &nodes->cap, nodes->n, sizeof(*nodes->node));
	}
	return number;
}
