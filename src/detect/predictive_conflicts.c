/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_conflicts.c - the sections of a lock that accessed a variable
 */
#include "detect/predictive_conflicts.h"

#include "base/memory.h"

void snag_conflict_tables_done(struct snag_conflict_tables *tables)
{
	snag_huge_free(tables->slot, tables->cap, sizeof(*tables->slot));
}

static uint32_t table_new(struct snag_conflict_tables *tables, uint32_t nslots)
{
	uint32_t *unused = &tables->unused[__builtin_ctz(nslots)], first = *unused;
	if (first) {
		*unused = tables->slot[--first].write;
	} else {
		first = (uint32_t)tables->n;
		tables->n += nslots;
		tables->slot = snag_huge_grow(tables->slot, &tables->cap, tables->n,
					      sizeof(*tables->slot));
	}
	for (uint32_t i = 0; i < nslots; i++)
		tables->slot[first + i].lock = UINT32_MAX;
	return first;
}

void snag_conflicts_grow(struct snag_conflict_tables *tables, struct snag_conflicts *c)
{
	struct snag_conflicts old = *c;
	c->nslots = old.nslots ? old.nslots * 2 : 2;
	c->first = table_new(tables, c->nslots);
	struct snag_conflict *from = tables->slot + old.first, *to = tables->slot + c->first;
	for (uint32_t k = 0; k < old.nslots; k++) {
		if (from[k].lock == UINT32_MAX)
			continue;
		uint32_t i = snag_conflict_slot(c, from[k].lock);
		while (to[i].lock != UINT32_MAX)
			i = (i + 1) & (c->nslots - 1);
		to[i] = from[k];
	}
	if (old.nslots) {
		uint32_t *unused = &tables->unused[__builtin_ctz(old.nslots)];
		from->write = *unused;
		*unused = old.first + 1;
	}
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
