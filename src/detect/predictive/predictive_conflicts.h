/* SPDX-License-Identifier: Apache-2.0
 *
 * predictive_conflicts.h - the sections of a lock that accessed a variable
 *
 * Idea.   For each variable and lock held at an access, keep the section of the last write, and
 *         the sections that read since.  Earlier ones need not be kept:
 *         - A write's section stands for all before it.  Its thread learned of them at the
 *           write (or, if the relation orders writes only to the next read, its HB time did, and
 *           the next read of its own thread is owed).  A conflicting access learns them from it.
 *         - If the relation composes with HB, the sections of a lock are in one order.  So the
 *           last reader stands for all before it, except those of its own thread: the last two
 *           of different threads suffice.  Otherwise one reader per thread is kept, unless a
 *           later reader knew of it.
 *         - Sections that hold the lock shared are in no order among each other: they are kept
 *           one per thread and kind, until the next write that is alone.
 *
 * State.  One table per variable, open addressing by lock; all in one array of huge pages.  Each
 *         entry refers to sections by their numbers.
 * Cost.   One entry per variable and lock it was accessed under.
 */
#ifndef SNAG_DETECT_PREDICTIVE_CONFLICTS_H
#define SNAG_DETECT_PREDICTIVE_CONFLICTS_H

#include "base/arrays.h"
#include "detect/predictive/predictive_sections.h"

struct snag_conflict {
	uint32_t lock;	  /* UINT32_MAX: this slot is empty */
	uint32_t write;	  /* the section of the last write while the lock was held alone */
	uint32_t read[2]; /* sections that read since, held alone: different threads */
	uint32_t more;	  /* further ones, a list of nodes; 0: none */
};

struct snag_conflict_node {
	uint32_t section;
	uint32_t next; /* or 0 */
	bool is_write;
};

struct snag_conflicts {	    /* of one variable; all 0: none */
	uint32_t first;	    /* its slots, in the array of all tables */
	uint32_t n, nslots; /* nslots: a power of two, or 0 */
};

struct snag_conflict_nodes {
	struct snag_conflict_node *node; /* node[0] is not used */
	size_t n, cap;
	uint32_t unused;
};

void snag_conflicts_grow(struct snag_arrays *tables, struct snag_conflicts *c);
uint32_t snag_conflict_node_new(struct snag_conflict_nodes *nodes);

/* The slots of a variable. */
static inline struct snag_conflict *snag_conflict_slots(const struct snag_arrays *tables,
							const struct snag_conflicts *c)
{
	return (struct snag_conflict *)tables->at + c->first;
}

static inline uint32_t snag_conflict_slot(const struct snag_conflicts *c, uint32_t lock)
{
	return (uint32_t)(lock * 0x9e3779b97f4a7c15u >> 32) & (c->nslots - 1);
}

/* The entry of a lock, or NULL. */
static inline struct snag_conflict *
snag_conflict_find(const struct snag_arrays *tables, const struct snag_conflicts *c, uint32_t lock)
{
	struct snag_conflict *slot = snag_conflict_slots(tables, c);
	if (!c->nslots)
		return NULL;
	for (uint32_t i = snag_conflict_slot(c, lock);; i = (i + 1) & (c->nslots - 1)) {
		if (slot[i].lock == lock)
			return &slot[i];
		if (slot[i].lock == UINT32_MAX)
			return NULL;
	}
}

/* Returns the entry of a lock, and makes it if there is none; valid until the next is made. */
static inline struct snag_conflict *snag_conflict_get(struct snag_arrays *tables,
						      struct snag_conflicts *c, uint32_t lock)
{
	struct snag_conflict *entry = snag_conflict_find(tables, c, lock);
	if (__builtin_expect(entry != NULL, 1))
		return entry;
	if ((c->n + 1) * 4 > c->nslots * 3)
		snag_conflicts_grow(tables, c);
	struct snag_conflict *slot = snag_conflict_slots(tables, c);
	uint32_t i = snag_conflict_slot(c, lock);
	while (slot[i].lock != UINT32_MAX)
		i = (i + 1) & (c->nslots - 1);
	c->n++;
	slot[i] = (struct snag_conflict){.lock = lock};
	return &slot[i];
}

#endif
