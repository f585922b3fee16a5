/* SPDX-License-Identifier: Apache-2.0
 *
 * conflict_edges.c - the conflicting critical sections of a trace, as DC orders them
 */
#include "witness/decide/conflict_edges.h"

#include "base/memory.h"
#include "witness/decide/ops.h"

/* Accesses of a variable in sections of a lock. */
struct snag_edge_guarded {
	uint32_t lock, variable;
	uint32_t writes, reads; /* lists of nodes; 0: empty */
};

/* A section with such an access. */
struct snag_edge_section {
	uint32_t acquire;
	uint32_t next;
};

struct key {
	uint32_t lock, variable;
};

static uint64_t guarded_hash(const void *ctx, uint32_t number)
{
	const struct snag_conflict_edges *c = ctx;
	return snag_hash(c->guarded[number].lock, c->guarded[number].variable);
}

static bool guarded_equals(const void *ctx, uint32_t number, const void *key)
{
	const struct snag_conflict_edges *c = ctx;
	const struct key *k = key;
	return c->guarded[number].lock == k->lock && c->guarded[number].variable == k->variable;
}

void snag_conflict_edges_done(struct snag_conflict_edges *c)
{
	snag_slots_done(&c->slots);
	free(c->guarded);
	free(c->section);
	*c = (struct snag_conflict_edges){0};
}

static struct snag_edge_guarded *guarded_find(struct snag_conflict_edges *c, struct key key)
{
	uint32_t i = snag_slots_find(&c->slots, snag_hash(key.lock, key.variable), guarded_equals,
				     c, &key);
	if (i == SNAG_SLOTS_NONE) {
		i = (uint32_t)c->nguarded++;
		c->guarded =
			snag_grow(c->guarded, &c->guarded_cap, c->nguarded, sizeof(*c->guarded));
		c->guarded[i] =
			(struct snag_edge_guarded){.lock = key.lock, .variable = key.variable};
		snag_slots_add(&c->slots, i, guarded_hash, c);
	}
	return &c->guarded[i];
}

static void list_add(struct snag_conflict_edges *c, uint32_t *list, uint32_t acquire)
{
	uint32_t i = c->unused;
	if (*list && c->section[*list].acquire == acquire)
		return;
	if (i) {
		c->unused = c->section[i].next;
	} else {
		c->nsections += c->nsections == 0; /* section[0] is not used */
		i = (uint32_t)c->nsections++;
		c->section =
			snag_grow(c->section, &c->section_cap, c->nsections, sizeof(*c->section));
	}
	c->section[i] = (struct snag_edge_section){acquire, *list};
	*list = i;
}

static void list_clear(struct snag_conflict_edges *c, uint32_t *list)
{
	while (*list) {
		uint32_t i = *list;
		*list = c->section[i].next;
		c->section[i].next = c->unused;
		c->unused = i;
	}
}

static bool is_shared(const struct snag_index *ix, uint32_t acquire)
{
	return ix->trace->ev[acquire].op == SNAG_OP_ACQUIRE_SHARED;
}

/* Calls the handler for the sections of other threads, unless they and this one are shared. */
static void list_report(const struct snag_conflict_edges *c, const struct snag_index *ix,
			uint32_t list, uint32_t acquire, snag_conflict_edge_handler *handler,
			void *ctx)
{
	for (uint32_t i = list; i; i = c->section[i].next) {
		uint32_t other = c->section[i].acquire;
		bool is_atomic = !snag_op_acquires(ix->trace->ev[other].op);
		if (snag_index_thread(ix, other) != snag_index_thread(ix, acquire) &&
		    !(is_shared(ix, other) && is_shared(ix, acquire)))
			handler(ctx, is_atomic ? other : ix->link[other]);
	}
}

/* The access e is in the section of the acquire. */
static void section_access(struct snag_conflict_edges *c, const struct snag_index *ix, uint32_t e,
			   struct key key, uint32_t acquire, snag_conflict_edge_handler *handler,
			   void *ctx)
{
	struct snag_edge_guarded *g = guarded_find(c, key);
	list_report(c, ix, g->writes, acquire, handler, ctx);
	if (!snag_op_writes(ix->trace->ev[e].op)) {
		list_add(c, &g->reads, acquire);
		return;
	}
	list_report(c, ix, g->reads, acquire, handler, ctx);
	if (!is_shared(ix, acquire)) { /* e comes after all of them, and stands for them */
		list_clear(c, &g->writes);
		list_clear(c, &g->reads);
	}
	list_add(c, &g->writes, acquire);
}

void snag_conflict_edges_access(struct snag_conflict_edges *c, const struct snag_index *ix,
				uint32_t e, snag_conflict_edge_handler *handler, void *ctx)
{
	const struct snag_event *ev = &ix->trace->ev[e];
	if (ix->writes.first[ev->target] == ix->writes.first[ev->target + 1])
		return; /* nothing writes it */
	if (ev->op != SNAG_OP_READ && ev->op != SNAG_OP_WRITE)
		section_access(c, ix, e, (struct key){ix->nlocks, ev->target}, e, handler, ctx);
	for (uint32_t node = ix->held[e]; node; node = ix->node[node].below)
		section_access(c, ix, e, (struct key){ix->node[node].lock, ev->target},
			       ix->node[node].acquire, handler, ctx);
}
