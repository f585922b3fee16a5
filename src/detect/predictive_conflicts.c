/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_conflicts.c - the sections of a lock that accessed a variable
 */
#include "detect/predictive_conflicts.h"

#include "base/memory.h"

void snag_conflicts_grow(struct snag_conflicts *c)
{
	struct snag_conflicts old = *c;
	c->nslots = old.nslots ? old.nslots * 2 : 2;
	c->slot = snag_alloc(c->nslots * sizeof(*c->slot));
	for (uint32_t i = 0; i < c->nslots; i++)
		c->slot[i].lock = UINT32_MAX;
	for (uint32_t i = 0; i < old.nslots; i++) {
		if (old.slot[i].lock == UINT32_MAX)
			continue;
		uint32_t to = snag_conflict_slot(c, old.slot[i].lock);
		while (c->slot[to].lock != UINT32_MAX)
			to = (to + 1) & (c->nslots - 1);
		c->slot[to] = old.slot[i];
	}
	free(old.slot);
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
