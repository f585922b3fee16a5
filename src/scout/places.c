/* SPDX-License-Identifier: Apache-2.0
 *
 * places.c - the places in the code of a run, of which most are never needed
 */
#include "scout/places.h"

#include "base/memory.h"

#include <string.h>

void snag_scout_places_done(struct snag_scout_places *p)
{
	free(p->node);
	free(p->due);
	*p = (struct snag_scout_places){0};
}

void snag_scout_place_add(struct snag_scout_places *p, const struct rt_record *r)
{
	const size_t had = p->node_cap;
	p->node = snag_grow(p->node, &p->node_cap, (size_t)r->arg + 1, sizeof(*p->node));
	memset(p->node + had, 0, (p->node_cap - had) * sizeof(*p->node));
	p->node[r->arg] = *r;
	p->nnodes = r->arg < p->nnodes ? p->nnodes : (size_t)r->arg + 1;
}

/* Moves a place to those that are due; returns false if it is not there, or no longer. */
static bool place_move(struct snag_scout_places *p, uint32_t number)
{
	if (number >= p->nnodes || rt_record_op(&p->node[number]) == RT_NONE)
		return false;
	p->due = snag_grow(p->due, &p->due_cap, p->ndue + 1, sizeof(*p->due));
	p->due[p->ndue++] = p->node[number];
	p->node[number] = (struct rt_record){0};
	return true;
}

void snag_scout_place_need(struct snag_scout_places *p, uint32_t number)
{
	const size_t begin = p->ndue;
	while (place_move(p, number))
		number = p->due[p->ndue - 1].loc;
	for (size_t a = begin, b = p->ndue; a + 1 < b; a++, b--) { /* callers first */
		const struct rt_record r = p->due[a];
		p->due[a] = p->due[b - 1];
		p->due[b - 1] = r;
	}
}

void snag_scout_places_need_all(struct snag_scout_places *p)
{
	for (size_t i = 0; i < p->nnodes; i++)
		snag_scout_place_need(p, (uint32_t)i);
}

int snag_scout_places_deliver(struct snag_scout_places *p, struct rt_record *ret_record, int room)
{
	int n = 0;
	while (n < room && p->first < p->ndue)
		ret_record[n++] = p->due[p->first++];
	if (p->first == p->ndue)
		p->first = p->ndue = 0;
	return n;
}
